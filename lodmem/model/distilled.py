"""What distillation makes of episodes: patterns, where each came from, what became of each episode, and what a run did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from lodmem.model.audit import AuditEntry
from lodmem.model.gate import GateVerdict
from lodmem.model.memory import Added, Memory, Prepared, Status

KNOWLEDGE_LIMIT = 50
URI = "distilled:"

# Statuses of a pattern: it is knowledge, a person is still to be asked, a person said no.
ACCEPTED, WAITING, REJECTED = Status.ACTIVE, Status.QUARANTINED, Status.ARCHIVED


class Outcome(StrEnum):
    """What became of an episode. UNPARSABLE: a model's answer about it was no use twice; `again` takes it up once more."""

    DISTILLED = "distilled"
    NOISE = "noise"
    CONSTITUTIONAL = "constitutional"
    UNPARSABLE = "unparsable"


def is_pattern(memory: Memory) -> bool:
    """Whether a memory came from distillation."""
    return memory.source is not None and memory.source.uri == URI


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPattern:
    """A pattern to be stored, and the ids of the episodes that it was made from. `prepared.draft` is a semantic memory."""

    prepared: Prepared
    episodes: tuple[int, ...]
    status: Status = ACCEPTED


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenAgain:
    """A stored pattern that these episodes say too. `importance` None: it was skipped, and only its episodes are noted; else
    the larger of the two stays, and the evidence rises by the episodes that it did not have."""

    pattern: int
    episodes: tuple[int, ...]
    importance: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A decision of the gate. `new`: which of a step's new patterns it let in, None for none; `other_new`: which of them it was
    decided by, where that was not stored yet."""

    verdict: GateVerdict
    new: int | None = None
    other_new: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one batch of episodes came to, stored as a whole or not at all. `audit`: its entry, without the new ids."""

    outcomes: Mapping[int, Outcome]
    new: tuple[NewPattern, ...]
    again: tuple[SeenAgain, ...]
    counts: Mapping[str, int]
    audit: AuditEntry
    judged: tuple[Judged, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A stored pattern. `distilled_us`: when a run last wrote or updated it. `episodes`: those it came from that are still
    there, rising."""

    id: int
    space: str
    text: str
    importance: float
    evidence_count: int
    status: Status
    distilled_us: int
    episodes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of distillation. `writer`: 'extractive' or the model's name. `ended_us` None: it is under way, or was killed;
    what it counted is in the store all the same. `stopped`: why it ended before everything was done."""

    id: int = 0
    begun_us: int
    ended_us: int | None = None
    agent: str
    space: str
    writer: str
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """Outcome of a step. None of it was stored when `taken` is False: an episode is gone, or another run had it first."""

    taken: bool
    added: tuple[Added, ...] = ()
