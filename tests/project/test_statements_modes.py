"""Statements about looking without a question (docs/requirements.toml, section 4), shown through the public API."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from lodmem import Draft, Tier
from lodmem.engine import Engine
from lodmem.errors import BadDate, BadParameter

MakeEngine = Callable[..., Engine]


@pytest.fixture
def diary(engine: Engine, clock: Any) -> Engine:
    """Forty entries, one a day, newest first; #3 was used five times, #8 once."""
    engine.remember_many(Draft(full=f"Entry {n}.", created_us=clock.now_us() - n * 86_400_000_000) for n in range(40))
    for _ in range(5):
        engine.expand(3)
    engine.expand(8)
    return engine


@pytest.mark.req("R4.1")
def test_a_window_shows_everything_in_it_by_how_often_it_was_used(diary: Engine) -> None:
    landscape = diary.window("last week", touch=False)  # it is Monday: the seven days before today
    assert sorted(landscape.ids) == [2, 3, 4, 5, 6, 7, 8]
    scores = {view.id: view.score for view in landscape.views}
    for memory, used in ((3, 5), (8, 1), (2, 0)):
        assert scores[memory] == pytest.approx(1 - 1 / (1 + math.log(1 + used)), abs=1e-6)
    assert landscape.ids[:2] == (3, 8)
    tiers = {view.id: view.tier for view in landscape.views}
    assert tiers[3] is Tier.FULL
    assert {tiers[i] for i in (2, 4, 5, 6, 7)} == {Tier.HEADLINE}


@pytest.mark.req("R4.2")
def test_random_favours_the_ignored_and_repeats_for_a_seed(diary: Engine) -> None:
    first, again, other = diary.random(40, seed=7), diary.random(40, seed=7, touch=False), diary.random(40, seed=8)
    assert first.ids == again.ids != other.ids
    assert sorted(first.ids) == list(range(1, 41))
    assert all(view.tier >= Tier.HEADLINE for view in first.views)
    fresh, stale = 0, 0
    for seed in range(200):
        drawn = diary.random(5, seed=seed, touch=False).ids
        fresh += sum(i <= 5 for i in drawn)
        stale += sum(i > 35 for i in drawn)
    assert stale > 3 * fresh


@pytest.mark.req("R4.3")
def test_unseen_is_what_was_never_retrieved_newest_first(diary: Engine) -> None:
    landscape = diary.unseen(touch=False)
    assert landscape.ids == tuple(i for i in range(1, 41) if i not in (3, 8))
    assert {view.tier for view in landscape.views} == {Tier.HEADLINE}


@pytest.mark.req("R4.4")
def test_recent_goes_by_time_and_important_by_fading_importance(diary: Engine, clock: Any) -> None:
    assert diary.recent(touch=False).ids == tuple(range(1, 41))
    grave = diary.remember("A warning.", importance=1.0, created_at=clock.ago(10)).id
    landscape = diary.important(touch=False)
    scores = {view.id: view.score for view in landscape.views}
    assert scores[grave] == pytest.approx(0.95**10, abs=1e-6)
    assert scores[5] == pytest.approx(0.5 * 0.95**4, abs=1e-6)
    assert list(landscape.ids) == sorted(scores, key=lambda i: (-scores[i], i))
    assert next(view for view in landscape.views if view.id == 3).tier is Tier.FULL


@pytest.mark.req("R4.5")
@pytest.mark.parametrize("asking", [{"limit": 7}, {"budget": 200}, {"budget": 64}])
def test_pages_lose_nothing_and_repeat_nothing(diary: Engine, asking: dict[str, int]) -> None:
    seen: list[int] = []
    offset: int | None = 0
    while offset is not None:
        page = diary.recent(offset=offset, touch=False, **asking)  # type: ignore[arg-type]
        assert page.views
        seen += page.ids
        offset = page.next_offset
    assert seen == list(range(1, 41))


@pytest.mark.req("R4.6")
def test_natural_dates_are_ranges_in_the_caller_s_zone(make_engine: MakeEngine, clock: Any) -> None:
    clock.set(datetime(2025, 6, 4, 12, 0, tzinfo=UTC))  # a Wednesday
    engine = make_engine()
    moments = {
        "sunday": datetime(2025, 6, 1, 23, 59, tzinfo=UTC),
        "monday": datetime(2025, 6, 2, 0, 0, tzinfo=UTC),
        "tuesday night": datetime(2025, 6, 3, 22, 30, tzinfo=UTC),
        "march": datetime(2025, 3, 30, 1, 30, tzinfo=UTC),
    }
    ids = {name: engine.remember(f"On {name}.", created_at=when).id for name, when in moments.items()}

    def found(engine: Engine, **when: Any) -> set[str]:
        got = engine.recent(touch=False, **when).ids
        return {name for name, memory in ids.items() if memory in got}

    assert found(engine, since="this week") == {"monday", "tuesday night"}
    assert found(engine, since="since March") == set(ids)
    assert set(engine.window("March", touch=False).ids) == {ids["march"]}
    assert set(engine.window("the 3rd", touch=False).ids) == {ids["tuesday night"]}
    berlin = make_engine(zone="Europe/Berlin")
    # 22:30 UTC is half past midnight on the 4th in Berlin; 01:30 UTC on March 30th is 03:30 there, an hour after 01:30.
    assert set(berlin.window("the 3rd", touch=False).ids) == set()
    assert ids["tuesday night"] in berlin.window("today", touch=False).ids
    assert set(berlin.window("2025-03-30", touch=False).ids) == {ids["march"]}


@pytest.mark.req("R4.7", "R17.8")
def test_dates_that_mean_nothing_are_refused(diary: Engine) -> None:
    for look in (lambda: diary.window("the day of the jackdaw"), lambda: diary.search("entry", since="blorp")):
        with pytest.raises(BadDate) as caught:
            look()
        assert caught.value.hint
    with pytest.raises(BadParameter, match="ends before it starts"):
        diary.recent(since="2025-05-01", until="2025-04-01")
