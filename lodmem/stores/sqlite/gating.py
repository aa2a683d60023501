"""The store's part that keeps what the gate decided."""

from __future__ import annotations

from collections.abc import Sequence

from lodmem.model.gate import GateCount, GateDecision, NearCopy
from lodmem.stores.sqlite import copies as near
from lodmem.stores.sqlite.core import Core


class Gating(Core):
    """Each method is one snapshot or one transaction."""

    def put_decisions(self, decisions: Sequence[GateDecision], copies: Sequence[NearCopy] = ()) -> int:
        with self._writer.transaction() as conn:
            near.decide(conn, decisions)
            return near.link(conn, copies, counted=True)

    def near_copies(self, ids: Sequence[int]) -> list[NearCopy]:
        with self._readers.snapshot() as conn:
            return near.of(conn, ids)

    def decisions(self, *, memory_ids: Sequence[int] | None = None, after: int = 0, limit: int = 1000) -> list[GateDecision]:
        with self._readers.snapshot() as conn:
            return near.decisions(conn, memory_ids, after=after, limit=limit)

    def gate_counts(self) -> list[GateCount]:
        with self._readers.snapshot() as conn:
            return near.counts(conn)

    def load_copies(self, copies: Sequence[NearCopy]) -> int:
        with self._writer.transaction() as conn:
            return near.link(conn, copies, counted=False)
