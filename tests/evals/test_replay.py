from __future__ import annotations

import numpy as np
import pytest

from lodmem.evals.marks import Mark, Used, entries, retrievals
from lodmem.evals.replay import Replay, Statistics
from lodmem.model.memory import to_us
from lodmem.scan.columns import NEVER
from tests.conftest import FakeClock, MakeEngine

DAY = 86_400_000_000


def test_statistics_of_a_moment() -> None:
    seen = Statistics([Used(10, (1, 2)), Used(20, (2,)), Used(30, (1,))])
    ids = np.array([1, 2, 3])
    for at_us, last, count in (
        (10, [NEVER, NEVER, NEVER], [0, 0, 0]),
        (11, [10, 10, NEVER], [1, 1, 0]),
        (30, [10, 20, NEVER], [1, 2, 0]),
        (99, [30, 20, NEVER], [2, 2, 0]),
    ):
        seen.until(at_us)
        found = seen.of(ids)
        assert (found[0].tolist(), found[1].tolist()) == (last, count)


def test_a_look_sees_what_a_search_of_that_moment_saw(make_engine: MakeEngine, clock: FakeClock) -> None:
    engine = make_engine()
    ids = [
        engine.remember(f"The kettle of house {number} whistles.", created_at=clock.ago(days)).id
        for number, days in enumerate((40, 5))
    ]
    engine.drain()
    marks, ranked = [], []
    for days in (3, 30):
        clock.advance(days=days)
        marks.append(Mark("which kettle whistles?", (ids[0],), clock.now_us()))
        engine.search("which kettle whistles?", touch=True)
        # Ranked before the search counted: at alpha .5 a retrieval would show.
        ranked.append(engine.rank("which kettle whistles?", alpha=0.5, as_of=None))
        clock.advance(seconds=1)
        engine.expand(ids[0])
    late = engine.remember("A kettle that came later whistles too.").id
    engine.drain()
    replay = Replay(engine, [*reversed(marks), Mark("kettle", (late,))], retrievals(list(entries(engine))), engine.profile)
    first, second, now = replay
    assert [mark.at_us for mark in replay.marks] == [marks[0].at_us, marks[1].at_us, None]
    assert first.ids.tolist() == second.ids.tolist() == ids
    assert first.retrievals.tolist() == [0, 0]
    assert first.days.tolist() == pytest.approx([43.0, 8.0])
    # The first search and the expansion after it count for the second question.
    assert second.retrievals.tolist() == [2, 1]
    assert second.days.tolist() == pytest.approx([30.0, 30.0], abs=0.001)
    assert now.ids.tolist() == [*ids, late]
    assert now.retrievals.tolist() == [4, 2, 0]
    assert now.marked.tolist() == [2]
    assert len(list(replay)) == 3


def test_relevance_is_the_searchs_own(make_engine: MakeEngine) -> None:
    engine = make_engine()
    ids = [engine.remember(text).id for text in ("A kettle whistles.", "A boat leaks.", "Ropes and a kettle.")]
    engine.drain()
    for relevance in ("fused", "cosine"):
        (seen,) = Replay(engine, [Mark("the kettle", (ids[0],))], [], engine.profile.override(relevance=relevance))
        ranked = {i: s for i, _, s in engine.rank("the kettle", alpha=1.0, relevance=relevance, theta3=0.0)}
        assert seen.relevance.tolist() == pytest.approx([ranked[i] for i in ids], abs=1e-5)


def test_marks_that_cannot_be_answered_any_more_are_left_out(make_engine: MakeEngine, clock: FakeClock) -> None:
    engine = make_engine(embedder="none")
    gone, kept, old, new = (engine.remember(f"Kettle {n}", created_at=clock.ago(1)).id for n in range(4))
    engine.forget(gone)
    engine.supersede(old, new)
    before = to_us(clock.ago(2))
    marks = [Mark("a", (gone,)), Mark("b", (gone, kept, old)), Mark("c", (kept,), before)]
    assert Replay(engine, marks, [], engine.profile).marks == (Mark("b", (kept,)),)
