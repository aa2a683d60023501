"""SPEC 4: looking with no query. Everything that fits the filters, in the mode's order; long answers page and lose nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lodmem.engine import Engine
from lodmem.errors import BadDate, BadParameter
from lodmem.model.landscape import Landscape
from lodmem.model.memory import Tier
from tests.conftest import FakeClock, MakeEngine, settled, view_of

LONG = " ".join(
    f"Part {n}: the {what} of the bridge was checked by the inspectors and they wrote a long note about it."
    for n, what in enumerate(("deck", "cable", "pylon", "railing", "lamp", "drain", "joint", "paint", "bolt", "sign"))
)
MODES = ("window", "random", "unseen", "recent", "important")


@pytest.fixture
def engine(make_engine: MakeEngine) -> Engine:
    return make_engine(embedder="none")


def used(engine: Engine, clock: FakeClock, memory_id: int, times: int) -> None:
    for _ in range(times):
        engine._store.record_use(now_us=clock.now_us(), retrieved=[memory_id], shown={})


def look(engine: Engine, mode: str, **asking: Any) -> Landscape:
    if mode == "random":
        asking = {"limit": 1000, "seed": 7} | asking
    found: Landscape = getattr(engine, mode)(touch=False, **asking)
    return found


# -- window -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("R4.1")
@pytest.mark.parametrize(
    ("times", "tier"), [(0, Tier.HEADLINE), (1, Tier.SUMMARY), (3, Tier.SUMMARY), (4, Tier.FULL), (50, Tier.FULL)]
)
@pytest.mark.parametrize("mode", ["window", "recent", "important"])
def test_the_tier_goes_by_frequency_alone(engine: Engine, clock: FakeClock, mode: str, times: int, tier: Tier) -> None:
    old = engine.remember(LONG, created_at=clock.ago(5), importance=0.0).id
    used(engine, clock, old, times)
    clock.advance(days=2000)
    view = view_of(look(engine, mode), old)
    assert view.tier is tier
    assert view.retrieval_count == times
    memory = settled(engine, old)
    assert view.text == {Tier.HEADLINE: memory.headline, Tier.SUMMARY: memory.summary, Tier.FULL: memory.full}[tier]


@pytest.mark.req("R4.1")
def test_a_window_holds_everything_between_its_ends(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember(f"note {n}", created_at=datetime(2025, 5, n, 9, tzinfo=UTC)).id for n in range(1, 11)]
    assert set(engine.window(touch=False).ids) == set(ids)
    at = datetime(2025, 5, 3, 9, tzinfo=UTC)
    until = datetime(2025, 5, 6, 9, tzinfo=UTC)
    assert set(engine.window(since=at, until=until, touch=False).ids) == set(ids[2:5])  # the start is in, the end is not
    assert set(engine.window("3 May - 5 May", touch=False).ids) == set(ids[2:5])
    assert set(engine.window("since 8 May 2025", touch=False).ids) == set(ids[7:])
    assert set(engine.window("before 3 May 2025", touch=False).ids) == set(ids[:2])
    assert set(engine.window(since="9 May 2025", until="9 May 2025", touch=False).ids) == {ids[8]}


@pytest.mark.req("R4.6")
def test_a_week_begins_on_monday_in_the_callers_zone(make_engine: MakeEngine, clock: FakeClock) -> None:
    # Now is Monday 2 June 2025, 12:00 UTC. Sunday 23:30 in Auckland is Sunday 11:30 UTC.
    engine = make_engine(embedder="none", zone="Pacific/Auckland")
    sunday_evening = engine.remember("a", created_at=datetime(2025, 6, 1, 11, 30, tzinfo=UTC)).id
    monday_morning = engine.remember("b", created_at=datetime(2025, 6, 1, 12, 30, tzinfo=UTC)).id
    week_before = engine.remember("c", created_at=datetime(2025, 5, 25, 11, 30, tzinfo=UTC)).id
    assert engine.window("last week", touch=False).ids == (sunday_evening,)
    assert engine.window("this week", touch=False).ids == (monday_morning,)
    utc = make_engine(embedder="none")
    assert set(utc.window("last week", touch=False).ids) == {sunday_evening, monday_morning}
    assert week_before not in utc.window("last week", touch=False).ids
    assert "2 Jun 2025" in engine.window("this week", touch=False).rendering  # the day it was there
    assert "1 Jun 2025" in utc.window("last week", touch=False).rendering


@pytest.mark.req("R4.1", "R3.23")
def test_a_window_puts_the_often_used_first(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember(f"note {n}", created_at=clock.ago(n)).id for n in range(4)]
    used(engine, clock, ids[3], 5)
    used(engine, clock, ids[1], 1)
    found = engine.window(touch=False)
    assert found.ids == (ids[3], ids[1], ids[0], ids[2])
    assert [view.score for view in found.views] == sorted((view.score for view in found.views), reverse=True)
    assert all(view.relevance is None for view in found.views)


@pytest.mark.req("R4.7")
@pytest.mark.parametrize(
    ("asking", "error"),
    [
        ({"when": "the day the music died"}, BadDate),
        ({"when": "1 June 2025 to 1 May 2025"}, BadDate),
        ({"since": "2025-05-02", "until": "2025-05-01"}, BadParameter),
        ({"since": datetime(2025, 5, 2, tzinfo=UTC), "until": datetime(2025, 5, 2, tzinfo=UTC)}, BadParameter),
        ({"since": datetime(2025, 5, 2)}, BadParameter),  # naive
        ({"when": "last week", "since": "yesterday"}, BadParameter),
        ({"limit": 0}, BadParameter),
        ({"offset": -1}, BadParameter),
    ],
)
def test_a_range_that_cannot_be_is_refused(engine: Engine, asking: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        engine.window(**asking)


# -- random -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("R4.2")
def test_random_draws_each_once_and_the_same_for_the_same_seed(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember(f"note {n}", created_at=clock.ago(n * 10)).id for n in range(30)]
    drawn = engine.random(10, seed=3, touch=False)
    assert len(set(drawn.ids)) == 10
    assert engine.random(10, seed=3, touch=False).ids == drawn.ids
    assert engine.random(30, seed=3, touch=False).ids[:10] == drawn.ids
    assert sorted(engine.random(99, seed=3, touch=False).ids) == ids
    assert len({engine.random(10, seed=seed, touch=False).ids for seed in range(30)}) == 30
    assert len({engine.random(10, touch=False).ids for _ in range(5)}) > 1


@pytest.mark.req("R4.2")
def test_random_brings_back_what_has_been_ignored(engine: Engine, clock: FakeClock) -> None:
    ignored = [engine.remember(f"old {n}", created_at=clock.ago(200)).id for n in range(5)]
    for n in range(5):
        engine.remember(f"new {n}", created_at=clock.ago(1))
    first = [view for seed in range(40) for view in engine.random(3, seed=seed, touch=False).views]
    assert sum(view.id in ignored for view in first) > 100  # of 120


@pytest.mark.req("R4.2")
def test_random_is_tiered_by_decay_and_never_below_headline(engine: Engine, clock: FakeClock) -> None:
    ages = {engine.remember(f"{LONG} {n}", created_at=clock.ago(n)).id: n for n in (0, 20, 100, 900)}
    found = {ages[view.id]: view for view in engine.random(9, seed=1, touch=False).views}
    assert {age: view.tier for age, view in found.items()} == {
        0: Tier.FULL,
        20: Tier.SUMMARY,
        100: Tier.HEADLINE,
        900: Tier.HEADLINE,
    }
    assert all(view.score == view.decay for view in found.values())


# -- unseen, recent, important ----------------------------------------------------------------------------------------


@pytest.mark.req("R4.3")
def test_unseen_is_everything_never_retrieved_newest_first(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember(f"{LONG} {n}", created_at=clock.ago(days)).id for n, days in enumerate((3, 1, 2, 5))]
    used(engine, clock, ids[2], 1)
    found = engine.unseen(touch=False)
    assert found.ids == (ids[1], ids[0], ids[3])
    assert {view.tier for view in found.views} == {Tier.HEADLINE}
    used(engine, clock, ids[1], 3)
    assert engine.unseen(touch=False).ids == (ids[0], ids[3])


@pytest.mark.req("R4.4")
def test_recent_goes_by_time_alone(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember(f"note {n}", created_at=clock.ago(days)).id for n, days in enumerate((3, 1, 2, 5))]
    used(engine, clock, ids[3], 9)
    assert engine.recent(touch=False).ids == (ids[1], ids[2], ids[0], ids[3])


@pytest.mark.req("R4.4", "R1.14")
def test_important_fades_by_a_twentieth_a_day(engine: Engine, clock: FakeClock) -> None:
    facts = {engine.remember(f"{i} {age}", created_at=clock.ago(age), importance=i).id: i * 0.95**age for i, age in
             ((0.5, 0), (1.0, 10), (1.0, 20), (0.9, 5), (0.0, 0))}  # fmt: skip
    found = engine.important(touch=False)
    assert found.ids == tuple(sorted(facts, key=lambda i: -facts[i]))
    assert [view.score for view in found.views] == pytest.approx(sorted(facts.values(), reverse=True), abs=1e-6)
    clock.advance(days=30)
    assert settled(engine, found.ids[0]).importance == (0.9, 1.0, 0.5)[0]  # time does not rewrite what was given


# -- pages ------------------------------------------------------------------------------------------------------------


def pages(ask: Callable[[int], Landscape]) -> list[Landscape]:
    found = [ask(0)]
    while (offset := found[-1].next_offset) is not None:
        assert f"more at offset {offset}" in found[-1].rendering
        found.append(ask(offset))
        assert len(found) < 500
    return found


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Any:
    import lodmem

    clock = FakeClock()
    with lodmem.open(tmp_path_factory.mktemp("big") / "m.db", embedder="none", clock=clock, zone="UTC") as engine:
        for n in range(40):
            text = f"{LONG} {n}" if n % 5 == 0 else f"note {n} about the harbour"
            added = engine.remember(text, created_at=clock.ago(n % 7), importance=(n % 10) / 10)
            used(engine, clock, added.id, n % 3)
        yield engine


@pytest.mark.req("R4.5")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limit", [1, 7, 39, 40, 41])
def test_pages_put_together_are_the_whole(big: Engine, mode: str, limit: int) -> None:
    whole = look(big, mode)
    found = pages(lambda offset: look(big, mode, limit=limit, offset=offset))
    assert tuple(i for page in found for i in page.ids) == whole.ids
    assert [view for page in found for view in page.views] == list(whole.views)
    assert all(len(page) == limit for page in found[:-1])
    assert whole.next_offset is None


@pytest.mark.req("R4.5", "R3.10")
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mode=st.sampled_from(MODES), budget=st.integers(64, 1500))
def test_a_budget_is_the_size_of_a_page_and_loses_nothing(big: Engine, mode: str, budget: int) -> None:
    whole = look(big, mode)
    found = pages(lambda offset: look(big, mode, budget=budget, offset=offset))
    assert tuple(i for page in found for i in page.ids) == whole.ids
    for page in found:
        assert page.budget.used <= budget
        assert page.budget.dropped == 0
        assert all(view.tier is view_of(whole, view.id).tier for view in page.views)
        assert len(page) >= 1


@pytest.mark.req("R4.5")
@pytest.mark.parametrize("mode", MODES)
def test_behind_the_end_there_is_nothing(big: Engine, mode: str) -> None:
    found = look(big, mode, offset=1000)
    assert (found.ids, found.next_offset) == ((), None)


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_store_gives_an_empty_landscape(engine: Engine, mode: str) -> None:
    found = look(engine, mode, budget=64)
    assert (found.ids, found.considered, found.next_offset) == ((), 0, None)
    assert found.rendering.startswith("0 full, 0 summaries, 0 headlines.")


@pytest.mark.parametrize("mode", MODES)
def test_the_landscape_counts_what_it_shows(big: Engine, mode: str) -> None:
    found = look(big, mode)
    assert sum(found.counts.values()) == len(found)
    assert found.counts["horizon"] == 0
    for tier in (Tier.FULL, Tier.SUMMARY, Tier.HEADLINE):
        assert found.counts[tier.label] == sum(view.tier is tier for view in found.views)
