"""What a new memory is compared with, and who compares: the work behind the task "judge".

Each new memory is judged once, after it was embedded, beside the memories of its space that are nearest to it. Near copies
(`NearCopies`) are one judge; others plug in beside it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from lodmem.errors import UnknownMemory
from lodmem.ingest.gate import is_copy, judge_experience
from lodmem.ingest.work.task import Stopped
from lodmem.model.distilled import is_pattern
from lodmem.model.gate import GateDecision, GateVerdict, NearCopy, What
from lodmem.model.memory import Memory
from lodmem.ports import Clock, Store, WorkItem

TASK = "judge"
BATCH = 64
NEAREST = 8
TRIES = 3
# So many memories are looked up at a time, and between two such pieces it stands aside: who searches meanwhile needs the same
# columns, and must not wait for a whole batch.
PIECE = 4
ASIDE_S = 0.001

# Older memories of its space for each of some memories, the nearest first; those that are gone are left out.
Nearest: TypeAlias = Callable[[Sequence[int]], Mapping[int, Sequence[int]]]


@dataclass(frozen=True, slots=True)
class Case:
    """A new memory and older memories of its space, the nearest first."""

    new: Memory
    near: tuple[Memory, ...]


class Judge(Protocol):
    """Says something about new memories, and writes what it found to its store.

    A batch is one call, by rising id. A worker that was killed is followed by one that judges the same memories again: what was
    written before must not be written twice. A judge may raise LodmemError; the batch then comes again, one by one.
    """

    def judge(self, cases: Sequence[Case], *, now_us: int) -> None: ...


class NearCopies:
    """The gate for experiences: all are kept; a near copy is linked to the older one and adds to its evidence."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def judge(self, cases: Sequence[Case], *, now_us: int) -> None:
        """See Judge. Copies of one thing gather at its oldest memory, as long as they are like that one."""
        texts = {memory.id: memory.full for case in cases for memory in (case.new, *case.near)}
        of = {copy.memory: copy.of for copy in self._store.near_copies(sorted(texts)) if copy.memory in texts}
        texts |= {memory.id: memory.full for memory in existing(self._store, sorted(set(of.values()) - texts.keys()))}
        decisions, copies = [], []
        for case in cases:
            near = [memory.id for memory in case.near]
            verdict = _verdict(case.new, near, of, texts)
            decisions.append(
                GateDecision(
                    at_us=now_us,
                    memory=case.new.id,
                    other=verdict.other,
                    what=What.EXPERIENCE,
                    verdict=verdict.verdict,
                    similarity=verdict.similarity,
                    blocked=verdict.blocked,
                )
            )
            if verdict.other is not None and is_copy(verdict):
                copies.append(NearCopy(memory=case.new.id, of=verdict.other, similarity=verdict.similarity))
                of.setdefault(case.new.id, verdict.other)
        self._store.put_decisions(decisions, copies)


def _verdict(new: Memory, near: Sequence[int], of: Mapping[int, int], texts: Mapping[int, str]) -> GateVerdict:
    originals = sorted({original for i in near if (original := of.get(i, i)) in texts and original < new.id})
    verdict = judge_experience(new.full, [(i, texts[i]) for i in originals])
    if is_copy(verdict) or set(near) <= set(originals):
        return verdict
    return judge_experience(new.full, [(i, texts[i]) for i in sorted({*near, *originals})])


class JudgeTask:
    """Has new memories judged; a task of the background work."""

    name, batch, idle = TASK, BATCH, False

    def __init__(self, store: Store, clock: Clock, nearest: Nearest, judges: Sequence[Judge]) -> None:
        self._store, self._clock, self._nearest = store, clock, nearest
        self.judges = tuple(judges)
        self.turn = threading.Lock()

    def work(self, items: Sequence[WorkItem], stop: Callable[[], bool]) -> None:
        """See Task. Judged twice is judged once."""
        now = self._clock.now_us()
        cases = self._cases([item.memory_id for item in items if item.memory_id is not None])
        for judge in self.judges:
            if stop():
                raise Stopped
            if cases:
                judge.judge(cases, now_us=now)
        self._store.complete([item.id for item in items])

    def _found(self, ids: Sequence[int]) -> dict[int, Sequence[int]]:
        found: dict[int, Sequence[int]] = {}
        for start in range(0, len(ids), PIECE):
            if start:
                time.sleep(ASIDE_S)
            found |= self._nearest(ids[start : start + PIECE])
        return found

    def _cases(self, ids: Sequence[int]) -> list[Case]:
        found = self._found(ids)
        wanted = {i for memory_id, near in found.items() for i in (memory_id, *near)}
        # A distilled pattern says again what its episodes say; that is no evidence for them.
        there = {memory.id: memory for memory in existing(self._store, sorted(wanted)) if not is_pattern(memory)}
        return [
            Case(there[memory_id], tuple(there[i] for i in found[memory_id] if i in there))
            for memory_id in sorted(found)
            if memory_id in there
        ]


def existing(store: Store, ids: Sequence[int]) -> list[Memory]:
    """Those of some memories that are there; others may be forgotten just now."""
    for _ in range(TRIES):
        try:
            return store.get(ids)
        except UnknownMemory:
            ids = [usage.id for usage in store.usage(ids)]
    return []
