"""The store's part behind background work: the queue, vectors, calls of language models."""

from __future__ import annotations

from collections.abc import Sequence

from lodmem.model.audit import AuditEntry
from lodmem.model.spend import Ceiling, LlmCall, Outcome, Spent
from lodmem.ports import DeadItem, EmbedderIdentity, EmbedInput, TaskState, WorkItem
from lodmem.stores.sqlite import calls, log, models, queue, settings
from lodmem.stores.sqlite.core import Core


class Working(Core):
    """Each method is one snapshot or one transaction."""

    _missing: models.Missing
    _settings: settings.Settings

    # -- the work queue -----------------------------------------------------------------------------------------------

    def enqueue(self, task: str, ids: Sequence[int], *, now_us: int) -> None:
        with self._writer.transaction() as conn:
            queue.enqueue(conn, task, ids, now_us=now_us)

    def claim(self, task: str, *, worker: str, now_us: int, lease_us: int, limit: int) -> list[WorkItem]:
        # Workers ask often and mostly find nothing: that must not take the write lock.
        with self._readers.snapshot() as conn:
            if not queue.any_due(conn, task, now_us=now_us):
                return []
        with self._writer.transaction() as conn:
            return queue.claim(conn, task, worker=worker, now_us=now_us, lease_us=lease_us, limit=limit)

    def renew(self, items: Sequence[int], *, until_us: int) -> None:
        with self._writer.transaction() as conn:
            queue.renew(conn, items, until_us=until_us)

    def release(self, items: Sequence[int], *, error: str, retry_us: int | None, counted: bool = True) -> None:
        with self._writer.transaction() as conn:
            queue.release(conn, items, error=error, retry_us=retry_us, counted=counted)

    def complete(self, items: Sequence[int], *, then: str = "", now_us: int = 0) -> None:
        with self._writer.transaction() as conn:
            queue.complete(conn, items, then=then, now_us=now_us)

    def queue(self, *, now_us: int) -> list[TaskState]:
        with self._readers.snapshot() as conn:
            return queue.states(conn, now_us=now_us)

    def dead(self, *, task: str = "", after: int = 0, limit: int = 100) -> list[DeadItem]:
        with self._readers.snapshot() as conn:
            return queue.given_up(conn, task=task, after=after, limit=limit)

    def retry_dead(self, ids: Sequence[int] | None = None, *, task: str = "", now_us: int) -> int:
        with self._writer.transaction() as conn:
            return queue.revive(conn, ids, task=task, now_us=now_us)

    def backlog(self, task: str | None = None) -> int:
        with self._readers.snapshot() as conn:
            return queue.backlog(conn, task)

    def embed_inputs(self, ids: Sequence[int]) -> list[EmbedInput]:
        with self._readers.snapshot() as conn:
            return models.embed_inputs(conn, ids)

    # -- models -------------------------------------------------------------------------------------------------------

    def identity(self) -> str:
        with self._readers.snapshot() as conn:
            return models.identity(conn)

    def active_model(self) -> str:
        return self._settings.get("active model", models.active_model)

    def missing_vectors(self, model_key: str, *, limit: int) -> list[int]:
        with self._readers.snapshot() as conn:
            return self._missing.ids(conn, model_key, limit=limit)

    def activate_model(self, identity: EmbedderIdentity | None, *, audit: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            models.activate_model(conn, identity)
            settings.changed(conn)
            log.log_audit(conn, [audit])

    def calibration(self) -> tuple[float, float] | None:
        return self._settings.get("calibration", models.calibration)

    def set_calibration(self, clip: tuple[float, float] | None, *, audit: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            models.set_calibration(conn, clip)
            settings.changed(conn)
            log.log_audit(conn, [audit])

    # -- language models ----------------------------------------------------------------------------------------------

    def reserve_call(self, call: LlmCall, ceilings: Sequence[Ceiling]) -> int | Ceiling:
        with self._writer.transaction() as conn:
            return calls.reserve(conn, call, ceilings)

    def settle_call(self, number: int, *, tokens_in: int, tokens_out: int, cost: int, outcome: Outcome) -> None:
        with self._writer.transaction() as conn:
            calls.settle(conn, number, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost, outcome=outcome)

    def spent(self, *, since_us: int = 0, run: str = "") -> list[Spent]:
        with self._readers.snapshot() as conn:
            return calls.spent(conn, since_us=since_us, run=run)

    def recent_calls(self, model: str, *, limit: int) -> list[LlmCall]:
        with self._readers.snapshot() as conn:
            return calls.recent(conn, model, limit=limit)

    def calls_since(self, since_us: int) -> list[LlmCall]:
        with self._readers.snapshot() as conn:
            return calls.since(conn, since_us)
