"""Promotion in long use: a year of a store is lived through with its own search, and then it is looked at what became of use.

All conversations stand in one store. Every question is a search with a budget, as an agent makes it, and after it the evidence
that was shown below full is expanded: the reader knows what it looks for. In the middle of the year half of the evidence of the
most asked questions is superseded by newer memories; later now and then somebody asks for superseded memories too. `year` says
what happens when. It refuses to know any data set's format.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import lodmem
from lodmem._version import __version__
from lodmem.engine import Engine
from lodmem.errors import StorePathError
from lodmem.evals.cache import CachingEmbedder, default_cache_dir
from lodmem.evals.datasets import Dataset
from lodmem.evals.marks import Mark
from lodmem.evals.meter import Meter
from lodmem.evals.metrics.recall import recall_at
from lodmem.evals.promotion_report import CEILING, Fate, Found, PromotionReport, Week
from lodmem.evals.replay import Replay
from lodmem.evals.runner import Plan
from lodmem.evals.stores import QuestionClock
from lodmem.evals.year import DAYS, QUARTERS, WEEKS, Arrival, Ask, arrivals, asks, day_us, most_asked, questions_of, week_of
from lodmem.model.memory import Draft, Status, Tier
from lodmem.ports import Embedder
from lodmem.retrieval.record import retrieved_by

QUERIES = 2000
BUDGET = 6000
SUPERSEDED = 40
EXPANSIONS = 3
AUDIT_EVERY = 20
STORE = "promotion.db"
TOP = 10

Event = tuple[int, int, Arrival | Ask | bool]


def evaluate_promotion(
    dataset: Dataset, plan: Plan, *, queries: int = QUERIES, budget: int = BUDGET, promote_at: float | None = None
) -> PromotionReport:
    """What a year of so many questions makes of the memories of a data set. `promote_at` None: as the default profile says.

    The plan's `work_dir` keeps the store as it is at the end of the year; half and limit play no part.

    Raises: BadParameter, StorePathError, ModelError.
    """
    started = time.perf_counter()
    with ExitStack() as stack:
        embedder = plan.embedder
        if embedder is not None:
            embedder = stack.enter_context(CachingEmbedder(embedder, plan.cache_dir or default_cache_dir()))
        clock = QuestionClock(day_us(-DAYS))
        engine = stack.enter_context(_store(plan.work_dir, embedder, clock))
        if promote_at is not None:
            engine.save_profile(replace(engine.profile, promote_at=promote_at))
        lived = _Year(dataset, engine, clock, budget, asks(dataset, queries, seed=plan.seed))
        lived.live(Meter(plan.progress, queries + sum(len(case.drafts) for case in dataset.cases)))
        return PromotionReport(
            dataset=f"{dataset.name}: promotion",
            profile=engine.profile,
            queries=queries,
            budget=budget,
            promoted=lived.promoted,
            expanded=lived.expanded,
            superseded_looks=lived.superseded_looks,
            weeks=lived.weeks(),
            fates=lived.fates(),
            found=lived.found(),
            embedder=plan.model,
            version=__version__,
            seconds=time.perf_counter() - started,
            seed=plan.seed,
        )


@contextmanager
def _store(work: Path | None, embedder: Embedder | None, clock: QuestionClock) -> Iterator[Engine]:
    """An empty store, in the work directory or in a folder that goes away."""
    with ExitStack() as stack:
        if work is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lodmem-eval-", ignore_cleanup_errors=True)))
        else:
            folder = work
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for left in folder.glob(f"{STORE}*"):
                left.unlink()
        except OSError as error:
            raise StorePathError(
                f"no store can be kept in {work}: {error.strerror}", hint="name another with --work"
            ) from error
        model = "none" if embedder is None else embedder
        yield stack.enter_context(lodmem.open(folder / STORE, embedder=model, clock=clock, background=False))


class _Year:
    """One store through a year. `asked[id]` counts the questions of each quarter whose evidence the memory is."""

    def __init__(self, dataset: Dataset, engine: Engine, clock: QuestionClock, budget: int, plan: Sequence[Ask]) -> None:
        self._dataset, self._engine, self._clock, self._budget, self._plan = dataset, engine, clock, budget, plan
        self._questions = questions_of(dataset)
        self._ids: dict[tuple[int, str], int] = {}
        self._asked: dict[int, list[int]] = {}
        self._last_asked: dict[int, int] = {}
        self._replaced: dict[int, int] = {}
        self._weeks: list[_State] = []
        self.promoted = self.expanded = self.superseded_looks = 0

    def live(self, meter: Meter) -> None:
        """Everything that happens, in order of time."""
        searches = 0
        for at_us, _, what in sorted(self._events(), key=lambda event: event[:2]):
            self._clock.at_us = at_us
            if isinstance(what, Arrival):
                self._remember(what)
                meter.finish("remembering", len(what.drafts))
            elif isinstance(what, Ask):
                searches += 1
                self._ask(what, audit=searches % AUDIT_EVERY == 0)
                meter.finish("asking", 1)
            elif what:
                self._weeks.append(self._state())
            else:
                self._supersede()

    def _events(self) -> Iterator[Event]:
        """(time, order within it, what): an arrival, a question, True: a week is over, False: supersession."""
        yield from ((arrival.at_us, 0, arrival) for arrival in arrivals(self._dataset))
        yield day_us(DAYS / 2), 1, False
        yield from ((ask.at_us, 2, ask) for ask in self._plan)
        yield from ((day_us(7.0 * week), 3, True) for week in range(1, WEEKS + 1))

    def _remember(self, arrival: Arrival) -> None:
        case = self._dataset.cases[arrival.case]
        drafts = [replace(case.drafts[index], created_us=arrival.at_us) for index in arrival.drafts]
        for index, added in zip(arrival.drafts, self._engine.remember_many(drafts), strict=True):
            self._ids[arrival.case, case.labels[index]] = added.id
            self._asked.setdefault(added.id, [0] * QUARTERS)
        self._engine.drain()

    def _gold(self, question: int) -> list[int]:
        """Ids of a question's evidence."""
        place, asked = self._questions[question]
        return list(dict.fromkeys(self._ids[place, label] for label in asked.gold))

    def _ask(self, ask: Ask, *, audit: bool) -> None:
        gold = self._gold(ask.question)
        for memory_id in gold:
            self._asked[memory_id][ask.quarter] += 1
            self._last_asked[memory_id] = ask.at_us
        status = (Status.ACTIVE, Status.SUPERSEDED) if audit else ()
        text = self._questions[ask.question][1].text
        seen = self._engine.search(text, budget=self._budget, facing=False, status=status)
        self.promoted += len(retrieved_by(seen))
        self.superseded_looks += sum(view.status is Status.SUPERSEDED for view in seen.views)
        below = [view.id for view in seen.views if view.id in gold and view.tier < Tier.FULL and view.id not in self._replaced]
        if below:
            self._engine.expand(*below[:EXPANSIONS])
            self.expanded += len(below[:EXPANSIONS])

    def _supersede(self) -> None:
        """Newer memories take the place of every second one of those that were asked for most."""
        asked = most_asked(self._plan, self._clock.at_us)
        old = list(dict.fromkeys(memory_id for question in asked for memory_id in self._gold(question)))[: 2 * SUPERSEDED : 2]
        state = self._state()
        counts = dict(zip(state.ids.tolist(), state.count.tolist(), strict=True))
        memories = self._engine.expand(*old, touch=False)
        drafts = [Draft(full=f"{memory.full} (corrected)", created_us=self._clock.at_us) for memory in memories]
        for memory, added in zip(memories, self._engine.remember_many(drafts), strict=True):
            self._engine.supersede(memory.id, added.id)
            self._replaced[memory.id] = counts[memory.id]
        self._engine.drain()

    def _state(self) -> _State:
        looker, _ = self._engine.looker()
        with looker.scan.lock:
            scan = looker.scan
            rows = np.flatnonzero(scan.columns.alive)
            decay = scan.decay(self._clock.at_us, self._engine.profile.lambda_, rows)
            return _State(scan.columns.id[rows], decay, scan.columns.count[rows])

    def weeks(self) -> list[Week]:
        """Shares of all memories at the end of each week."""
        profile = self._engine.profile
        return [
            Week(
                memories=len(state.ids),
                ceiling=float((state.decay > CEILING).mean()),
                full=float((state.decay >= profile.theta1).mean()),
                summary=float((state.decay >= profile.theta2).mean()),
                retrieved=float((state.count > 0).mean()),
            )
            for state in self._weeks
        ]

    def fates(self) -> list[Fate]:
        """What became of each memory of the data set, by id."""
        theta2 = self._engine.profile.theta2
        last_above: dict[int, int] = {}
        counts: list[dict[int, int]] = []
        asked_in = {memory_id: week_of(at_us) for memory_id, at_us in self._last_asked.items()}
        for week, state in enumerate(self._weeks, start=1):
            last_above.update(dict.fromkeys(state.ids[state.decay >= theta2].tolist(), week))
            if week * QUARTERS % WEEKS == 0:
                counts.append(dict(zip(state.ids.tolist(), state.count.tolist(), strict=True)))
        final = dict(zip(self._weeks[-1].ids.tolist(), self._weeks[-1].decay.tolist(), strict=True))
        return [
            Fate(
                asked=tuple(asked),
                retrievals=tuple(count.get(memory_id, 0) for count in counts),
                decay=final[memory_id],
                last_above=last_above.get(memory_id, 0),
                last_asked=asked_in.get(memory_id, 0),
                superseded_at=self._replaced.get(memory_id),
            )
            for memory_id, asked in sorted(self._asked.items())
        ]

    def found(self) -> list[Found]:
        """Recall of each question's evidence at the end of the year, by relevance alone, without and with what use left."""
        profile, end_us = self._engine.profile, self._clock.at_us
        asked = {ask.question: ask.quarter for ask in self._plan}
        lately = Counter(ask.question for ask in self._plan if ask.quarter == QUARTERS - 1)
        kept = [(place, [i for i in self._gold(place) if i not in self._replaced]) for place in range(len(self._questions))]
        marks = [(place, Mark(self._questions[place][1].text, tuple(sorted(gold)))) for place, gold in kept if gold]
        used = Replay(self._engine, [mark for _, mark in marks], [], profile)
        fresh = Replay(self._engine, [replace(mark, at_us=end_us) for _, mark in marks], [], profile)
        return [
            Found(
                last_asked=asked.get(place),
                lately=lately[place],
                relevance=recall_at(now.ranks(now.lod(1.0, profile.lambda_)), TOP),
                unused=recall_at(before.ranks(before.lod(profile.alpha, profile.lambda_)), TOP),
                used=recall_at(now.ranks(now.lod(profile.alpha, profile.lambda_)), TOP),
            )
            for (place, _), now, before in zip(marks, used, fresh, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _State:
    """Ids of all memories, their D and their retrievals at one moment."""

    ids: NDArray[np.int64]
    decay: NDArray[np.float64]
    count: NDArray[np.int64]
