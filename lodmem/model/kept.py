"""All that a store keeps, piece by piece, as one store gives it away and another takes it in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Conflict
from lodmem.model.distilled import Outcome
from lodmem.model.memory import Memory, Passage, Tier
from lodmem.model.profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What holds for the whole store. `last_id`: the highest id ever given. `model`: the identity of the active embedding
    model, empty without one. `clip`: the store's own c0 and c1 for it."""

    last_id: int
    model: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    clip: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptVectors:
    """Little-endian float32 of (passages, dims), row after row. `joint` None: equal to own. Derived, but dear."""

    model: str
    own: bytes
    joint: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPattern:
    """When a pattern was last distilled, and the ids of the episodes it came from."""

    distilled_us: int
    episodes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOutcome:
    """What distillation made of an episode, and when."""

    outcome: Outcome
    at_us: int


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """The id of the older memory that this one is a near copy of, and how alike they are, 0..1."""

    of: int
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One memory with the floors of everybody ('' = the whole space). `memory.floor` means nothing here.

    Passages are derived from the full text and its date; vectors from the passages. `masked`: as in Prepared; no part of it.
    """

    memory: Memory
    floors: Mapping[str, Tier]
    passages: tuple[Passage, ...]
    vectors: KeptVectors | None = None
    pattern: KeptPattern | None = None
    outcome: KeptOutcome | None = None
    copy: KeptCopy | None = None
    masked: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentProfile:
    """Which profile an agent looks with."""

    agent: str
    profile: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What is left of a forgotten memory."""

    id: int
    forgotten_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsState:
    """Which version of the text rules the index terms of a store come from; 0: not known.

    `making`: the version that a repair under way makes, done for ids up to `upto`; 0: none is under way.
    """

    version: int
    making: int = 0
    upto: int = 0


Piece: TypeAlias = Head | Profile | AgentProfile | Kept | Conflict | Tombstone | AuditEntry
