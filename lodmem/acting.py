"""One engine in several hands: the same store, columns and workers, as one agent, within one space or everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from lodmem.asking import Asking
from lodmem.care.conflicts import Dispute
from lodmem.engine import Engine
from lodmem.errors import BadParameter, UnknownConflict, UnknownMemory
from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Conflict
from lodmem.model.landscape import Explanation, Landscape
from lodmem.model.memory import Added, Draft, Memory, Tier, check_space
from lodmem.model.profile import Profile
from lodmem.model.query import Query
from lodmem.model.survey import About
from lodmem.ports import Changes

LOG_PAGE = 1000


class Acting(Engine):
    """An engine in the hands of an agent. `within` None: everywhere; else nothing outside that space and those below it is seen
    or touched. Closing it closes nothing: it belongs to the engine that it was made from."""

    within: str | None

    @classmethod
    def of(cls, engine: Engine, *, agent: str, space: str | None) -> Acting:
        """`engine` as `agent`; `space` is where it writes, and all it reaches."""
        engine._columns()  # made once, for all hands
        hands = cls.__new__(cls)
        hands.__dict__.update(engine.__dict__)
        hands.agent, hands.within, hands._closed = agent, space, True
        hands.space = engine.space if space is None else check_space(space)
        return hands

    # -- looking ----------------------------------------------------------------------------------------------------------

    def look(self, query: Query, profile: Profile) -> Landscape:
        filters = replace(query.filters, space=self._place(query.filters.space))
        return super().look(replace(query, filters=filters), profile)

    def explain(self, memory_id: int, query: str, **asking: Unpack[Asking]) -> Explanation:
        self._demand([memory_id])
        return super().explain(memory_id, query, **self._narrowed(asking))

    def rank(self, query: str, **asking: Unpack[Asking]) -> list[tuple[int, float, float]]:
        return super().rank(query, **self._narrowed(asking))

    def expand(self, *ids: int, touch: bool = True) -> list[Memory]:
        self._demand(ids)
        return super().expand(*ids, touch=touch)

    def audit_log(self, *, after: int = 0, limit: int = 1000) -> list[AuditEntry]:
        if self.within is None:
            return super().audit_log(after=after, limit=limit)
        found: list[AuditEntry] = []
        while len(found) < limit and (page := super().audit_log(after=after, limit=LOG_PAGE)):
            found += [entry for entry in page if self._reaches(entry.space)]
            after = page[-1].seq
        return found[:limit]

    def about(self, memory_id: int, *, similar: int = 0) -> About:
        found = super().about(memory_id, similar=similar)
        return replace(found, history=[entry for entry in found.history if self._reaches(entry.space)])

    def changes(self, since: int) -> Changes:
        moved = super().changes(since)
        if self.within is None:
            return moved
        written, touched = (tuple(self._visible(ids)) for ids in (moved.written, moved.touched))
        return replace(moved, written=written, touched=touched)

    # -- changing ---------------------------------------------------------------------------------------------------------

    def promote(self, memory_id: int, *, to: str | Tier | None = None, mine: bool = False, reason: str = "") -> Tier:
        self._demand([memory_id])
        return super().promote(memory_id, to=to, mine=mine, reason=reason)

    def demote(self, memory_id: int, *, mine: bool = False, reason: str = "") -> Tier:
        self._demand([memory_id])
        return super().demote(memory_id, mine=mine, reason=reason)

    def forget(self, *ids: int) -> int:
        self._demand(ids)
        return super().forget(*ids)

    def supersede(self, old: int, new: int) -> None:
        self._demand([old, new])
        super().supersede(old, new)

    def _write(self, drafts: Sequence[Draft]) -> list[Added]:
        for draft in drafts:
            self._place(draft.space)
        return super()._write(drafts)

    def conflicts(self, *memory_ids: int, state: str | None = "open", after: int = 0, limit: int = 1000) -> list[Dispute]:
        found = super().conflicts(*memory_ids, state=state, after=after, limit=limit)
        return [each for each in found if self._sees(each)]

    def resolve(self, conflict_id: int, verdict: str, *, reason: str = "") -> Conflict:
        near = super().conflicts(state=None, after=conflict_id - 1, limit=1) if self.within is not None else []
        if self.within is not None and not any(each.conflict.id == conflict_id and self._sees(each) for each in near):
            raise UnknownConflict(f"there is no conflict {conflict_id}", hint="conflicts are listed with their numbers")
        return super().resolve(conflict_id, verdict, reason=reason)

    def _sees(self, found: Dispute) -> bool:
        return self._reaches(found.older.space) and self._reaches(found.newer.space)

    # -- what bounds it -----------------------------------------------------------------------------------------------------

    def _reaches(self, space: str) -> bool:
        return self.within is None or space == self.within or space.startswith(self.within + "/")

    def _place(self, space: str | None) -> str | None:
        """The space to look in. Raises BadParameter for one that is out of reach."""
        if space is None:
            return self.within
        if not self._reaches(check_space(space)):
            raise BadParameter(f"space {space!r} is out of reach", hint=f"this token reaches {self.within} and below")
        return space

    def _visible(self, ids: Sequence[int]) -> list[int]:
        if self.within is None or not ids:
            return list(ids)
        spaces = {row.id: row.space for row in self._store.rows(list(ids))}
        return [i for i in ids if i in spaces and self._reaches(spaces[i])]

    def _demand(self, ids: Sequence[int]) -> None:
        """Raises UnknownMemory for one that is out of reach, as if it were not there."""
        missing = set(ids) - set(self._visible(ids))
        if missing:
            raise UnknownMemory(f"there is no memory #{min(missing)}", hint="ids come from a search, e.g. #482")
