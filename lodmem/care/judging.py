"""The engine's verbs about the gate: what it decided, what it would say of two texts; and who judges new memories."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lodmem.care.base import Verbs
from lodmem.ingest.gate import SKIP_FROM, UPDATE_FROM, judge_pattern, ratio
from lodmem.ingest.judging import TASK, Judge, JudgeTask, NearCopies
from lodmem.ingest.work.runner import Runner
from lodmem.ingest.work.task import Task
from lodmem.model.gate import GateCount, GateDecision, NearCopy, Verdict, What
from lodmem.text.differs import Difference, differences


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A threshold, and how many pairs reached it: `fired` those that it decided on, `blocked` those that differ in something
    exact."""

    what: What
    name: str
    at: float
    fired: int
    blocked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """What the gate decided. `highest` similarity by what was judged. `waiting`: memories that are still to be judged."""

    counts: Sequence[GateCount]
    thresholds: Sequence[Threshold]
    highest: Mapping[What, float]
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What the gate says of two texts: their ratio, in what exact things they differ, the verdict on `one` were it a pattern
    beside the other, and whether it would be a near copy were it an experience."""

    similarity: float
    differs: tuple[Difference, ...]
    verdict: Verdict
    near_copy: bool


class Judging(Verbs):
    """What of an engine has to do with judging new memories."""

    _name: str
    _chance: Callable[[], float]
    _tasks: tuple[Task, ...]

    def _judges(self) -> list[Judge]:
        """Who judges new memories, in order."""
        return [NearCopies(self._store)]

    def _with_judging(self, tasks: Sequence[Task]) -> tuple[Task, ...]:
        """Other tasks, and judging after the embedding."""
        judging = JudgeTask(self._store, self._clock, self._nearest, self._judges())
        urgent = sum(not task.idle for task in tasks)
        return (*tasks[:urgent], judging, *tasks[urgent:])

    @abstractmethod
    def _nearest(self, ids: Sequence[int]) -> Mapping[int, Sequence[int]]:
        """See ingest.judging.Nearest; what has the columns of search gives it."""

    def _judge_now(self) -> None:
        """Judge what waits."""
        tasks = [task for task in self._tasks if task.name == TASK]
        Runner(self._store, self._clock, tasks, name=self._name, chance=self._chance).run()

    def gate_report(self) -> GateReport:
        """What the gate decided, by similarity; and which thresholds never fired."""
        counts = self._store.gate_counts()
        highest: dict[What, float] = {}
        for each in counts:
            highest[each.what] = max(highest.get(each.what, 0.0), each.highest)
        return GateReport(counts=counts, thresholds=_thresholds(counts), highest=highest, waiting=self._store.backlog(TASK))

    def gate_decisions(self, *ids: int, after: int = 0, limit: int = 1000) -> list[GateDecision]:
        """Decisions on these memories or by them, all without ids; the oldest first."""
        return self._store.decisions(memory_ids=ids or None, after=after, limit=limit)

    def near_copies(self, *ids: int) -> list[NearCopy]:
        """The near copies that these memories are or have, by rising id."""
        return self._store.near_copies(ids)

    def gate_compare(self, one: str, other: str) -> Compared:
        """What the gate would say of `one` if `other` were there. Stores nothing."""
        verdict = judge_pattern(one, [(0, other)])
        differs = differences(one, other)
        exactly = verdict.similarity if verdict.verdict is not Verdict.ADD else ratio(one, other)
        return Compared(
            similarity=exactly,
            differs=differs,
            verdict=verdict.verdict,
            near_copy=exactly >= SKIP_FROM and not differs,
        )


def _thresholds(counts: Sequence[GateCount]) -> list[Threshold]:
    """Each kind's thresholds, the highest first."""
    rules = (
        (What.EXPERIENCE, "near copy", SKIP_FROM),
        (What.PATTERN, "skip", SKIP_FROM),
        (What.PATTERN, "update", UPDATE_FROM),
    )
    out = []
    for what, name, at in rules:
        reached = [each for each in counts if each.what is what and each.percent >= round(at * 100)]
        blocked = sum(each.count for each in reached if each.blocked)
        fired = sum(each.count for each in reached if not each.blocked)
        if what is What.PATTERN:
            fired = sum(each.count for each in counts if each.what is what and each.verdict.value == name)
        out.append(Threshold(what=what, name=name, at=at, fired=fired, blocked=blocked))
    return out
