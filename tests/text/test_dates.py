"""Natural dates: every form the grammar knows, the edges of the calendar and the clock, and what it must refuse."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lodmem.errors import BadDate, BadParameter
from lodmem.model.memory import to_datetime, to_us
from lodmem.text import dates
from lodmem.text.dates import parse_point, parse_range, relative
from lodmem.text.when.localtime import LocalTime, floor, shift

BERLIN = "Europe/Berlin"
# A Wednesday.
NOW = to_us(datetime(2024, 5, 15, 14, 30, 20, tzinfo=ZoneInfo(BERLIN)))
HOUR = 3_600_000_000
DAY = 24 * HOUR
ZONES = st.sampled_from(
    ["UTC", BERLIN, "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Apia", "America/Toronto"]
)
MOMENTS = st.integers(to_us(datetime(1905, 1, 1, tzinfo=UTC)), to_us(datetime(2100, 1, 1, tzinfo=UTC)))


def us(text: str | None, zone: str = BERLIN) -> int | None:
    """Microseconds of an ISO local time."""
    return None if text is None else to_us(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)))


def ranged(text: str, now_us: int = NOW, zone: str = BERLIN) -> tuple[int | None, int | None]:
    return parse_range(text, now_us=now_us, zone=zone)


Row = tuple[str, str | None, str | None]
WHOLE_DAYS: list[Row] = [
    ("today", "2024-05-15", "2024-05-16"),
    ("yesterday", "2024-05-14", "2024-05-15"),
    ("the day before yesterday", "2024-05-13", "2024-05-14"),
    ("tomorrow", "2024-05-16", "2024-05-17"),
    ("last week", "2024-05-06", "2024-05-13"),
    ("this week", "2024-05-13", "2024-05-20"),
    ("next week", "2024-05-20", "2024-05-27"),
    ("the week before last", "2024-04-29", "2024-05-06"),
    ("the week of 3 May", "2024-04-29", "2024-05-06"),
    ("last month", "2024-04-01", "2024-05-01"),
    ("this month", "2024-05-01", "2024-06-01"),
    ("last quarter", "2024-01-01", "2024-04-01"),
    ("last year", "2023-01-01", "2024-01-01"),
    ("March", "2024-03-01", "2024-04-01"),
    ("in March", "2024-03-01", "2024-04-01"),
    ("May", "2024-05-01", "2024-06-01"),
    ("June", "2023-06-01", "2023-07-01"),
    ("last May", "2023-05-01", "2023-06-01"),
    ("next May", "2025-05-01", "2025-06-01"),
    ("this March", "2024-03-01", "2024-04-01"),
    ("March 2023", "2023-03-01", "2023-04-01"),
    ("Sept. 2023", "2023-09-01", "2023-10-01"),
    ("the 3rd", "2024-05-03", "2024-05-04"),
    ("the 15th", "2024-05-15", "2024-05-16"),
    ("the 16th", "2024-04-16", "2024-04-17"),
    ("the 31st", "2024-03-31", "2024-04-01"),
    ("the 3rd of last month", "2024-04-03", "2024-04-04"),
    ("3 days ago", "2024-05-12", "2024-05-13"),
    ("a couple of days ago", "2024-05-13", "2024-05-14"),
    ("two weeks ago", "2024-05-01", "2024-05-02"),
    ("a month ago", "2024-04-15", "2024-04-16"),
    ("in 3 days", "2024-05-18", "2024-05-19"),
    ("2024", "2024-01-01", "2025-01-01"),
    ("2024-05", "2024-05-01", "2024-06-01"),
    ("05/2024", "2024-05-01", "2024-06-01"),
    ("2024-05-01", "2024-05-01", "2024-05-02"),
    ("2024/5/1", "2024-05-01", "2024-05-02"),
    ("20240501", "2024-05-01", "2024-05-02"),
    ("2024-W12", "2024-03-18", "2024-03-25"),
    ("week 12 of 2024", "2024-03-18", "2024-03-25"),
    ("3 May", "2024-05-03", "2024-05-04"),
    ("May 3rd, 2023", "2023-05-03", "2023-05-04"),
    ("the 3rd of May", "2024-05-03", "2024-05-04"),
    ("20 May", "2023-05-20", "2023-05-21"),
    ("Friday 3 May", "2024-05-03", "2024-05-04"),
    ("Fri, 3 May 2024", "2024-05-03", "2024-05-04"),
    ("Friday the 13th", "2023-10-13", "2023-10-14"),
    ("3.5.2024", "2024-05-03", "2024-05-04"),
    ("13/03/2024", "2024-03-13", "2024-03-14"),
    ("03/13/2024", "2024-03-13", "2024-03-14"),
    ("05/05/2024", "2024-05-05", "2024-05-06"),
    ("29 February", "2024-02-29", "2024-03-01"),
    ("Monday", "2024-05-13", "2024-05-14"),
    ("Wednesday", "2024-05-15", "2024-05-16"),
    ("last Wednesday", "2024-05-08", "2024-05-09"),
    ("last Monday", "2024-05-13", "2024-05-14"),
    ("next Wednesday", "2024-05-22", "2024-05-23"),
    ("this Friday", "2024-05-17", "2024-05-18"),
    ("Tuesday last week", "2024-05-07", "2024-05-08"),
    ("Q1 2024", "2024-01-01", "2024-04-01"),
    ("2024-Q1", "2024-01-01", "2024-04-01"),
    ("Q4", "2023-10-01", "2024-01-01"),
    ("third quarter of 2023", "2023-07-01", "2023-10-01"),
    ("weekend", "2024-05-11", "2024-05-13"),
    ("last weekend", "2024-05-11", "2024-05-13"),
    ("this weekend", "2024-05-18", "2024-05-20"),
    ("between 1 March and 5 April", "2024-03-01", "2024-04-06"),
    ("from Monday to Wednesday", "2024-05-13", "2024-05-16"),
    ("from Friday to Monday", "2024-05-10", "2024-05-14"),
    ("1 March - 5 April", "2024-03-01", "2024-04-06"),
    ("1 March–5 April", "2024-03-01", "2024-04-06"),
    ("1-5 March", "2024-03-01", "2024-03-06"),
    ("March 1 - 5, 2023", "2023-03-01", "2023-03-06"),
    ("between 5 and 10 May", "2024-05-05", "2024-05-11"),
    ("20 December - 5 January 2023", "2022-12-20", "2023-01-06"),
    ("from December to February", "2023-12-01", "2024-03-01"),
    ("between March and May 2023", "2023-03-01", "2023-06-01"),
    ("2024-05-01..2024-05-07", "2024-05-01", "2024-05-08"),
    ("2024-05-01/2024-05-07", "2024-05-01", "2024-05-08"),
    ("2022 - 2023", "2022-01-01", "2024-01-01"),
    ("May to today", "2024-05-01", "2024-05-16"),
    ("after Monday and before Wednesday", "2024-05-14", "2024-05-15"),
    ("since March", "2024-03-01", None),
    ("since Monday", "2024-05-13", None),
    ("from 2024-05-01", "2024-05-01", None),
    ("after 3 May", "2024-05-04", None),
    ("before 2024-05-01", None, "2024-05-01"),
    ("until Friday", None, "2024-05-11"),
    ("up to the 3rd", None, "2024-05-04"),
    ("  Last   WEEK. ", "2024-05-06", "2024-05-13"),
]
CLOCK_TIMES: list[Row] = [
    ("2024-05-01T10:00", "2024-05-01T10:00", "2024-05-01T10:01"),
    ("2024-05-01 10:00:30", "2024-05-01T10:00:30", "2024-05-01T10:00:31"),
    ("2024-05-01T10:00Z", "2024-05-01T12:00", "2024-05-01T12:01"),
    ("2024-05-01T10:00:30.25+05:30", "2024-05-01T06:30:30.250", "2024-05-01T06:30:31.250"),
    ("5pm yesterday", "2024-05-14T17:00", "2024-05-14T17:01"),
    ("yesterday at 5:15 p.m.", "2024-05-14T17:15", "2024-05-14T17:16"),
    ("12 am on 3 May", "2024-05-03T00:00", "2024-05-03T00:01"),
    ("noon", "2024-05-15T12:00", "2024-05-15T12:01"),
    ("17:00", "2024-05-14T17:00", "2024-05-14T17:01"),
    ("this morning", "2024-05-15T05:00", "2024-05-15T12:00"),
    ("last night", "2024-05-14T18:00", "2024-05-15T06:00"),
    ("Monday afternoon", "2024-05-13T12:00", "2024-05-13T18:00"),
    ("from 10:00 to 12:00", "2024-05-15T10:00", "2024-05-15T12:00"),
    ("yesterday 9:30 - yesterday 10:00", "2024-05-14T09:30", "2024-05-14T10:00"),
    ("1 hour ago", "2024-05-15T13:30:20", "2024-05-15T14:30:20"),
    ("until 9:30", None, "2024-05-15T09:30"),
    ("after 9:30", "2024-05-15T09:30", None),
    ("since 7d", "2024-05-08T14:30:20", None),
    ("until 24h", None, "2024-05-14T14:30:20"),
]
ENDING_NOW = [
    ("last 7 days", "2024-05-08T14:30:20"),
    ("past 2 weeks", "2024-05-01T14:30:20"),
    ("in the last 24 hours", "2024-05-14T14:30:20"),
    ("the last month", "2024-04-15T14:30:20"),
    ("the past year", "2023-05-15T14:30:20"),
    ("last hour", "2024-05-15T13:30:20"),
    ("past three months", "2024-02-15T14:30:20"),
    ("90m", "2024-05-15T13:00:20"),
    ("2w", "2024-05-01T14:30:20"),
]
OTHER_LANGUAGES: list[Row] = [
    ("15 mars 2024", "2024-03-15", "2024-03-16"),
    ("since 15 mars 2024", "2024-03-15", None),
    ("15. März 2024", "2024-03-15", "2024-03-16"),
    ("15 de marzo de 2024", "2024-03-15", "2024-03-16"),
    ("март 2024", "2024-03-01", "2024-04-01"),
    ("2024年5月1日", "2024-05-01", "2024-05-02"),
    ("gestern", "2024-05-14", "2024-05-15"),
    ("letzte Woche", "2024-05-06", "2024-05-13"),
    ("le mois dernier", "2024-04-01", "2024-05-01"),
    ("1 mai - 5 mai", "2024-05-01", "2024-05-06"),
    ("15 mai à 10h30", "2024-05-15T10:30", "2024-05-15T10:31"),
    ("vor 3 Stunden", "2024-05-15T11:30:20", "2024-05-15T11:31:20"),
]


@pytest.mark.req("R4.6")
@pytest.mark.parametrize(("text", "since", "until"), WHOLE_DAYS + CLOCK_TIMES + OTHER_LANGUAGES)
def test_a_phrase_gives_its_range(text: str, since: str | None, until: str | None) -> None:
    assert ranged(text) == (us(since), us(until))


@pytest.mark.parametrize(("text", "since"), ENDING_NOW)
def test_a_rolling_range_ends_with_the_present_moment(text: str, since: str) -> None:
    assert ranged(text) == (us(since), NOW + 1)


@pytest.mark.req("R4.7")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("  . ", "empty"),
        ("soon", "not a date"),
        ("last sprint", "not a date"),
        ("sprint 12", "not a date"),
        ("v1.2", "not a date"),
        ("set", "not a date"),
        ("and", "not a date"),
        ("since", "not a date"),
        ("between Monday and", "not a date"),
        ("last 0 days", "not a date"),
        ("12", "not a date"),
        ("x" * 500, "500 characters"),
        ("30 February", "no year has"),
        ("31 April", "no year has"),
        ("2023-02-29", "no 2023-02-29"),
        ("2024-13", "no 2024-13"),
        ("2023-W53", "no week 53"),
        ("25:00", "no time 25:00"),
        ("13pm", "no 13 pm"),
        ("2024-05-01T10:00+25:00", "no offset"),
        ("Monday 3 May 2024", "not a Monday"),
        ("05/03/2024", "two dates"),
        ("2024-05-07..2024-05-01", "ends before it starts"),
        ("between today and yesterday", "ends before it starts"),
        ("from 10:00 to 10:00", "ends before it starts"),
        ("999999 days ago", "outside the years"),
        ("last 999999 years", "outside the years"),
        ("in 99999 months", "outside the years"),
    ],
)
def test_what_is_no_date_is_refused_with_a_reason_and_a_hint(text: str, says: str) -> None:
    with pytest.raises(BadDate, match=says) as caught:
        ranged(text)
    assert caught.value.hint


def test_an_ambiguous_date_is_refused_with_both_readings() -> None:
    with pytest.raises(BadDate) as caught:
        ranged("05/03/2024")
    assert "2024-05-03" in caught.value.hint
    assert "2024-03-05" in caught.value.hint


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "America", "../etc/passwd", "localtime", "UTC\0", "x" * 300])
def test_an_unknown_zone_is_refused(zone: str) -> None:
    with pytest.raises(BadParameter, match="not a time zone"):
        ranged("today", zone=zone)


def test_a_moment_no_calendar_holds_is_refused() -> None:
    with pytest.raises(BadParameter, match="outside the years"):
        ranged("today", now_us=10**19)


# -- points -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2024-05-01", "2024-05-01", "2024-05-02"),
        ("last month", "2024-04-01", "2024-05-01"),
        ("2024-05-01T10:00", "2024-05-01T10:00", "2024-05-01T10:00"),
        ("3 hours ago", "2024-05-15T11:30:20", "2024-05-15T11:30:20"),
        ("7d", "2024-05-08T14:30:20", "2024-05-08T14:30:20"),
        ("1 March - 5 April", "2024-03-01", "2024-04-06"),
    ],
)
def test_a_point_is_an_edge_of_what_was_named(text: str, start: str, end: str) -> None:
    assert parse_point(text, now_us=NOW, zone=BERLIN) == us(start)
    assert parse_point(text, now_us=NOW, zone=BERLIN, edge="end") == us(end)


def test_a_point_on_the_open_side_is_refused() -> None:
    assert parse_point("since March", now_us=NOW, zone=BERLIN) == us("2024-03-01")
    with pytest.raises(BadDate, match="has no end"):
        parse_point("since March", now_us=NOW, zone=BERLIN, edge="end")
    with pytest.raises(BadDate, match="has no start"):
        parse_point("before March", now_us=NOW, zone=BERLIN)
    with pytest.raises(BadDate, match="not a date"):
        parse_point("whenever", now_us=NOW)


# -- the clock's edges ------------------------------------------------------------------------------------------------


@pytest.mark.req("R4.6")
def test_days_of_23_and_25_hours_are_as_long_as_they_were() -> None:
    spring = ranged("2024-03-31")
    autumn = ranged("2024-10-27")
    assert spring[0] is not None
    assert autumn[0] is not None
    assert spring[1] == spring[0] + 23 * HOUR
    assert autumn[1] == autumn[0] + 25 * HOUR


def test_a_time_the_clock_skips_is_the_moment_of_the_jump() -> None:
    jump = to_us(datetime(2024, 3, 31, 1, 0, tzinfo=UTC))
    assert ranged("2024-03-31T02:30")[0] == jump
    assert ranged("2024-03-31T03:00")[0] == jump
    assert ranged("2024-03-31T01:59")[0] == jump - 60_000_000


def test_a_time_the_clock_shows_twice_is_the_first() -> None:
    assert ranged("2024-10-27T02:30")[0] == to_us(datetime(2024, 10, 27, 0, 30, tzinfo=UTC))


def test_a_day_whose_midnight_is_skipped_starts_at_the_jump() -> None:
    zone = "America/Sao_Paulo"
    day = ranged("2018-11-04", zone=zone)
    assert day == (to_us(datetime(2018, 11, 4, 3, tzinfo=UTC)), to_us(datetime(2018, 11, 5, 2, tzinfo=UTC)))
    assert ranged("2018-11-03", zone=zone)[1] == day[0]


def test_a_jump_across_midnight_still_ends_one_day_where_the_next_begins() -> None:
    # Toronto's clocks went from 23:30 on 30 March 1919 to 00:30 on the 31st.
    zone = "America/Toronto"
    assert (
        ranged("1919-03-30", zone=zone)[1]
        == ranged("1919-03-31", zone=zone)[0]
        == to_us(datetime(1919, 3, 31, 4, 30, tzinfo=UTC))
    )


def test_a_day_that_never_happened_is_refused_and_its_neighbours_touch() -> None:
    zone = "Pacific/Apia"
    with pytest.raises(BadDate, match="did not happen"):
        ranged("2011-12-30", zone=zone)
    assert ranged("2011-12-29", zone=zone)[1] == ranged("2011-12-31", zone=zone)[0]


@pytest.mark.req("R4.6")
def test_the_same_instant_is_another_day_in_another_zone() -> None:
    late = to_us(datetime(2024, 5, 15, 22, 30, tzinfo=UTC))
    assert ranged("today", late, "UTC")[0] == us("2024-05-15", "UTC")
    assert ranged("today", late, BERLIN)[0] == us("2024-05-16", BERLIN)


def test_hours_are_exact_and_days_keep_the_time_of_day_across_a_change() -> None:
    noon = to_us(datetime(2024, 3, 31, 12, tzinfo=ZoneInfo(BERLIN)))
    assert ranged("last 24 hours", noon)[0] == noon - DAY
    assert ranged("last 1 day", noon)[0] == noon - 23 * HOUR


@pytest.mark.parametrize(
    ("now", "text", "since", "until"),
    [
        ("2024-12-31T23:59:59", "this week", "2024-12-30", "2025-01-06"),
        ("2025-01-01", "last month", "2024-12-01", "2025-01-01"),
        ("2025-01-01", "yesterday", "2024-12-31", "2025-01-01"),
        ("2024-03-31", "a month ago", "2024-02-29", "2024-03-01"),
        ("2023-03-30", "a month ago", "2023-02-28", "2023-03-01"),
        ("2024-02-29", "a year ago", "2023-02-28", "2023-03-01"),
        ("2023-05-01", "29 February", "2020-02-29", "2020-03-01"),
        ("2024-03-01", "the 30th", "2024-01-30", "2024-01-31"),
        ("2024-12-31T23:59:59", "December", "2024-12-01", "2025-01-01"),
        ("2024-01-01", "the 31st", "2023-12-31", "2024-01-01"),
        ("2024-05-12T23:00", "last weekend", "2024-05-04", "2024-05-06"),
        ("2024-05-12T23:00", "weekend", "2024-05-11", "2024-05-13"),
        ("2024-05-13", "last week", "2024-05-06", "2024-05-13"),
    ],
)
def test_the_ends_of_weeks_months_and_years(now: str, text: str, since: str, until: str) -> None:
    moment = us(now)
    assert moment is not None
    assert ranged(text, moment) == (us(since), us(until))


# -- properties -------------------------------------------------------------------------------------------------------


@given(zone=ZONES, start=st.dates(date(1906, 1, 1), date(2090, 1, 1)), count=st.integers(1, 500))
@settings(max_examples=40, deadline=None)
def test_days_tile_time(zone: str, start: date, count: int) -> None:
    clock = LocalTime(NOW, zone)
    edges = [clock.midnight(start + timedelta(days=n)) for n in range(count + 1)]
    lengths = [late - early for early, late in pairwise(edges)]
    assert all(length == 0 or abs(length - DAY) <= 2 * HOUR for length in lengths)
    assert lengths.count(0) == (zone == "Pacific/Apia" and start <= date(2011, 12, 30) < start + timedelta(days=count))


@given(
    zone=ZONES,
    one=st.datetimes(datetime(1906, 1, 1), datetime(2090, 1, 1)),
    ahead=st.timedeltas(timedelta(0), timedelta(days=2)),
)
@settings(max_examples=300, deadline=None)
def test_a_later_wall_clock_time_is_never_an_earlier_moment(zone: str, one: datetime, ahead: timedelta) -> None:
    clock = LocalTime(NOW, zone)
    assert clock.us(one) <= clock.us(one + ahead)


@given(zone=ZONES, moment=MOMENTS)
@settings(max_examples=300, deadline=None)
def test_a_moment_lies_in_its_own_today_week_month_quarter_and_year(zone: str, moment: int) -> None:
    widest = None
    for text in ("today", "this week", "this month", "this quarter", "this year"):
        since, until = ranged(text, moment, zone)
        assert since is not None
        assert until is not None
        # Where the clock was put back across midnight, the last minutes of a day come after the first of the next.
        assert since - HOUR <= moment < until + HOUR
        if text in ("this month", "this quarter", "this year") and widest:
            assert since <= widest[0]
            assert until >= widest[1]
        if text != "this week":
            widest = (since, until)


@given(
    zone=ZONES,
    moment=MOMENTS,
    text=st.sampled_from(["March", "the 3rd", "Monday", "29 February", "Q2", "10:00", "weekend", "7 July"]),
)
@settings(max_examples=300, deadline=None)
def test_what_recurs_is_its_most_recent_that_has_begun(zone: str, moment: int, text: str) -> None:
    since, _ = ranged(text, moment, zone)
    assert since is not None
    assert since <= moment
    again, _ = ranged(text, since, zone)
    assert again == since
    before, _ = ranged(text, since - 1, zone)
    assert before is not None
    assert before < since


@given(moment=MOMENTS, unit=st.sampled_from(["day", "week", "month", "quarter", "year"]), count=st.integers(-400, 400))
@settings(max_examples=300, deadline=None)
def test_units_of_the_calendar_step_without_gap_or_overlap(moment: int, unit: str, count: int) -> None:
    start = floor(to_datetime(moment).date(), unit)
    assert floor(start, unit) == start
    assert floor(shift(start, unit, 1) - timedelta(days=1), unit) == start
    assert shift(shift(start, unit, count), unit, -count) == start


WORDS = (
    *("since", "from", "between", "and", "to", "until", "before", "after", "last", "next", "this", "week", "month", "year"),
    *("day", "days", "ago", "the", "of", "in", "on", "at", "3", "3rd", "12", "2024", "2024-05-01", "10:00", "5pm", "march"),
    *("may", "monday", "friday", "weekend", "q1", "-", "..", "/", ".", ",", ":", "gestern", "mars", "вчера", "昨日", "vor"),
    *("Stunden", "heures", "hace", "años", "1.5", "+1", "utc", "z", "noon", "night", "morning", "٢٠٢٤", "MMXX"),
)
SALAD = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=4)), max_size=6).map(" ".join)


@given(text=st.one_of(st.text(max_size=60), SALAD), moment=MOMENTS, zone=ZONES)
@settings(max_examples=150, deadline=None)
def test_any_text_gives_a_range_that_runs_forward_or_a_bad_date(text: str, moment: int, zone: str) -> None:
    try:
        since, until = ranged(text, moment, zone)
    except BadDate:
        return
    assert (since, until) != (None, None)
    assert since is None or until is None or since < until
    assert ranged(text, moment, zone) == (since, until)


@given(text=SALAD, moment=MOMENTS, edge=st.sampled_from(["start", "end"]))
@settings(max_examples=60, deadline=None)
def test_any_text_gives_a_point_or_a_bad_date(text: str, moment: int, edge: str) -> None:
    try:
        assert isinstance(parse_point(text, now_us=moment, edge="end" if edge == "end" else "start"), int)
    except BadDate:
        return


# -- only the argument is a clock -------------------------------------------------------------------------------------

_PROBE = """
import sys, time
from datetime import date, datetime, timezone

sys.path[:0] = {path!r}
shift = float(sys.argv[1])
real = time.time

class Shifted(datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(real() + shift, tz)
    @classmethod
    def today(cls):
        return cls.now()
    @classmethod
    def utcnow(cls):
        return cls.now(timezone.utc).replace(tzinfo=None)

import datetime as module
module.datetime = Shifted
from lodmem.text.dates import parse_range
for text in {texts!r}:
    print(parse_range(text, now_us={now}, zone="Europe/Berlin"))
"""


def _probe(system_zone: str, shift_s: float) -> str:
    texts = [text for text, *_ in OTHER_LANGUAGES] + ["last week", "the 3rd", "March", "7d"]
    code = _PROBE.format(path=sys.path, texts=texts, now=NOW)
    env = {"TZ": system_zone, "PATH": "", "PYTHONUTF8": "1", "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, "-c", code, str(shift_s)], env=env, capture_output=True, text=True, check=True)
    return done.stdout


def test_neither_the_systems_clock_nor_its_zone_has_a_say() -> None:
    here = _probe("UTC", 0)
    assert here.count("\n") == len(OTHER_LANGUAGES) + 4
    assert _probe("America/Los_Angeles", -20 * 365 * 86_400 + 40_000) == here


def test_english_needs_no_library() -> None:
    code = "import sys; from lodmem.text.dates import parse_range; parse_range('last week', now_us=0);"
    code += "print('dateparser' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# -- ages -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "age"),
    [
        (0, "now"),
        (59, "now"),
        (60, "1m"),
        (5 * 60 + 59, "5m"),
        (3599, "59m"),
        (3 * 3600, "3h"),
        (86_399, "23h"),
        (2 * 86_400, "2d"),
        (7 * 86_400 - 1, "6d"),
        (21 * 86_400, "3w"),
        (30 * 86_400 - 1, "4w"),
        (30 * 86_400, "1mo"),
        (155 * 86_400, "5mo"),
        (365 * 86_400, "11mo"),
        (366 * 86_400, "1y"),
        (800 * 86_400, "2y"),
    ],
)
def test_an_age_is_one_unit_rounded_down(seconds: int, age: str) -> None:
    assert relative(NOW - seconds * 1_000_000, NOW) == age
    assert relative(NOW + seconds * 1_000_000, NOW) == (age if age == "now" else f"in {age}")


_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "mo": 30 * 86_400, "y": 365 * 86_400}


@given(ages=st.lists(st.integers(0, 4_000_000_000), min_size=2, max_size=2).map(sorted))
def test_a_longer_age_never_reads_shorter(ages: list[int]) -> None:
    def size(seconds: int) -> int:
        text = relative(-seconds * 1_000_000, 0)
        number, letters = "".join(filter(str.isdigit, text)), "".join(filter(str.isalpha, text))
        return 0 if text == "now" else int(number) * _SECONDS[letters]

    assert size(ages[0]) <= size(ages[1])
    assert size(ages[1]) <= ages[1]


def test_the_hint_names_examples_that_work() -> None:
    examples = dates.HINT.split('"')[1::2]
    assert len(examples) > 4
    for example in examples:
        assert ranged(example)
