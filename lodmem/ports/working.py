"""The part of a store behind background work: the queue, vectors, calls of language models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lodmem.model.audit import AuditEntry
from lodmem.model.spend import Ceiling, LlmCall, Outcome, Spent
from lodmem.ports.models import EmbedderIdentity
from lodmem.ports.rows import DeadItem, EmbedInput, TaskState, WorkItem


class Queue(Protocol):
    """Durable work: leased, retried, dead at last."""

    def enqueue(self, task: str, ids: Sequence[int], *, now_us: int) -> None:
        """Add work; an item that already waits for the same (task, memory) is not added twice."""
        ...

    def claim(self, task: str, *, worker: str, now_us: int, lease_us: int, limit: int) -> list[WorkItem]:
        """Lease up to `limit` due items, oldest first. Nobody else gets them until the lease ends."""
        ...

    def renew(self, items: Sequence[int], *, until_us: int) -> None:
        """Let the leases of items that are still this worker's end later. Others are passed over."""
        ...

    def release(self, items: Sequence[int], *, error: str, retry_us: int | None, counted: bool = True) -> None:
        """Give items back, due again at `retry_us`; None: dead, listed and never claimed again until requeued. Not `counted`:
        this attempt does not count."""
        ...

    def complete(self, items: Sequence[int], *, then: str = "", now_us: int = 0) -> None:
        """Remove finished items. An item re-enqueued while leased stays. `then`: a task that their memories are enqueued for in
        the same transaction, due at `now_us`; not those of items that stay, or are no longer this worker's."""
        ...

    def queue(self, *, now_us: int) -> list[TaskState]:
        """How the queue stands, by the task's name; tasks with no items are left out."""
        ...

    def dead(self, *, task: str = "", after: int = 0, limit: int = 100) -> list[DeadItem]:
        """Items that were given up, with numbers above `after`, rising."""
        ...

    def retry_dead(self, ids: Sequence[int] | None = None, *, task: str = "", now_us: int) -> int:
        """Make dead items due again with no attempts counted: those of `ids`, None: all, of one task where named. How many."""
        ...

    def backlog(self, task: str | None = None) -> int:
        """Items not dead and not done."""
        ...

    def embed_inputs(self, ids: Sequence[int]) -> list[EmbedInput]:
        """What embedding needs, for those of `ids` that exist, in order."""
        ...


class Embeddings(Protocol):
    """Which embedding model the store has, and what is missing of it."""

    def identity(self) -> str:
        """The store's name, which its backups have too. Where a backup was put in its place, change numbers lie beyond all that
        were given before, and `changes` since one of those is not complete."""
        ...

    def active_model(self) -> str:
        """Key of the embedding model whose vectors `rows` gives; '' when the store was made without one."""
        ...

    def missing_vectors(self, model_key: str, *, limit: int) -> list[int]:
        """Ids, rising, of memories with no vectors of this model."""
        ...

    def activate_model(self, identity: EmbedderIdentity | None, *, audit: AuditEntry) -> None:
        """Make a model the active one; vectors of the others are dropped. All rows count as written."""
        ...

    def calibration(self) -> tuple[float, float] | None:
        """The store's own c0 and c1 for the active model; None: those that the model brings along."""
        ...

    def set_calibration(self, clip: tuple[float, float] | None, *, audit: AuditEntry) -> None:
        """Keep c0 and c1 for the active model, or with None forget them. They count for no other model.

        Raises BadParameter unless -1 <= c0 < c1 <= 1, or when there is no active model."""
        ...


class Calls(Protocol):
    """Calls of language models, and what they spent."""

    def reserve_call(self, call: LlmCall, ceilings: Sequence[Ceiling]) -> int | Ceiling:
        """Write down a call at its worst case, before it is made, and return its number; or, with nothing written, the first
        ceiling that it would break through together with all calls written before, by whatever process. Checked and written
        in one step: two processes cannot pass a ceiling together."""
        ...

    def settle_call(self, number: int, *, tokens_in: int, tokens_out: int, cost: int, outcome: Outcome) -> None:
        """Put what a call really used in the place of its worst case. A second time changes nothing; unknown: passed over."""
        ...

    def spent(self, *, since_us: int = 0, run: str = "") -> list[Spent]:
        """What calls since then came to (of one run; '' of all), by model, then task. Open ones count at their worst case."""
        ...

    def recent_calls(self, model: str, *, limit: int) -> list[LlmCall]:
        """The latest calls of a model, newest first."""
        ...

    def calls_since(self, since_us: int) -> list[LlmCall]:
        """All calls since then, of whatever model, in the order of their times."""
        ...
