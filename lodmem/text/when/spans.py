"""Spans of time and the phrases that stand for them: a phrase stands for one span, or for one that recurs.

It does the calendar's counting and refuses to know any words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from lodmem.errors import BadDate
from lodmem.text.when.localtime import SECOND, LocalTime, days_in, floor, shift


@dataclass(frozen=True, slots=True)
class Span:
    """Microseconds [start, stop), start < stop. `end` is where "until this" ends: `stop` for a day, `start` for a clock time.

    `day` is set where the span is one calendar day.
    """

    start: int
    stop: int
    end: int
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a phrase stands for. `near` gives its spans around a moment, in any order; a fixed phrase has one wherever asked."""

    near: Callable[[int], list[Span]]
    fixed: bool

    def latest(self, us: int) -> Span | None:
        """The last span that begins at `us` or before; a fixed phrase's only one."""
        spans = [span for span in self.near(us) if self.fixed or span.start <= us]
        return max(spans, key=lambda span: span.start, default=None)

    def first(self, us: int) -> Span | None:
        """The first span that begins at `us` or after; a fixed phrase's only one."""
        spans = [span for span in self.near(us) if self.fixed or span.start >= us]
        return min(spans, key=lambda span: span.start, default=None)

    def map(self, change: Callable[[Span], Span | None]) -> Phrase:
        """The same phrase with each span changed, or left out."""
        return Phrase(lambda us: [new for old in self.near(us) if (new := change(old))], self.fixed)


def fixed(span: Span) -> Phrase:
    """A phrase that stands for one span."""
    return Phrase(lambda _: [span], fixed=True)


def days(clock: LocalTime, start: date, stop: date) -> Span:
    """The days [start, stop). Raises BadDate if the zone skipped them all, OverflowError."""
    first, last = clock.midnight(start), clock.midnight(stop)
    if first >= last:
        raise BadDate(f"{start} did not happen in {clock.zone.key}", hint="the zone moved across the date line")
    return Span(first, last, last, start if stop - start == timedelta(days=1) else None)


def unit(clock: LocalTime, name: str, day: date, count: int = 0) -> Phrase:
    """The calendar unit that holds `day`, or the one `count` units later. Raises BadDate, OverflowError."""
    start = shift(floor(day, name), name, count)
    return fixed(days(clock, start, shift(start, name, 1)))


def recurring(clock: LocalTime, starts: Callable[[date], Iterable[date]], stop: Callable[[date], date]) -> Phrase:
    """The days [start, stop(start)) for each start that `starts(near)` gives; what cannot be is left out."""

    def near(us: int) -> list[Span]:
        return [span for start in starts(clock.wall(us).date()) if (span := _possible(clock, start, stop))]

    return Phrase(near, fixed=False)


def yearly(month: int, day: int) -> Callable[[date], Iterator[date]]:
    """For `recurring`: that day in the 28 years to each side, which hold it on every weekday."""
    return lambda near: _existing((near.year + n, month, day) for n in range(-28, 29))


def monthly(day: int) -> Callable[[date], Iterator[date]]:
    """For `recurring`: that day in the 15 months to each side, which hold it on every weekday."""

    def starts(near: date) -> Iterator[date]:
        months = (near.year * 12 + near.month - 1 + n for n in range(-15, 16))
        return _existing((n // 12, n % 12 + 1, day) for n in months)

    return starts


def exact_date(year: int, month: int, day: int) -> date:
    """That date. Raises BadDate."""
    try:
        return date(year, month, day)
    except ValueError:
        raise BadDate(f"there is no {year:04}-{month:02}-{day:02}", hint="dates are written year-month-day") from None


def at(clock: LocalTime, day: date, when: time, seconds: int = 60) -> Span:
    """A time of a day, `seconds` long. Raises OverflowError."""
    start = clock.us(datetime.combine(day, when))
    return Span(start, start + seconds * SECOND, start)


def _existing(candidates: Iterable[tuple[int, int, int]]) -> Iterator[date]:
    for year, month, day in candidates:
        if 1 <= year <= 9999 and 1 <= day <= days_in(year, month):
            yield date(year, month, day)


def _possible(clock: LocalTime, start: date, stop: Callable[[date], date]) -> Span | None:
    try:
        return days(clock, start, stop(start))
    except (OverflowError, BadDate):
        return None
