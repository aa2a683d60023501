"""English phrases for single dates: "last week", "3 May", "the 3rd", "yesterday at 5pm", "Q1 2024", and ISO 8601.

Each rule is a pattern and what it stands for. It refuses to guess: a date that can be read in two ways is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import partial

from lodmem.errors import BadDate
from lodmem.model.memory import to_us
from lodmem.text.when.localtime import CALENDAR, SECOND, SECONDS, LocalTime, days_in, floor, shift
from lodmem.text.when.spans import Phrase, Span, at, days, exact_date, fixed, monthly, recurring, unit, yearly

MONTHS: tuple[str, ...] = ("january", "february", "march", "april", "may", "june")
MONTHS += ("july", "august", "september", "october", "november", "december")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_WHICH = {"this": 0, "current": 0, "last": -1, "previous": -1, "next": 1}
_UNITS = {"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour", "hr": "hour", "d": "day"}
_UNITS |= {"w": "week", "wk": "week", "mo": "month", "y": "year", "yr": "year"} | {name: name for name in (*SECONDS, *CALENDAR)}
# Hours after midnight at which the parts of a day begin and end.
_PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}

_N = rf"(?P<n>\d{{1,6}} ?|(?:an?|(?:a )?couple(?: of)?|{'|'.join(_COUNTS)}) )"
_UNIT = rf"(?P<unit>{'|'.join((*SECONDS, *CALENDAR))})s?"
_ANY_UNIT = rf"(?P<unit>{'|'.join(_UNITS)})s?"
_WHICH_ONE = rf"(?P<which>{'|'.join(_WHICH)})"
_MONTH = rf"(?P<month>{'|'.join(MONTHS)}|{'|'.join(name[:3] for name in MONTHS)}|sept)"
_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)}|{'|'.join(name[:3] for name in WEEKDAYS)}|tues|thurs?)"
_YEAR = r"(?P<year>[12]\d{3})"
_DAY = r"(?P<day>\d{1,2})"
_TH = r"(?:st|nd|rd|th)"
_TIME = r"(?:(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))? ?(?P<half>am|pm)?"
_TIME += r"|(?P<hour12>\d{1,2}) ?(?P<half12>am|pm)|(?P<word>noon|midday|midnight))"

Rule = Callable[["re.Match[str]", LocalTime], Phrase | None]
_RULES: list[tuple[re.Pattern[str], Rule]] = []


def _rule(*patterns: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        _RULES.extend((re.compile(pattern, re.ASCII), rule) for pattern in patterns)
        return rule

    return register


def phrase(text: str, clock: LocalTime) -> Phrase | None:
    """What a lower-case English phrase with single spaces and no commas stands for, None if it is not one.

    Raises:
        BadDate: it is a date that does not exist or can be read in two ways.
        OverflowError: it lies outside the years 1 to 9999.
    """
    for pattern, rule in _RULES:
        if (match := pattern.fullmatch(text)) and (found := rule(match, clock)):
            return found
    word, _, rest = text.partition(" ")
    return phrase(rest, clock) if rest and word in ("on", "in", "at", "during", "within", "over", "for", "of", "the") else None


# -- relative to now --------------------------------------------------------------------------------------------------


@_rule(r"(?:just |right )?now|this moment")
def _now(_: re.Match[str], clock: LocalTime) -> Phrase:
    return fixed(Span(clock.now_us, clock.now_us + 1, clock.now_us + 1))


@_rule(r"(?P<word>today|yesterday|tomorrow|(?:the )?day before yesterday|(?:the )?day after tomorrow)")
def _today(match: re.Match[str], clock: LocalTime) -> Phrase:
    word = match["word"].removeprefix("the ")
    away = {"today": 0, "yesterday": -1, "tomorrow": 1, "day before yesterday": -2, "day after tomorrow": 2}[word]
    return unit(clock, "day", clock.today, away)


@_rule(r"tonight|(?P<last>last) night|this (?P<part>morning|afternoon|evening)")
def _tonight(match: re.Match[str], clock: LocalTime) -> Phrase:
    day = shift(clock.today, "day", -1 if match["last"] else 0)
    return fixed(_part_of(clock, day, match["part"] or "night"))


@_rule(
    rf"(?:the )?(?P<which>this|current|previous|next) (?P<unit>{'|'.join(CALENDAR)})",
    rf"(?P<which>last) (?P<unit>{'|'.join(CALENDAR)})",
)
def _this_unit(match: re.Match[str], clock: LocalTime) -> Phrase:
    return unit(clock, match["unit"], clock.today, _WHICH[match["which"]])


@_rule(r"(?:the )?(?P<unit>week|month|quarter|year) before last")
def _before_last(match: re.Match[str], clock: LocalTime) -> Phrase:
    return unit(clock, match["unit"], clock.today, -2)


@_rule(
    rf"(?:the )?(?:last|past|previous) {_N}{_ANY_UNIT}",
    rf"(?:the )?past {_UNIT}",
    rf"the last {_UNIT}",
    r"last (?P<unit>second|minute|hour)",
)
def _rolling(match: re.Match[str], clock: LocalTime) -> Phrase | None:
    count = _number(match) if "n" in match.groupdict() else 1
    # The present moment belongs to it: what was written just now is among the last hour's.
    stop = clock.now_us + 1
    return fixed(Span(clock.ago(count, _UNITS[match["unit"]]), stop, stop)) if count else None


@_rule(rf"{_N}{_ANY_UNIT}")
def _bare(match: re.Match[str], clock: LocalTime) -> Phrase | None:
    count = _number(match)
    start = clock.ago(count, _UNITS[match["unit"]])
    return fixed(Span(start, clock.now_us + 1, start)) if count else None


@_rule(rf"(?:the )?next {_N}{_ANY_UNIT}")
def _coming(match: re.Match[str], clock: LocalTime) -> Phrase | None:
    count = _number(match)
    stop = clock.ago(-count, _UNITS[match["unit"]])
    return fixed(Span(clock.now_us, stop, stop)) if count else None


@_rule(rf"{_N}{_ANY_UNIT} (?P<ago>ago|back|earlier)", rf"in {_N}{_ANY_UNIT}", rf"{_N}{_ANY_UNIT} from now")
def _ago(match: re.Match[str], clock: LocalTime) -> Phrase:
    name = _UNITS[match["unit"]]
    count = -_number(match) if "ago" in match.groupdict() else _number(match)
    if name in CALENDAR:
        return unit(clock, "day", shift(clock.today, name, count))
    start = clock.ago(-count, name)
    return fixed(Span(start, start + SECONDS[name] * SECOND, start))


# -- years, quarters, months, weeks -----------------------------------------------------------------------------------


@_rule(_YEAR, rf"(?:the )?year {_YEAR}")
def _year(match: re.Match[str], clock: LocalTime) -> Phrase:
    return unit(clock, "year", date(int(match["year"]), 1, 1))


@_rule(
    rf"q(?P<q>[1-4])(?:[ /-]?{_YEAR})?",
    rf"{_YEAR}[ /-]?q(?P<q>[1-4])",
    rf"(?:the )?(?P<q>{'|'.join(_ORDINALS)}) quarter(?: (?:of )?{_YEAR})?",
)
def _quarter(match: re.Match[str], clock: LocalTime) -> Phrase:
    month = 3 * (_ORDINALS.get(match["q"]) or int(match["q"])) - 2
    if match["year"]:
        return unit(clock, "quarter", date(int(match["year"]), month, 1))
    return recurring(clock, yearly(month, 1), partial(shift, unit="quarter", count=1))


@_rule(rf"{_MONTH}(?: (?:of )?{_YEAR}|-{_YEAR.replace('year', 'year2')})?")
def _month_name(match: re.Match[str], clock: LocalTime) -> Phrase:
    year = match["year"] or match["year2"]
    if year:
        return unit(clock, "month", date(int(year), _month(match), 1))
    return recurring(clock, yearly(_month(match), 1), partial(shift, unit="month", count=1))


@_rule(rf"{_WHICH_ONE} {_MONTH}")
def _which_month(match: re.Match[str], clock: LocalTime) -> Phrase:
    start = date(clock.today.year, _month(match), 1)
    current = floor(clock.today, "month")
    years = {0: 0, -1: -1 if start >= current else 0, 1: 0 if start > current else 1}[_WHICH[match["which"]]]
    return unit(clock, "month", shift(start, "year", years))


@_rule(rf"{_YEAR}[-/](?P<number>\d\d?)", rf"(?P<number>\d\d?)/{_YEAR}")
def _month_number(match: re.Match[str], clock: LocalTime) -> Phrase:
    return unit(clock, "month", exact_date(int(match["year"]), int(match["number"]), 1))


@_rule(rf"{_YEAR}-?w(?P<week>\d\d?)", rf"week (?P<week>\d\d?)(?: of)? {_YEAR}")
def _iso_week(match: re.Match[str], clock: LocalTime) -> Phrase:
    try:
        return unit(clock, "week", date.fromisocalendar(int(match["year"]), int(match["week"]), 1))
    except ValueError:
        raise BadDate(f"{match['year']} has no week {match['week']}", hint="ISO weeks are 1 to 52 or 53") from None


@_rule(r"(?:the )?week (?:of|starting|beginning) (?P<rest>.+)")
def _week_of(match: re.Match[str], clock: LocalTime) -> Phrase | None:
    inner = phrase(match["rest"], clock)
    if inner is None or not _is_day(inner, clock):
        return None
    return inner.map(lambda span: unit(clock, "week", span.day).latest(0) if span.day else None)


@_rule(r"(?:(?P<which>this|current|last|previous|next) )?(?:the )?weekend")
def _weekend(match: re.Match[str], clock: LocalTime) -> Phrase:
    def saturday(day: date, weeks: int) -> date:
        return shift(floor(day, "week"), "day", 7 * weeks + 5)

    if match["which"]:
        start = saturday(clock.today, _WHICH[match["which"]])
        return fixed(days(clock, start, shift(start, "day", 2)))
    return recurring(clock, lambda near: [saturday(near, n) for n in (-1, 0, 1)], partial(shift, unit="day", count=2))


# -- days -------------------------------------------------------------------------------------------------------------


@_rule(rf"{_YEAR}(?P<sep>[-/.])(?P<number>\d\d?)(?P=sep){_DAY}", rf"{_YEAR}(?P<number>\d\d)(?P<day>\d\d)")
def _iso_day(match: re.Match[str], clock: LocalTime) -> Phrase:
    return unit(clock, "day", exact_date(int(match["year"]), int(match["number"]), int(match["day"])))


@_rule(
    rf"(?:the )?{_DAY}{_TH}? (?:of )?{_MONTH}(?: (?:of )?{_YEAR})?",
    rf"{_MONTH} (?:the )?{_DAY}{_TH}?(?: (?:of )?{_YEAR})?",
    rf"{_DAY}-{_MONTH}(?:-{_YEAR})?",
)
def _day_and_month(match: re.Match[str], clock: LocalTime) -> Phrase:
    return _day(clock, match["year"], _month(match), int(match["day"]))


@_rule(rf"{_DAY}\. ?(?P<number>\d\d?)\.?(?: ?{_YEAR})?")
def _dotted(match: re.Match[str], clock: LocalTime) -> Phrase | None:
    # Dots mean day first wherever they are used; "3.5" alone is a number.
    if not match["year"] and not match[0].endswith("."):
        return None
    return _day(clock, match["year"], int(match["number"]), int(match["day"]))


@_rule(rf"(?P<one>\d\d?)(?P<sep>[/-])(?P<two>\d\d?)(?P=sep){_YEAR}")
def _slashed(match: re.Match[str], clock: LocalTime) -> Phrase:
    one, two, year = int(match["one"]), int(match["two"]), int(match["year"])
    if one <= 12 and two <= 12 and one != two:
        raise BadDate(
            f"{match[0]!r} can be read as two dates", hint=f"write {year}-{one:02}-{two:02} or {year}-{two:02}-{one:02}"
        )
    return (
        _day(clock, match["year"], min(one, two), max(one, two))
        if min(one, two) <= 12
        else _day(clock, match["year"], two, one)
    )


@_rule(rf"(?:the )?{_DAY}{_TH}(?: (?:of )?{_WHICH_ONE} month)?")
def _day_of_month(match: re.Match[str], clock: LocalTime) -> Phrase:
    day = int(match["day"])
    if match["which"]:
        month = shift(floor(clock.today, "month"), "month", _WHICH[match["which"]])
        return unit(clock, "day", exact_date(month.year, month.month, day))
    return recurring(clock, monthly(day), partial(shift, unit="day", count=1))


@_rule(
    rf"(?:(?P<which>this|last|previous|past|next) )?{_WEEKDAY}", rf"{_WEEKDAY} (?:of )?(?P<week>this|last|previous|next) week"
)
def _weekday_name(match: re.Match[str], clock: LocalTime) -> Phrase:
    number, groups = _weekday(match), match.groupdict()
    if week := groups.get("week"):
        return unit(clock, "day", shift(floor(clock.today, "week"), "day", number + 7 * _WHICH[week]))
    if (which := groups.get("which")) == "this":
        return unit(clock, "day", shift(floor(clock.today, "week"), "day", number))
    back = (clock.today.weekday() - number) % 7
    if which == "next":
        return unit(clock, "day", shift(clock.today, "day", 7 - back))
    if which:
        return unit(clock, "day", shift(clock.today, "day", -(back or 7)))
    starts = lambda near: [shift(near, "day", (number - near.weekday()) % 7 + n) for n in (-14, -7, 0, 7)]  # noqa: E731
    return recurring(clock, starts, partial(shift, unit="day", count=1))


@_rule(rf"{_WEEKDAY} (?P<rest>.*\d.*)")
def _weekday_and_day(match: re.Match[str], clock: LocalTime) -> Phrase | None:
    inner, number = phrase(match["rest"], clock), _weekday(match)
    if inner is None or not _is_day(inner, clock):
        return None
    found = inner.map(lambda span: span if span.day and span.day.weekday() == number else None)
    if not found.near(clock.now_us):
        raise BadDate(f"{match['rest']} is not a {WEEKDAYS[number].title()}", hint="leave the weekday out")
    return found


# -- parts and times of a day -----------------------------------------------------------------------------------------


@_rule(rf"(?P<rest>.+) (?P<part>{'|'.join(_PARTS)})")
def _day_part(match: re.Match[str], clock: LocalTime) -> Phrase | None:
    inner = phrase(match["rest"], clock)
    if inner is None or not _is_day(inner, clock):
        return None
    return inner.map(lambda span: _part_of(clock, span.day, match["part"]) if span.day else None)


@_rule(
    rf"{_YEAR}-(?P<number>\d\d)-(?P<day>\d\d)[t ](?P<hour>\d\d):(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?P<fraction>\.\d{1,6})?)? ?(?P<zone>z|utc|gmt|[+-]\d\d:?\d\d)?"
)
def _iso_time(match: re.Match[str], clock: LocalTime) -> Phrase:
    day = exact_date(int(match["year"]), int(match["number"]), int(match["day"]))
    when = _time(match["hour"], match["minute"], match["second"], "")
    seconds = 1 if match["second"] else 60
    if not match["zone"]:
        span = at(clock, day, when, seconds)
    else:
        start = to_us(datetime.combine(day, when, _offset(match["zone"])))
        span = Span(start, start + seconds * SECOND, start)
    extra = round(float(match["fraction"] or 0) * SECOND)
    return fixed(Span(span.start + extra, span.stop + extra, span.end + extra))


@_rule(rf"(?:at )?{_TIME}", rf"(?P<rest>.+?) (?:at )?{_TIME}", rf"(?:at )?{_TIME} (?:on )?(?P<rest>.+)")
def _clock_time(match: re.Match[str], clock: LocalTime) -> Phrase | None:
    inner = phrase(match["rest"], clock) if "rest" in match.groupdict() else None
    if "rest" in match.groupdict() and (inner is None or not _is_day(inner, clock)):
        return None
    if match["word"]:
        when = time(0 if match["word"] == "midnight" else 12)
    else:
        when = _time(match["hour"] or match["hour12"], match["minute"], match["second"], match["half"] or match["half12"])
    seconds = 1 if match["second"] else 60
    if inner is not None:
        return inner.map(lambda span: at(clock, span.day, when, seconds) if span.day else None)
    return Phrase(
        lambda us: [at(clock, shift(clock.wall(us).date(), "day", n), when, seconds) for n in (-1, 0, 1)], fixed=False
    )


# -- reading a match --------------------------------------------------------------------------------------------------


def _number(match: re.Match[str]) -> int:
    word = match["n"].rstrip()
    if word.isdigit():
        return int(word)
    return 2 if "couple" in word else _COUNTS.index(word) if word in _COUNTS else 1


def _month(match: re.Match[str]) -> int:
    return next(n for n, name in enumerate(MONTHS, 1) if name.startswith(match["month"][:3]))


def _weekday(match: re.Match[str]) -> int:
    return next(n for n, name in enumerate(WEEKDAYS) if name.startswith(match["weekday"][:3]))


def _day(clock: LocalTime, year: str | None, month: int, day: int) -> Phrase:
    if year:
        return unit(clock, "day", exact_date(int(year), month, day))
    if not 1 <= month <= 12 or not 1 <= day <= days_in(2000, month):
        raise BadDate(f"no year has a day {day} in its month {month}", hint="dates are written year-month-day")
    return recurring(clock, yearly(month, day), partial(shift, unit="day", count=1))


def _is_day(found: Phrase, clock: LocalTime) -> bool:
    return any(span.day for span in found.near(clock.now_us))


def _part_of(clock: LocalTime, day: date, part: str) -> Span:
    midnight = datetime.combine(day, time())
    start, stop = (clock.us(midnight + timedelta(hours=hours)) for hours in _PARTS[part])
    if start >= stop:
        raise BadDate(f"the {part} of {day} did not happen in {clock.zone.key}", hint="the zone moved across the date line")
    return Span(start, stop, stop)


def _time(hour: str, minute: str | None, second: str | None, half: str | None) -> time:
    hours = int(hour)
    if half and not 1 <= hours <= 12:
        raise BadDate(f"there is no {hour} {half}", hint="hours before am and pm are 1 to 12")
    hours = hours % 12 + (12 if half == "pm" else 0) if half else hours
    try:
        return time(hours, int(minute or 0), int(second or 0))
    except ValueError:
        raise BadDate(f"there is no time {hour}:{minute or '00'}", hint="times are 00:00 to 23:59") from None


def _offset(zone: str) -> timezone:
    if zone[0] not in "+-":
        return UTC
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    if hours > 23 or minutes > 59:
        raise BadDate(f"there is no offset {zone}", hint="write +HH:MM")
    ahead = timedelta(hours=hours, minutes=minutes)
    return timezone(ahead if zone[0] == "+" else -ahead)
