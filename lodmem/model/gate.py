"""What the gate decided: one decision for each text that came, and which memories are near copies of older ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """SKIP: it is there already. UPDATE: it says a stored pattern anew. ADD: it is new, or an experience: those are kept."""

    SKIP = "skip"
    UPDATE = "update"
    ADD = "add"


class What(StrEnum):
    """An experience is kept in any case; a distilled pattern may be one that is there already."""

    EXPERIENCE = "experience"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """What becomes of a new text, and the `other` it was decided by: the one that stops it, else the most similar; None: there
    was none alike.

    `similarity` to it, 0..1, is SequenceMatcher's ratio where that could reach a threshold, else a bound above it.
    `blocked`: in what `other` differs though it is similar enough ("number", "date, name"); "length": too long to compare; '':
    nothing stood against it.
    """

    verdict: Verdict
    other: int | None
    similarity: float
    blocked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision(GateVerdict):
    """A verdict as the store keeps it. `memory` None: a pattern that was not stored. `other` None also where it was forgotten.
    `seq` is given by the store."""

    at_us: int
    memory: int | None
    what: What
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NearCopy:
    """`memory` says once more what the older memory `of` says."""

    memory: int
    of: int
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCount:
    """How many decisions of one kind fell into one hundredth of similarity: [percent, percent + 1) %. `highest` of them."""

    what: What
    verdict: Verdict
    blocked: str
    percent: int
    count: int
    highest: float
