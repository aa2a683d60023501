"""What is known, what a person decides, and what a forgotten episode takes along."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lodmem
from lodmem.engine import Engine
from lodmem.errors import BadParameter, StoreReadOnly, UnknownMemory
from lodmem.ingest.pipeline import prepare
from lodmem.model.distilled import ACCEPTED, URI, NewPattern, Outcome, Step
from lodmem.model.memory import Draft, Kind, Source, Status
from tests.care.kit import COUNTER, NOW, audit
from tests.conftest import FakeClock, MakeEngine

DAY_US = 86_400_000_000


def episode(engine: Engine, text: str, n: int = 0) -> int:
    return engine.remember(text, source=Source("chat", "s", n)).id


def known(engine: Engine, *patterns: tuple[str, float], ago: float = 0.0, status: Status = ACCEPTED) -> list[int]:
    """Patterns with these importances, distilled so many days ago."""
    source = episode(engine, "an episode", len(engine._store.ids(limit=9999)))
    new = tuple(
        NewPattern(
            prepared=prepare(
                Draft(full=text, kind=Kind.SEMANTIC, importance=importance, source=Source(URI, text)), COUNTER, now_us=NOW
            ),
            episodes=(source,),
            status=status,
        )
        for text, importance in patterns
    )
    step = Step(outcomes={source: Outcome.DISTILLED}, new=new, again=(), counts={}, audit=audit("distill"))
    stored = engine._store.put_distilled(0, step, now_us=engine.now_us - round(ago * DAY_US), tasks=())
    return [each.id for each in stored.added]


# -- knowledge --------------------------------------------------------------------------------------------------------------


@pytest.mark.req("R5.17")
def test_knowledge_is_importance_faded_by_five_percent_a_day(engine: Engine, clock: FakeClock) -> None:
    old = known(engine, ("an old and important pattern", 0.9), ago=10)
    new = known(engine, ("a new and middling pattern", 0.6), ago=1)
    assert [(each.pattern.id, each.worth) for each in engine.knowledge()] == [
        (new[0], pytest.approx(0.6 * 0.95, abs=1e-6)),
        (old[0], pytest.approx(0.9 * 0.95**10, abs=1e-6)),
    ]
    clock.advance(days=100)
    assert [each.pattern.id for each in engine.knowledge()] == [*new, *old]
    assert engine.expand(old[0], touch=False)[0].importance == 0.9, "what is stored does not fade"


@pytest.mark.req("R5.17")
def test_the_top_fifty_ties_by_id(engine: Engine) -> None:
    ids = known(engine, *((f"pattern number {n} of many", 0.5) for n in range(60)))
    best = known(engine, ("the best pattern of them all", 0.51))
    assert [each.pattern.id for each in engine.knowledge()] == [*best, *ids[:49]]
    assert [each.pattern.id for each in engine.knowledge(2)] == [*best, ids[0]]
    assert len(engine.knowledge(100)) == 61


def test_what_waits_was_rejected_or_hidden_is_not_known(engine: Engine) -> None:
    known(engine, ("it waits for a person", 0.9), status=Status.QUARANTINED)
    known(engine, ("a person said no to it", 0.9), status=Status.ARCHIVED)
    old, new = known(engine, ("the old one of the two", 0.9), ("the new one of the two", 0.9))
    engine.supersede(old, new)
    engine.remember("A fact that nobody distilled.", kind="semantic", importance=1.0)
    assert [each.pattern.id for each in engine.knowledge()] == [new]


def test_what_only_superseded_episodes_say_is_not_known_any_more(engine: Engine) -> None:
    old = episode(engine, "The rent of the shop in Lindau is 1,850 a month.", 1)
    engine.distill()
    assert len(engine.knowledge()) == 1
    new = episode(engine, "The rent of the shop in Lindau is 1,950 a month.", 2)
    engine.supersede(old, new)
    assert engine.knowledge() == []
    engine.distill()
    assert [each.pattern.text for each in engine.knowledge()] == ["The rent of the shop in Lindau is 1,950 a month."]


def test_looking_at_knowledge_changes_nothing(engine: Engine) -> None:
    (pattern,) = known(engine, ("a pattern of some worth", 0.5))
    last = engine._store.last_change()
    engine.knowledge()
    assert engine._store.last_change() == last
    assert engine.expand(pattern, touch=False)[0].retrieval_count == 0


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_limit_that_is_none(engine: Engine, limit: int) -> None:
    with pytest.raises(BadParameter, match="limit"):
        engine.knowledge(limit)


@pytest.mark.req("R5.17")
@given(given_=st.lists(st.tuples(st.integers(0, 100), st.integers(0, 200)), max_size=20))
def test_the_order_is_the_formulas(given_: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("known") / "m.db"
    with lodmem.open(path, embedder="none", clock=FakeClock(), background=False) as engine:
        worths = {}
        for n, (hundredths, days) in enumerate(given_):
            (number,) = known(engine, (f"pattern {n} of the list", hundredths / 100), ago=days)
            worths[number] = round(hundredths / 100 * 0.95**days, 6)
        found = engine.knowledge(15)
        assert [each.pattern.id for each in found] == sorted(worths, key=lambda i: (-worths[i], i))[:15]


# -- a person's word ----------------------------------------------------------------------------------------------------------


def test_a_person_decides_and_may_think_again(engine: Engine) -> None:
    (pattern,) = known(engine, ("it waits for a person", 0.9), status=Status.QUARANTINED)
    text = engine.expand(pattern, touch=False)[0].full
    assert [each.id for each in engine.patterns_waiting()] == [pattern]
    engine.decide_pattern(pattern, accept=True)
    assert (engine.patterns_waiting(), [each.pattern.id for each in engine.knowledge()]) == ([], [pattern])
    engine.decide_pattern(pattern, accept=False)
    assert engine.knowledge() == []
    memory = engine.expand(pattern, touch=False)[0]
    assert (memory.status, memory.full) == (Status.ARCHIVED, text), "kept, and out of search"
    engine.decide_pattern(pattern, accept=True)
    said = [entry.detail for entry in engine.audit_log() if entry.verb == "distill_review"]
    assert said == [{"ids": [pattern], "accept": accept} for accept in (True, False, True)]


def test_only_patterns_are_decided(engine: Engine, make_engine: MakeEngine) -> None:
    memory = episode(engine, "no pattern at all")
    with pytest.raises(BadParameter, match="no distilled pattern"):
        engine.decide_pattern(memory, accept=True)
    with pytest.raises(UnknownMemory):
        engine.decide_pattern(99, accept=True)
    old, new = known(engine, ("the old one of the two", 0.9), ("the new one of the two", 0.9))
    engine.supersede(old, new)
    with pytest.raises(BadParameter, match="superseded"):
        engine.decide_pattern(old, accept=True)
    with pytest.raises(StoreReadOnly):
        make_engine(read_only=True).decide_pattern(new, accept=False)


# -- forgetting -------------------------------------------------------------------------------------------------------------


TILL = "The till of the shop closes at 18:30 on Saturdays."


@pytest.mark.req("R5.16")
def test_a_pattern_goes_with_the_only_episode_that_it_came_from(engine: Engine, tmp_path: Path) -> None:
    first = episode(engine, TILL)
    (made,) = engine.distill().made
    assert [each.id for each in engine.lost_with(first)] == [made.id]
    assert engine.forget(first) == 2
    assert engine.stats().memories == 0
    with pytest.raises(UnknownMemory, match="forgotten"):
        engine.expand(made.id)
    assert engine.knowledge() == []
    engine.close()
    assert not any(b"18:30 on Saturdays" in file.read_bytes() for file in tmp_path.iterdir() if file.is_file())


def test_a_pattern_that_another_episode_says_stays(engine: Engine) -> None:
    first, second = episode(engine, TILL, 1), episode(engine, f"Well, {TILL.lower().replace('saturdays', 'Saturdays')}", 2)
    (made,) = engine.distill().made
    assert made.episodes == (first, second)
    assert engine.lost_with(first) == []
    assert engine.forget(first) == 1
    (pattern,) = engine._store.patterns()
    assert (pattern.episodes, pattern.text) == ((second,), TILL)
    assert engine.forget(second) == 2


def test_a_pattern_goes_when_a_name_in_it_is_left_without_an_episode(engine: Engine) -> None:
    first, second = episode(engine, "Tilda closes the till.", 1), episode(engine, "The till closes at 18:30 on Saturdays.", 2)
    draft = Draft(full="Tilda closes the till at 18:30 on Saturdays.", kind=Kind.SEMANTIC, source=Source(URI, "x"))
    new = NewPattern(prepared=prepare(draft, COUNTER, now_us=NOW), episodes=(first, second))
    step = Step(outcomes={first: Outcome.DISTILLED}, new=(new,), again=(), counts={}, audit=audit("distill"))
    (added,) = engine._store.put_distilled(0, step, now_us=NOW, tasks=()).added
    assert [each.id for each in engine.lost_with(first)] == [added.id]
    assert [each.id for each in engine.lost_with(second)] == [added.id]


def test_forgetting_a_pattern_leaves_its_episodes(engine: Engine) -> None:
    first = episode(engine, TILL)
    (made,) = engine.distill().made
    assert engine.forget(made.id) == 1
    assert [memory.full for memory in engine.expand(first, touch=False)] == [TILL]
    assert engine.distill().counts["added"] == 0, "its episode is done"


# -- out and in -------------------------------------------------------------------------------------------------------------


@pytest.mark.req("R16.13")
def test_provenance_follows_the_ids_of_another_store(make_engine: MakeEngine, tmp_path: Path) -> None:
    one, two = make_engine(tmp_path / "one.db"), make_engine(tmp_path / "two.db")
    first = episode(one, TILL)
    (made,) = one.distill().made
    for n in range(3):
        episode(two, f"something else {n}", n)
    out = io.BytesIO()
    one.export(out)
    report = two.load(io.BytesIO(out.getvalue()))
    assert (report.failed, report.added) == (0, 2)
    (pattern,) = two._store.patterns()
    episodes = two.expand(*pattern.episodes, touch=False)
    assert (pattern.text, [memory.full for memory in episodes]) == (TILL, [TILL])
    assert pattern.episodes != (first,)
    assert pattern.id != made.id
    assert two.distill().counts["skipped"] == 0, "what was distilled there is not distilled again"
    again = two.load(io.BytesIO(out.getvalue()))
    assert (again.added, two._store.patterns()) == (0, [pattern])


def test_lines_of_an_export_that_make_no_sense_are_told(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> None:
    episode(engine, TILL)
    engine.distill()
    out = io.BytesIO()
    engine.export(out)
    good = out.getvalue()
    for old, new in (
        (b'"episodes":[1]', b'"episodes":["x"]'),
        (b'"episodes":[1]', b'"episodes":[77]'),
        (b'"outcome":"distilled"', b'"outcome":"lost"'),
        (b'"distilled_at":"2', b'"distilled_at":"x'),
    ):
        assert old in good
        with lodmem.open(tmp_path_factory.mktemp("other") / "m.db", embedder="none") as other:
            assert other.load(io.BytesIO(good.replace(old, new))).failed >= 1
            assert other.check() == []
