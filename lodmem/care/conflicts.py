"""The engine's verbs about conflicts: which there are, what was decided, and who looks for them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from lodmem.care.judging import Judging
from lodmem.errors import BadParameter
from lodmem.ingest.conflicts.judge import Contradictions
from lodmem.ingest.conflicts.verdict import TASK as VERDICT
from lodmem.ingest.conflicts.verdict import Verdict
from lodmem.ingest.judging import Judge, existing
from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Conflict, ConflictState
from lodmem.model.memory import Memory
from lodmem.ports import Language

NEWER, OLDER, BOTH, OPEN = "newer", "older", "both", "open"


@dataclass(frozen=True, slots=True)
class Dispute:
    """A conflict with both memories."""

    conflict: Conflict
    older: Memory
    newer: Memory


class Disputing(Judging):
    """What of an engine has to do with conflicts."""

    _language: Language | None
    _llm_tasks: Sequence[str]

    def _judges(self) -> list[Judge]:
        asked = self._language if VERDICT in self._llm_tasks else None
        verdict = None if asked is None else Verdict(asked)
        return [*super()._judges(), Contradictions(self._store, self._saying, agent=self.agent, verdict=verdict)]

    @abstractmethod
    def _saying(self, memory_id: int, subjects: Sequence[frozenset[str]], count: int) -> list[int]:
        """Older memories that say something with these words; what has the columns of search gives it."""

    def conflicts(self, *memory_ids: int, state: str | None = OPEN, after: int = 0, limit: int = 1000) -> list[Dispute]:
        """Conflicts with their memories, by rising id: the open ones, of another state ("superseded", "both_stand"), or with
        None all; of some memories alone where named. Raises BadParameter for another state."""
        try:
            wanted = None if state is None else ConflictState(state)
        except ValueError:
            raise BadParameter(f"{state!r} is no state", hint="one of open, superseded, both_stand") from None
        found = self._store.conflicts(state=wanted, memory_ids=memory_ids or None, after=after, limit=limit)
        there = {m.id: m for m in existing(self._store, sorted({i for one in found for i in (one.older, one.newer)}))}
        return [Dispute(one, there[one.older], there[one.newer]) for one in found if one.older in there and one.newer in there]

    def _decided(self, old: int, new: int) -> bool:
        """Whether there is a conflict of these two, which is decided now: the new one stands."""
        for one in self._store.conflicts(memory_ids=[old]):
            if {one.older, one.newer} == {old, new}:
                side = NEWER if one.newer == new else OLDER
                self.resolve(one.id, side)
                return True
        return False

    def resolve(self, conflict_id: int, verdict: str, *, reason: str = "") -> Conflict:
        """Decide a conflict: "newer" or "older" says which side stands, the other one is hidden and its validity ends; "both":
        there is no contradiction; "open" takes a decision back. Nothing is deleted, and it can be decided again.

        Raises: UnknownConflict, BadParameter, StoreReadOnly.
        """
        self._refuse_read_only()
        states = {
            NEWER: ConflictState.SUPERSEDED,
            OLDER: ConflictState.SUPERSEDED,
            BOTH: ConflictState.BOTH_STAND,
            OPEN: ConflictState.OPEN,
        }
        if verdict not in states:
            raise BadParameter(f"{verdict!r} is no decision", hint="one of newer, older, both, open")
        known = self._store.conflicts(ids=[conflict_id])
        standing = {NEWER: known[0].newer, OLDER: known[0].older}.get(verdict) if known else None
        now = self._clock.now_us()
        detail = {"to": verdict} | ({"reason": reason} if reason else {})
        spaces = {memory.space for one in known for memory in existing(self._store, [one.newer])}
        entry = AuditEntry(at_us=now, space=next(iter(spaces), self.space), agent=self.agent, verb="resolve", detail=detail)
        return self._store.decide_conflict(
            conflict_id, states[verdict], standing=standing, note=reason, now_us=now, audit=entry
        )
