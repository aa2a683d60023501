"""Values that a clause gives to something: amounts, counts, shares, durations, dates, times. Pure, English besides digits.

It says what was measured (the unit and the words before the value), not whether two values contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lodmem.ingest.conflicts.clauses import Clause, terms_of, words

_WORDS = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_TENS = dict(zip(["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(30, 100, 10), strict=True))
_SPELLED = {word: value for value, word in enumerate(_WORDS)} | _TENS | {"a dozen": 12, "half a dozen": 6}
_MONTHS = words("january february march april may june july august september october november december")
_MONTH = "|".join([*_MONTHS, *(f"{m[:3]}\\.?" for m in _MONTHS if m != "may"), "sept\\.?"])
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_SPELL = "|".join(sorted(_SPELLED, key=len, reverse=True))
_NUM = rf"(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|(?:{_SPELL})(?:[- ](?:{'|'.join(_WORDS[1:10])}))?)"
_TIME_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|ms|milliseconds?)"

_MONEY = re.compile(r"(?<![\w.])([$€£¥])\s?(\d[\d,]*(?:\.\d+)?)\s?(k|m|million|thousand|billion)?\b", re.IGNORECASE)
_MONEY_AFTER = re.compile(
    r"(?<![\w.,$€£])(\d[\d,]*(?:\.\d+)?)\s?(?:€|£|(?:euros?|dollars?|pounds?|bucks|USD|EUR|GBP)\b)", re.IGNORECASE
)
_PERCENT = re.compile(r"(?<![\w.,$])(\d+(?:\.\d+)?)\s?(?:%|percent\b)", re.IGNORECASE)
_DATE = re.compile(
    rf"\b(?:(?P<m1>{_MONTH})\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y1>\d{{4}}))?"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{_MONTH})(?:,?\s+(?P<y2>\d{{4}}))?"
    rf"|(?P<iso>\d{{4}}-\d\d-\d\d))(?![\w-])",
    re.IGNORECASE,
)
# A day of every week; one single day says nothing of the next week.
_WEEKLY = re.compile(rf"\b(?:(?:every|each)\s+({_DAYS})|({_DAYS})s)\b", re.IGNORECASE)
_CLOCK = re.compile(
    r"\b(?:(\d{1,2})[:.](\d\d)(?:\s?([ap])\.?m\b\.?)?|(\d{1,2})\s?([ap])\.?m\b\.?|(noon|midnight)\b)", re.IGNORECASE
)
_LENGTH = re.compile(
    rf"(?<![\w.,:$/-])({_NUM})[\s-]?({_TIME_UNIT})(?:,?\s*(?:and\s+)?({_NUM})[\s-]?({_TIME_UNIT}))?\b(?!-)", re.IGNORECASE
)
_COUNT = re.compile(
    rf"(?<![\w.,:$/#-])({_NUM})(?![\w%:/.-]*[\d%/])\s+((?:[a-z][\w'’/-]*\s+){{0,3}}?[a-z][\w'’-]*|calls/\w+)", re.IGNORECASE
)
_BARE = re.compile(
    r"(?:\b(?:reached|reaches|grew to|grown to|risen to|rose to|totall?ing|totals?|now at|is now|are now|up to|down to)"
    r"|\b(?:increas|rais|extend|expand|grow|ris|reduc|drop|cut|lower|chang|bump|boost|went|gone|fell|fallen"
    r"|climb|improv|shorten|mov)\w*\b[^.,;:()\d]{0,60}?\bto|\b(?:score|rating|rank|ranking|level|index|limit|quota|count|gpa|average)s?\s+(?:\w+\s+)?"
    r"(?:is|was|are|of|at|stands at|hit))"
    r"\s+(\d[\d,]*(?:\.\d+)?)(?![\w%:/€£$-]|[.,]\d|\s?(?:%|percent|€|£)|\s+(?!this\b)(?:\w+\s+){0,2}(?!this\b|is\b|was\b|has\b|as\b)\w+s\b)",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    rf"(?<![\w.,:$/#-])({_NUM})\s?(mg|mcg|kg|lbs?|oz|km|gb|mb|tb|mph|kwh|mbps|gbps)(?![\w/])",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"\s*(?:/|per |an? |each |every )\s*(second|minute|hour|day|week|month|year|night|person|guest|unit|item)\b", re.IGNORECASE
)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "o": 2592000.0, "y": 31536000.0, "x": 0.001}


@dataclass(frozen=True, slots=True)
class Value:
    """`kind`: amount, percent, date, weekday, time, length, count. `unit` says what is counted. `size` makes values comparable.
    [start, stop) in the clause; `text` as it is written there."""

    kind: str
    unit: frozenset[str]
    size: float
    text: str
    start: int
    stop: int


def values(clause: Clause) -> Iterator[Value]:
    """The values of a clause in order of their kinds; one place gives one value."""
    return values_in(clause.text)


def values_in(text: str) -> Iterator[Value]:
    """The values of a piece of text, as `values`."""
    taken: list[tuple[int, int]] = []
    for value in _all(text):
        if not any(value.start < stop and start < value.stop for start, stop in taken):
            taken.append((value.start, value.stop))
            yield value


def _all(text: str) -> Iterator[Value]:
    none: frozenset[str] = frozenset()
    for m in _DATE.finditer(text):
        yield Value("date", none, _date(m), m[0].strip(" ,"), m.start(), m.end())
    for m in _MONEY.finditer(text):
        scale = {"k": 1e3, "t": 1e3, "m": 1e6, "b": 1e9}.get((m[3] or " ")[0].lower(), 1.0)
        yield Value("amount", _rate(text, m.end()), _number(m[2]) * scale, m[0], m.start(), m.end())
    for m in _MONEY_AFTER.finditer(text):
        yield Value("amount", none, _number(m[1]), m[0], m.start(), m.end())
    for m in _PERCENT.finditer(text):
        yield Value("percent", none, float(m[1]), m[0], m.start(), m.end())
    weekly = list(_WEEKLY.finditer(text))
    if len(weekly) == 1:  # several make a list
        m = weekly[0]
        yield Value("weekday", none, float(_WEEK.index((m[1] or m[2]).lower()[:3])), m[0], m.start(), m.end())
    yield from _counted(text)


def _counted(text: str) -> Iterator[Value]:
    """Lengths of time, times of day, ordinals and counts."""
    none: frozenset[str] = frozenset()
    for m in _LENGTH.finditer(text):
        size = _number(m[1]) * _second(m[2]) + (_number(m[3]) * _second(m[4]) if m[3] else 0.0)
        yield Value("length", _rate(text, m.end()), size, m[0], m.start(), m.end())
    for m in _CLOCK.finditer(text):
        if m[1] and not m[3] and int(m[1]) > 23:
            continue
        yield Value("time", none, _clock(m), m[0], m.start(), m.end())
    for m in _MEASURED.finditer(text):
        yield Value("count", frozenset({m[2].lower()}), _number(m[1]), m[0], m.start(), m.end())
    for m in _COUNT.finditer(text):
        unit, stop = _head(m)
        if unit:
            unit |= _rate(text, stop)
            yield Value("count", unit, _number(m[1]), text[m.start() : stop], m.start(), stop)
    for m in _BARE.finditer(text):
        yield Value("count", none, _number(m[1]), m[1], m.start(1), m.end(1))


def _rate(text: str, stop: int) -> frozenset[str]:
    """'/day' for what is counted a day."""
    found = _RATE.match(text, stop)
    return frozenset({f"/{found[1].lower()}"}) if found else frozenset()


def _head(m: re.Match[str]) -> tuple[frozenset[str], int]:
    """The plural noun that a number counts, at most four words on, and where it ends."""
    for word in re.finditer(r"[\w'’/-]+", m.string[m.end(1) : m.end(1) + 60]):
        low = word[0].lower()
        stop = m.end(1) + word.end()
        if "/" in low:
            low = low.partition("/")[0]
        if low in _STOPPERS or m.string[m.end(1) : m.end(1) + word.start()].count(" ") > 4:
            return frozenset(), 0
        if low == "times" and _RATE.match(m.string, stop):
            return terms_of(low), stop
        if low in _SPANS and word.start() > 1 and not _FULL.search(m.string[m.end(1) : m.end(1) + word.start()]):
            return terms_of(low), stop
        if len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is", "'s", "’s")) and low not in _NOT_COUNTED:
            return terms_of(low), stop
        if low in _PLURALS:
            return terms_of(low), stop
    return frozenset(), 0


def _date(m: re.Match[str]) -> float:
    if m["iso"]:
        _, month, day = m["iso"].split("-")
        return int(month) * 100.0 + int(day)
    name = (m["m1"] or m["m2"]).lower()[:3]
    return (1 + next(i for i, month in enumerate(_MONTHS) if month.startswith(name))) * 100.0 + int(m["d1"] or m["d2"])


def _clock(m: re.Match[str]) -> float:
    if m[6]:
        return 12.0 if m[6].lower() == "noon" else 0.0
    hour, minute, half = int(m[1] or m[4]), int(m[2] or 0), (m[3] or m[5] or "").lower()
    hour = hour % 12 + 12 if half == "p" else hour % 12 if half == "a" else hour
    return hour + minute / 60.0


def _second(unit: str) -> float:
    low = unit.lower()
    return _SECONDS["x" if low.startswith(("ms", "milli")) else "o" if low.startswith("mo") else low[0]]


@lru_cache(maxsize=4096)
def _number(text: str) -> float:
    low = text.lower().replace(",", "")
    if low[0].isdigit():
        return float(low)
    if low in _SPELLED:
        return float(_SPELLED[low])
    return float(sum(_SPELLED.get(part, 0) for part in re.split(r"[- ]", low)))


_WEEK = words("mon tue wed thu fri sat sun")
_SPANS = frozenset(["days", "weeks", "hours", "minutes", "months"])
_FULL = re.compile(
    r"\b(?:more|full|whole|straight|extra|business|working|consecutive|other|additional|the|of)\b", re.IGNORECASE
)
_STOPPERS = frozenset(
    words(
        "and or of the a an to in on at for with from by is are was were that which who but so because if "
        "than as it its my your their our this these those i you he she they we not more less about"
    )
)
_NOT_COUNTED = frozenset(
    words(
        "times things ways always perhaps steps others its this his is was has does yes us thus plus vs tips "
        "sides degrees units cm mm km kg lbs points step time thing place half one day year week month person "
        "of in to and or glance says asks needs wants gets makes takes gives goes comes"
    )
)
_PLURALS = frozenset(words("people children men women feet fish sheep mice series"))
