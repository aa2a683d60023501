"""What a store gives besides memories: column rows, changes, work, inputs and vectors of embedding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lodmem.model.memory import Kind, Priority, Source, Status, Tier
from lodmem.ports.basics import Floats


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
class TaskState:
    """How the queue of one task stands: `waiting` and not due yet, `due` (a lease that has ended is due too), `leased`, `dead`.

    `oldest_us`: since when the longest due one is due; `next_us`: when the next waiting one is, None where there is none.
    `errors`: what items that failed said last, with how many they are, the most frequent first.
    """

    task: str
    waiting: int = 0
    due: int = 0
    leased: int = 0
    dead: int = 0
    oldest_us: int | None = None
    next_us: int | None = None
    errors: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadItem:
    """Work that was given up after so many attempts, and what it said last."""

    id: int
    task: str
    memory_id: int | None
    attempts: int
    error: str


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
