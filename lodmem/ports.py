"""What the engine needs from outside. The docstring is the contract; tests/contracts runs it over every back end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lodmem.model.audit import AuditEntry
from lodmem.model.kept import AgentProfile, Kept, Piece, TermsState, Tombstone
from lodmem.model.landscape import Stats
from lodmem.model.memory import Added, Kind, Levels, Memory, Passage, Prepared, Priority, Source, Status, Tier
from lodmem.model.profile import Profile
from lodmem.model.spend import Caps, Ceiling, LlmCall, Outcome, Spent

Floats = NDArray[np.float32]
DEFAULT_C0, DEFAULT_C1 = 0.05, 0.70  # of all-MiniLM-L6-v2 on public conversations
Progress = Callable[[int, int], None]  # done, total


class Clock(Protocol):
    """The only source of time."""

    def now_us(self) -> int:
        """Microseconds since 1970 UTC, never before an earlier answer of the same clock."""
        ...


class TokenCounter(Protocol):
    """Counts tokens the way budgets are counted. Additive over lines and words: count(a + '\\n' + b) and count(a + ' ' + b) are
    count(a) + count(b)."""

    def count(self, text: str) -> int: ...

    def counts(self, texts: Sequence[str]) -> list[int]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderIdentity:
    """Which vectors these are. Two identities with equal `key` give interchangeable vectors.

    c0 and c1 clip the cosine of unrelated and of clearly related texts to 0 and 1 (SPEC 2); they belong to the model.
    `latin_only`: questions in other scripts mean nothing to it and are answered by words.
    """

    name: str
    revision: str
    dims: int
    c0: float = DEFAULT_C0
    c1: float = DEFAULT_C1
    latin_only: bool = False

    @property
    def key(self) -> str:
        return f"{self.name}@{self.revision}/{self.dims}"

    @staticmethod
    def dims_of(key: str) -> int:
        """dims of the identity that has this key; 0 for ''."""
        return int(key.rpartition("/")[2]) if key else 0


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. Deterministic: the same text gives the same vector whatever its batch.

    `embed` returns float32 of shape (len(texts), dims), rows of length 1. Texts longer than the model reads are cut by it.
    Raises ModelUnavailable or ModelBadAnswer.
    """

    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed(self, texts: Sequence[str]) -> Floats: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a language model said. `cut`: it ran into `max_tokens`. Tokens as its server counted them, or an upper estimate."""

    text: str
    model: str
    tokens_in: int
    tokens_out: int
    cut: bool = False


@runtime_checkable
class LanguageModel(Protocol):
    """Answers one task a call. `name` is the model's. Safe to call from several threads."""

    @property
    def name(self) -> str: ...

    def complete(self, system: str, user: str, *, max_tokens: int, task: str) -> Answer:
        """The answer, never empty, of at most `max_tokens` tokens; `task` is what the call is counted under.

        Raises:
            ModelUnavailable: not there, not let in, or resting after failures; later it may be.
            ModelBadAnswer: it answered what nobody can use; ModelRefused: it would not.
            SpendCapReached: nothing was sent, because it might cost more than was allowed.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The language models of one engine by task ('' for any other), what may be spent on them, and the `run` they count in."""

    models: Mapping[str, LanguageModel]
    caps: Caps
    run: str

    def model_for(self, task: str) -> LanguageModel:
        return self.models.get(task) or self.models[""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the in-process columns hold of one memory. `floors` maps agent ('' = the whole space) to its floor.

    `passages`: one (terms, vector) a passage in order; `vector` is the active model's joint vector, float32 (dims,), the mean
    of the passage's own embedding and, for a one-passage memory with a predecessor, the embedding of both together (so not of
    unit length); None: not embedded yet.
    """

    id: int
    space: str
    agent: str
    kind: Kind
    status: Status
    created_us: int
    created_given: bool
    ingested_us: int
    valid_from_us: int | None
    valid_to_us: int | None
    expires_us: int | None
    last_retrieved_us: int | None
    retrieval_count: int
    last_tier: Tier | None
    importance: float
    priority: Priority
    superseded_by: int | None
    source: Source | None
    tags: tuple[str, ...]
    floors: Mapping[str, Tier]
    short: bool
    tokens: tuple[int, int, int]
    passages: tuple[tuple[tuple[str, ...], Floats | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What moved after a change number. `complete` False: the log was pruned past it and everything must be read again.

    `touched`: ids whose retrieval statistics alone changed. `written`: ids new or changed otherwise. `gone`: forgotten ids.
    `last`: the newest change number covered. Each id stands in one set only; gone wins over written over touched.
    """

    last: int
    complete: bool
    written: tuple[int, ...]
    touched: tuple[int, ...]
    gone: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Retrieval statistics of one memory."""

    id: int
    last_retrieved_us: int | None
    retrieval_count: int
    last_tier: Tier | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """One leased piece of background work. `memory_id` None: work on the whole store."""

    id: int
    task: str
    memory_id: int | None
    attempts: int
    payload: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedInput:
    """What embedding one memory needs: its passages' texts, and its predecessor's full text if it has one passage, a source
    and a predecessor of one passage; else None."""

    id: int
    passages: tuple[str, ...]
    predecessor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """Embeddings of one memory, shape (passages, dims): `own` unit rows, `joint` as `Row` says."""

    id: int
    own: Floats
    joint: Floats


class Store(Protocol):
    """Keeps and proposes; never decides. Safe to call from any thread. Every write is durable when the call returns.

    Methods raise StoreClosed after `close`; StoreBusy when another process holds the store longer than the timeout;
    StoreFull, StoreReadOnly, StoreCorrupt for what the file system says. A failed write changes nothing.
    """

    # -- writing ------------------------------------------------------------------------------------------------------

    def add(self, batch: Sequence[Prepared], *, now_us: int, tasks: Sequence[str] = ("embed",)) -> list[Added]:
        """Store a batch in one transaction, in order; one outcome each. Ids rise and are never used again, not even after
        forget. A memory equal in (space, source, content_hash) to one already there, or earlier in the batch, changes nothing
        and returns its id with created False. Each created memory enqueues `tasks`, one `remember` audit entry and a change.
        A successor (next in the same source) that is already embedded is enqueued for embedding again."""
        ...

    def record_use(
        self, *, now_us: int, retrieved: Sequence[int], shown: Mapping[int, Tier], audit: AuditEntry | None = None
    ) -> None:
        """Count one retrieval of each id in `retrieved` (last_retrieved = max(old, now_us), count += 1, adding to what other
        processes counted) and set last_tier of each in `shown`. Ids that are gone are passed over. One transaction."""
        ...

    def set_floor(self, ids: Sequence[int], tier: Tier, *, for_agent: str, audit: AuditEntry) -> None:
        """Set the floor for one agent, or with '' for everybody in the space. HORIZON removes it. Raises UnknownMemory."""
        ...

    def set_status(
        self, memory_id: int, status: Status, *, superseded_by: int | None, valid_to_us: int | None, audit: AuditEntry
    ) -> None:
        """Change status, successor and end of validity. Texts never change. Raises UnknownMemory."""
        ...

    def set_levels(self, memory_id: int, levels: Levels, *, audit: AuditEntry) -> None:
        """Replace summary and headline. Raises UnknownMemory."""
        ...

    def forget(self, ids: Sequence[int], *, now_us: int, audit: AuditEntry) -> int:
        """Really delete: every level, passage, vector, index entry, floor, statistic, queue item; free pages are overwritten,
        the write-ahead log is truncated. Leaves a tombstone (id, time), enqueues the successors for embedding again (their
        joint vector held the forgotten text) after dropping their vectors, and drops the query texts of the searches that
        showed one of them at summary or full. Returns how many were there. Raises UnknownMemory if one never was."""
        ...

    def put_vectors(self, model_key: str, vectors: Sequence[Vectors], *, done: Sequence[int] = ()) -> None:
        """Store embeddings, replacing those of the same memory and model; complete the queue items `done` in the same
        transaction. Memories that are gone are passed over. A change is logged only for the active model."""
        ...

    def audit(self, entry: AuditEntry) -> None:
        """Append one entry to the audit log."""
        ...

    # -- reading ------------------------------------------------------------------------------------------------------

    def get(self, ids: Sequence[int], *, agent: str = "") -> list[Memory]:
        """Memories in the order asked, `floor` as it holds for `agent`. Raises UnknownMemory (a tombstone is named so)."""
        ...

    def texts(self, ids: Sequence[int], level: Tier) -> dict[int, str]:
        """Text of each id at FULL, SUMMARY or HEADLINE. Missing ids are left out."""
        ...

    def rows(self, ids: Sequence[int] | None = None) -> Iterator[Row]:
        """Column rows by rising id; all, or those of `ids` that exist. Consistent within one call."""
        ...

    def usage(self, ids: Sequence[int]) -> list[Usage]:
        """Statistics of those of `ids` that exist."""
        ...

    def last_change(self) -> int:
        """Number of the newest change, 0 in an empty store. Cheap enough to ask before every search."""
        ...

    def changes(self, since: int) -> Changes:
        """What moved after change number `since`."""
        ...

    def match_words(self, terms: Sequence[str], *, limit: int) -> list[tuple[int, float]]:
        """(id, BM25) of memories holding any of the index terms, best first, ties by id. Terms are plain text, never syntax."""
        ...

    def audit_log(self, *, after: int = 0, limit: int = 1000, space: str | None = None) -> list[AuditEntry]:
        """Entries with seq > after, oldest first."""
        ...

    def stats(self) -> Stats: ...

    # -- profiles and agents ------------------------------------------------------------------------------------------

    def profiles(self) -> dict[str, Profile]:
        """All named profiles; the presets are there from the start."""
        ...

    def save_profile(self, profile: Profile, *, audit: AuditEntry) -> None: ...

    def agent_profile(self, agent: str) -> str:
        """Name of the agent's profile; the default one for an agent never seen."""
        ...

    def set_agent_profile(self, agent: str, profile: str, *, audit: AuditEntry) -> None:
        """Raises UnknownProfile."""
        ...

    def agent_profiles(self) -> list[AgentProfile]:
        """Those that were chosen, by the agent's name."""
        ...

    # -- the work queue -----------------------------------------------------------------------------------------------

    def enqueue(self, task: str, ids: Sequence[int], *, now_us: int) -> None:
        """Add work; an item that already waits for the same (task, memory) is not added twice."""
        ...

    def claim(self, task: str, *, worker: str, now_us: int, lease_us: int, limit: int) -> list[WorkItem]:
        """Lease up to `limit` due items, oldest first. Nobody else gets them until the lease ends."""
        ...

    def release(self, items: Sequence[int], *, error: str, retry_us: int | None) -> None:
        """Give items back, due again at `retry_us`; None: dead, listed and never claimed again until requeued."""
        ...

    def complete(self, items: Sequence[int]) -> None:
        """Remove finished items. An item re-enqueued while leased stays."""
        ...

    def backlog(self, task: str | None = None) -> int:
        """Items not dead and not done."""
        ...

    def embed_inputs(self, ids: Sequence[int]) -> list[EmbedInput]:
        """What embedding needs, for those of `ids` that exist, in order."""
        ...

    # -- models -------------------------------------------------------------------------------------------------------

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

    # -- language models ----------------------------------------------------------------------------------------------

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

    # -- care ---------------------------------------------------------------------------------------------------------

    def check(self) -> list[str]:
        """Problems found, in words; empty when the store is sound: file integrity, texts, index against texts, counts,
        vectors of the active model (how many, their dims, finite, `own` of length 1), use, change log, dead work."""
        ...

    def repair(self, *, now_us: int, stage: Callable[[str], None] | None = None) -> list[str]:
        """Make anew what the store derives by itself, and say in words what was done; empty: nothing had to be. The word
        index; vectors that are broken or missing (dropped and enqueued); dead work (enqueued); the change log. Texts, levels
        and statistics are never touched. `stage` is told what begins. Twice in a row the second finds nothing to do."""
        ...

    def terms(self) -> TermsState:
        """Which version of the text rules made the index terms. A new store has the current one."""
        ...

    def put_terms(self, passages_of: Mapping[int, Sequence[Passage]], state: TermsState, *, now_us: int) -> int:
        """Replace passages and index terms of these memories and keep `state`, in one transaction; how many memories changed.
        One whose passages are cut elsewhere than before loses its vectors and is enqueued for embedding, and its successor is
        enqueued too. Memories that are gone are passed over. If anything changed, nobody can follow the change log from
        before."""
        ...

    def unindexed(self) -> list[int]:
        """Ids, rising, of memories with a passage missing."""
        ...

    def ids(self, *, after: int = 0, limit: int) -> list[int]:
        """Ids greater than `after`, rising."""
        ...

    def backup(self, path: str, *, overwrite: bool = False, progress: Progress | None = None) -> int:
        """A copy of the whole store as it is at this moment in the file at `path`, checked before it gets that name; its size
        in bytes. Others write meanwhile. Raises BadParameter where something is there already (unless `overwrite`), or for
        the store itself; StorePathError, StoreFull, StoreReadOnly, StoreCorrupt. A failure leaves nothing at `path`."""
        ...

    # -- giving away and taking in ------------------------------------------------------------------------------------

    def dump(self, *, vectors: bool = False) -> Iterator[Piece]:
        """All that is kept, of one moment: a Head, saved profiles by name, agents' profiles by name, memories by rising id,
        tombstones by rising id, the audit log oldest first. `vectors`: with those of the active model. Not the work queue, the
        change log and the calls of language models."""
        ...

    def load(self, batch: Sequence[Kept], *, now_us: int, audit: AuditEntry, tasks: Sequence[str] = ("embed",)) -> list[Added]:
        """Take memories in, in one transaction; one outcome each, in order. One equal in (space, source, content_hash) to one
        already there changes nothing. Another keeps its id where that is higher than every id ever given here, else it gets
        the next one. `superseded_by` waits for `load_links`. Vectors of the active model with one row a passage are stored;
        without them `tasks` are enqueued. `audit` is logged, with `ids` in its detail, if something was created."""
        ...

    def load_links(self, links: Sequence[tuple[int, int]]) -> int:
        """Say which memory superseded which, (old, new), wherever the old one has no successor yet; how many were set. Pairs
        with an id that is not there are passed over."""
        ...

    def load_tombstones(self, tombstones: Sequence[Tombstone], *, last_id: int) -> int:
        """Keep tombstones of ids that are not in use, and never give an id up to `last_id` again; how many were new."""
        ...

    def load_audit(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries to the audit log as they are; `seq` is given anew."""
        ...

    def close(self) -> None:
        """Idempotent."""
        ...
