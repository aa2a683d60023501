"""The part of a store that keeps what the gate decided, and which memories are near copies of older ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lodmem.model.gate import GateCount, GateDecision, NearCopy


class Gating(Protocol):
    """Decisions hold no text. What names a forgotten memory goes with it; `other` of a decision becomes None.

    A memory is a near copy of one other at most. Each near copy is one of the evidence_count of its original, which falls by
    one when the copy is forgotten. Where the evidence of a memory changes, a change is logged.
    """

    def put_decisions(self, decisions: Sequence[GateDecision], copies: Sequence[NearCopy] = ()) -> int:
        """Keep decisions and near copies in one transaction; how many of the copies were new. A decision on a memory takes the
        place of the one of the same kind before; a memory that is a near copy already stays one of the same. Passed over: what
        names a memory that is not there, a copy that is not newer than its original."""
        ...

    def near_copies(self, ids: Sequence[int]) -> list[NearCopy]:
        """The copies that are, or are of, one of these memories, by rising `memory`."""
        ...

    def decisions(self, *, memory_ids: Sequence[int] | None = None, after: int = 0, limit: int = 1000) -> list[GateDecision]:
        """By rising seq, with seq > `after`; of or by these memories, None: all."""
        ...

    def gate_counts(self) -> list[GateCount]:
        """All decisions, counted, by what, verdict, blocked, percent."""
        ...

    def load_copies(self, copies: Sequence[NearCopy]) -> int:
        """Keep near copies as another store had them; how many were new. They are in the evidence already: it rises only
        where it says less than the copies do. Passed over as in `put_decisions`."""
        ...
