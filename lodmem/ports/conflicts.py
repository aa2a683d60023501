"""The part of a store that keeps conflicts: pairs of memories that say different things of one thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Conflict, ConflictState, Found


class Conflicts(Protocol):
    """A pair is kept once, whichever of the two is called the older one.

    A memory with an open conflict has the status `conflict` where it was active, and is active again when its last one is
    decided or its other side is forgotten. The side that does not stand is `superseded` by the other one, and its validity ends
    when the other one's begins (`valid_from`, else `created_at`). Each memory whose status changes logs a change.
    """

    def add_conflicts(self, found: Sequence[Found], *, now_us: int, audit: AuditEntry) -> list[Conflict]:
        """Keep those that are new, in one transaction, and return them; `audit` is logged with their ids if there are any.
        Passed over: a pair that is known, a memory beside itself, ids that are not there. One that comes with a side that
        stands is decided at once. A side that is superseded already makes no new conflict. Each supersession logs an audit
        entry `supersede` with the ids of the hidden side and of the standing one."""
        ...

    def decide_conflict(
        self, conflict_id: int, state: ConflictState, *, standing: int | None, note: str, now_us: int, audit: AuditEntry
    ) -> Conflict:
        """Set the state, also of one that was decided: what the earlier decision hid comes back first. SUPERSEDED needs the
        side that stands, the others have none. Raises UnknownConflict; BadParameter for a side that is not one of the two."""
        ...

    def conflicts(
        self,
        *,
        state: ConflictState | None = None,
        memory_ids: Sequence[int] | None = None,
        ids: Sequence[int] | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> list[Conflict]:
        """By rising id: of this state, with one of `memory_ids` on either side, of `ids`; None means no restriction."""
        ...

    def open_pairs(self, memory_ids: Sequence[int]) -> list[tuple[int, int]]:
        """(older, newer) of the open conflicts with one of these memories on either side, by rising id of the conflict."""
        ...

    def load_conflicts(self, conflicts: Sequence[Conflict]) -> int:
        """Keep conflicts as another store had them, under new ids, without deciding anything; how many were new. Pairs that are
        known, or with an id that is not there, are passed over."""
        ...
