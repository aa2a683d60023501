"""A conflict: two memories that say different things of one thing, why, and what was decided. Texts never change by it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lodmem.model.memory import to_datetime


class Reason(StrEnum):
    """What differs. VERDICT: a language model said so; GIVEN: a person or an agent did."""

    NUMBER = "number"
    AMOUNT = "amount"
    DATE = "date"
    TIME = "time"
    PLACE = "place"
    NAME = "name"
    PREFERENCE = "preference"
    STATE = "state"
    NEGATION = "negation"
    VERDICT = "verdict"
    GIVEN = "given"


class ConflictState(StrEnum):
    """OPEN: nobody has decided. SUPERSEDED: one side stands, the other is hidden. BOTH_STAND: there is no contradiction."""

    OPEN = "open"
    SUPERSEDED = "superseded"
    BOTH_STAND = "both_stand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A conflict to be kept: `older` and `newer` are ids, `detail` quotes both values in some words. `standing` None: it is
    open; else the id of the side that stands, since the other was said to be over. `by`: who found it."""

    older: int
    newer: int
    reason: Reason
    detail: str
    standing: int | None = None
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One pair of memories, kept once. `standing`: the side that stands where the other is superseded. `note`: why it was
    decided so."""

    id: int
    older: int
    newer: int
    reason: Reason
    detail: str
    state: ConflictState
    standing: int | None
    found_us: int
    decided_us: int | None
    decided_by: str
    note: str

    @property
    def found_at(self) -> datetime:
        return to_datetime(self.found_us)

    @property
    def decided_at(self) -> datetime | None:
        return None if self.decided_us is None else to_datetime(self.decided_us)

    @property
    def hidden(self) -> int | None:
        """The side that is superseded, None where both can be seen."""
        return None if self.standing is None else self.older if self.standing == self.newer else self.newer
