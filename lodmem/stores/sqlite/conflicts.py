"""The store's part that keeps conflicts."""

from __future__ import annotations

from collections.abc import Sequence

from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Conflict, ConflictState, Found
from lodmem.stores.sqlite import disputes
from lodmem.stores.sqlite.core import Core


class Conflicting(Core):
    """Each method is one snapshot or one transaction."""

    def add_conflicts(self, found: Sequence[Found], *, now_us: int, audit: AuditEntry) -> list[Conflict]:
        with self._writer.transaction() as conn:
            return disputes.add(conn, found, now_us=now_us, audit=audit)

    def decide_conflict(
        self, conflict_id: int, state: ConflictState, *, standing: int | None, note: str, now_us: int, audit: AuditEntry
    ) -> Conflict:
        with self._writer.transaction() as conn:
            return disputes.decide(conn, conflict_id, state, standing=standing, note=note, now_us=now_us, audit=audit)

    def conflicts(
        self,
        *,
        state: ConflictState | None = None,
        memory_ids: Sequence[int] | None = None,
        ids: Sequence[int] | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> list[Conflict]:
        with self._readers.snapshot() as conn:
            return disputes.select(conn, state=state, memory_ids=memory_ids, ids=ids, after=after, limit=limit)

    def open_pairs(self, memory_ids: Sequence[int]) -> list[tuple[int, int]]:
        with self._readers.snapshot() as conn:
            return disputes.open_pairs(conn, memory_ids)

    def load_conflicts(self, conflicts: Sequence[Conflict]) -> int:
        with self._writer.transaction() as conn:
            return disputes.load(conn, conflicts)
