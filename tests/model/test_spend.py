"""Prices, days, and when a failing model rests."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from lodmem.errors import BadParameter
from lodmem.model.memory import to_us
from lodmem.model.spend import (
    Caps,
    Ceiling,
    LlmCall,
    Outcome,
    Price,
    Rate,
    day_of,
    parse_most,
    resting_until,
    room_at,
)

SECOND = 1_000_000
NOW = to_us(datetime(2025, 6, 2, 12, 0, tzinfo=UTC))
BAD, GOOD, OPEN = Outcome.UNAVAILABLE, Outcome.DONE, Outcome.OPEN


@pytest.mark.parametrize(("tokens", "cost"), [((0, 0), 0), ((1, 0), 1), ((1000, 0), 150), ((1000, 1001), 751)])
def test_cost_is_rounded_up(tokens: tuple[int, int], cost: int) -> None:
    assert Price(0.15, 0.6).of(*tokens) == cost


def test_no_price_no_cost() -> None:
    caps = Caps(prices={"m": Price(1, 1)})
    assert (caps.price("m", 5, 6), caps.price("other", 5, 6)) == (11, 0)


def test_ceilings_of_the_periods_that_are_capped() -> None:
    caps = Caps(tokens={"day": 10, "run": 5}, cost={"store": 7, "day": 3})
    midnight = to_us(datetime(2025, 6, 2, tzinfo=UTC))
    assert caps.ceilings(NOW, ZoneInfo("UTC"), "r") == [
        Ceiling(period="day", since_us=midnight, tokens=10, cost=3),
        Ceiling(period="run", run="r", tokens=5),
        Ceiling(period="store", cost=7),
    ]
    assert Caps(tokens={}).ceilings(NOW, ZoneInfo("UTC"), "r") == []


def test_unknown_periods_are_refused() -> None:
    with pytest.raises(BadParameter, match="week"):
        Caps(tokens={"week": 1})


def test_a_rate_is_a_ceiling_over_the_last_sixty_seconds() -> None:
    since = NOW - 60 * SECOND + 1
    assert Rate().ceiling(NOW) is None
    assert Rate(3).ceiling(NOW, 10) == Ceiling(period="minute", since_us=since, calls=3)
    assert Rate(None, 100).ceiling(NOW, 10) == Ceiling(period="minute", since_us=since, tokens=100)
    assert Rate(3, 100).ceiling(NOW, 101) == Ceiling(period="minute", since_us=since, calls=3, tokens=101), "goes alone"


@pytest.mark.parametrize(("calls", "tokens"), [(0, None), (None, 0), (5, -1)])
def test_less_than_one_a_minute_is_refused(calls: int | None, tokens: int | None) -> None:
    with pytest.raises(BadParameter, match="a minute"):
        Rate(calls, tokens)


@pytest.mark.parametrize(("text", "most"), [("none", None), (" None ", None), ("60", 60), ("40_000", 40_000)])
def test_so_many_a_minute(text: str, most: int | None) -> None:
    assert parse_most(text) == most


@pytest.mark.parametrize(
    ("calls", "tokens", "seconds"),
    [
        (1, None, 60 - 1),  # the newest, 1 s old, has to leave
        (2, None, 60 - 5),
        (4, None, 60 - 50),
        (5, None, 0),
        (None, 400, 0),
        (None, 399, 60 - 50),
        (None, 250, 60 - 20),
        (None, 100, 60 - 1),
        (4, 250, 60 - 20),
        (2, 399, 60 - 5),
    ],
)
def test_when_there_is_room(calls: int | None, tokens: int | None, seconds: int) -> None:
    def call(ago: int, tokens: int = 75) -> LlmCall:
        return LlmCall(at_us=NOW - ago * SECOND, run="r", model="m", task="t", tokens_in=tokens - 5, tokens_out=5)

    ceiling = Rate(calls, tokens).ceiling(NOW)
    assert ceiling is not None
    recent = [call(1), call(50), call(5), call(20)]
    assert room_at(recent, ceiling, call(0, 100)) == NOW + seconds * SECOND


@pytest.mark.parametrize(("month", "day", "hours"), [(6, 2, 24), (3, 30, 23), (10, 26, 25)])
def test_a_day_is_as_long_as_it_is_there(month: int, day: int, hours: int) -> None:
    noon = to_us(datetime(2025, month, day, 12, tzinfo=UTC))
    first, end = day_of(noon, ZoneInfo("Europe/Berlin"))
    assert end - first == hours * 3600 * SECOND
    assert day_of(first, ZoneInfo("Europe/Berlin")) == (first, end) != day_of(end, ZoneInfo("Europe/Berlin"))


def calls(*outcomes: Outcome, ago: int = 0) -> list[LlmCall]:
    """Newest first, a second apart, the newest `ago` seconds old."""
    return [
        LlmCall(at_us=NOW - (ago + n) * SECOND, run="r", model="m", task="t", tokens_in=1, tokens_out=1, outcome=outcome)
        for n, outcome in enumerate(outcomes)
    ]


@pytest.mark.parametrize(
    "outcomes",
    [
        (),
        (BAD,) * 4,
        (BAD,) * 4 + (GOOD, BAD),
        (GOOD, *(BAD,) * 9),
        (BAD,) * 4 + (Outcome.REFUSED, BAD),
        (OPEN, *(BAD,) * 4),
    ],
)
def test_it_may_be_asked(outcomes: tuple[Outcome, ...]) -> None:
    assert resting_until(calls(*outcomes), NOW) == 0


@pytest.mark.parametrize(("failures", "seconds"), [(5, 30), (6, 60), (9, 480), (10, 900), (20, 900)])
def test_it_rests_longer_with_each_failure(failures: int, seconds: int) -> None:
    assert resting_until(calls(*(BAD,) * failures), NOW) == NOW + seconds * SECOND
    assert resting_until(calls(*(BAD,) * failures, ago=seconds), NOW) == 0


def test_one_call_tries_while_the_others_wait() -> None:
    found = calls(OPEN, *(BAD,) * 5, ago=40)
    assert resting_until(found, NOW) == NOW + 260 * SECOND


def test_a_killed_try_is_waited_for_five_minutes_only() -> None:
    assert resting_until(calls(OPEN, *(BAD,) * 5, ago=300), NOW) == 0
