"""Dates as people write them, to moments and back: "last week", "since March", "1 March - 5 April", "3 days ago".

Times are microseconds since 1970 UTC; words are read in the caller's IANA zone; weeks begin on Monday. `now_us` is the only
clock. It refuses to guess: what is no date, does not exist or can be read in two ways is a BadDate.

A phrase without a year, month or date ("March", "the 3rd", "Monday", "5pm") is its most recent one that has begun. Behind the
start of a range it is the first one from there; before a complete end, the last one up to there.
"last week" is the previous calendar week; "the last week", "past week", "last 7 days" and "7d" end with the present moment.
"two weeks ago" is one calendar day; "3 hours ago" is the hour that began then. "until Friday" includes Friday, "after Friday"
begins when it is over. A local time that the clock skips is the moment of the jump; one that it shows twice is the first.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

from lodmem.errors import BadDate
from lodmem.model.memory import to_datetime
from lodmem.text.when.english import MONTHS, phrase
from lodmem.text.when.foreign import foreign
from lodmem.text.when.localtime import SECOND, LocalTime
from lodmem.text.when.spans import Phrase, Span

MAX_CHARS = 120
HINT = 'try "last week", "since March", "3 days ago", "7d", "2024-05-01", "2024-05-01T10:00" or "1 March - 5 April"'

_OPENERS = ("since", "from", "starting", "starting from", "starting on", "after", "between")
_CLOSERS = ("until", "till", "til", "up to", "through", "thru", "by", "before")
_OPENER = re.compile(rf"(?P<opener>{'|'.join(sorted(_OPENERS, key=len, reverse=True))}) (?P<rest>.+)")
_CLOSER = re.compile(rf"(?P<closer>{'|'.join(_CLOSERS)}) (?P<rest>.+)")
_SEPARATOR = re.compile(
    r" (?P<word>(?:and )?(?:to|until|till|til|up to|through|thru|before)|and|-) |(?P<dots> ?\.\.+ ?)"
    r"|(?<=\d)(?P<slash>/)(?=\d{4}-)"
)
_NAMES = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
_TH = r"(?:st|nd|rd|th)?"
_TWO_DAYS = re.compile(
    rf"(?P<one>\d\d?){_TH}(?: (?:to|and|until|through) | ?- ?)(?P<two>\d\d?{_TH} (?:of )?(?P<month>{_NAMES})\b.*)", re.ASCII
)
_TWO_DAYS_US = re.compile(rf"(?P<month>{_NAMES}) (?P<one>\d\d?){_TH} ?- ?(?P<two>\d\d?\b.*)", re.ASCII)

_MONTH, _YEAR = 2_629_746 * SECOND, 31_556_952 * SECOND
# (letter, microseconds, how often it is counted before the next one begins)
_UNITS = (("m", 60 * SECOND, 60), ("h", 3600 * SECOND, 24), ("d", 86_400 * SECOND, 7), ("w", 7 * 86_400 * SECOND, 5))
# Ages below a year by the microsecond they begin with. A month is 30.436875 days and is said from 30 days on.
_AGES = {
    0: "now",
    **{unit * count: f"{count}{letter}" for letter, unit, limit in _UNITS for count in range(1, limit)},
    30 * 86_400 * SECOND: "1mo",
    **{_MONTH * count: f"{count}mo" for count in range(2, 12)},
}
_BEGIN, _AGE = tuple(_AGES), tuple(_AGES.values())


def parse_range(text: str, *, now_us: int, zone: str = "UTC") -> tuple[int | None, int | None]:
    """[since, until) in microseconds UTC; None on a side that is open. Where both are given, since < until.

    Raises:
        BadDate: not a date, a date that does not exist or is ambiguous, or a range that ends before it starts.
        BadParameter: `zone` is not an IANA zone.
    """
    clock = LocalTime(now_us, zone)
    try:
        return _checked(text, *_bounds(_tidy(text), clock, text))
    except OverflowError:
        raise BadDate(f"{_shown(text)} is outside the years 1 to 9999", hint=HINT) from None


def parse_point(text: str, *, now_us: int, zone: str = "UTC", edge: Literal["start", "end"] = "start") -> int:
    """The moment a date begins (`edge` "start") or is over ("end"): as a bound, "end" includes the day, month, ... named.

    A time of the clock, and a bare "7d" (seven days ago), are the same moment at both edges.

    Raises:
        BadDate: as `parse_range`, or the range named is open on that side.
        BadParameter: `zone` is not an IANA zone.
    """
    clock = LocalTime(now_us, zone)
    try:
        tidy = _tidy(text)
        found = _phrase(tidy, clock)
        span = found.latest(now_us) if found else None
        if span:
            bounds: tuple[int | None, int | None] = (span.start, span.end)
        else:
            bounds = _checked(text, *_bounds(tidy, clock, text))
        bound = bounds[0 if edge == "start" else 1]
        if bound is None:
            raise BadDate(f"{_shown(text)} has no {edge}", hint=HINT)
        to_datetime(bound)
    except OverflowError:
        raise BadDate(f"{_shown(text)} is outside the years 1 to 9999", hint=HINT) from None
    return bound


def relative(us: int, now_us: int) -> str:
    """How long ago, in one unit rounded down: "now", "5m", "3h", "2d", "3w", "5mo", "2y"; what is to come is "in 3d"."""
    away = abs(now_us - us)
    age = f"{away // _YEAR}y" if away >= _YEAR else _AGE[bisect_right(_BEGIN, away) - 1]
    return f"in {age}" if us > now_us and away >= _BEGIN[1] else age


# -- ranges -----------------------------------------------------------------------------------------------------------


def _bounds(tidy: str, clock: LocalTime, text: str) -> tuple[int | None, int | None]:
    """Both sides of what the text names, not yet checked."""
    for opener, left, closer, right in _splits(tidy):
        one, two = _phrase(left, clock), _phrase(right, clock)
        if one and two and (spans := _pair(one, two, clock.now_us)):
            first, last = spans
            return (first.end if opener == "after" else first.start), (last.start if closer == "before" else last.end)
    if closing := _CLOSER.fullmatch(tidy):
        last = _only(closing["rest"], clock, text)
        return None, (last.start if closing["closer"] == "before" else last.end)
    opening = _OPENER.fullmatch(tidy)
    if opening and opening["opener"] != "between":
        first = _only(opening["rest"], clock, text)
        return (first.end if opening["opener"] == "after" else first.start), None
    only = _only(tidy, clock, text)
    return only.start, only.stop


def _splits(tidy: str) -> Iterator[tuple[str, str, str, str]]:
    """Every way to read the text as a range of two dates: opener, first date, closer, second date."""
    opening = _OPENER.fullmatch(tidy)
    opener, rest = (opening["opener"], opening["rest"]) if opening else ("", tidy)
    if short := _TWO_DAYS.fullmatch(rest) or _TWO_DAYS_US.fullmatch(rest):
        one, two = f"{short['one']} {short['month']}", short["two"]
        year = re.search(r" [12]\d{3}$", two)
        yield opener, one + (year[0] if year else ""), "to", two if short["month"] in two else f"{short['month']} {two}"
    for found in _SEPARATOR.finditer(rest):
        left, word, right = rest[: found.start()], found["word"] or "to", rest[found.end() :]
        if left and right and (word != "and" or opener == "between"):
            yield opener, left.strip(), word.removeprefix("and "), right.strip()


def _pair(one: Phrase, two: Phrase, now_us: int) -> tuple[Span, Span] | None:
    """The two spans of a range: what recurs is read so that the second follows the first."""
    if not one.fixed and two.fixed:
        last = two.latest(now_us)
        first = one.latest(last.start) if last else None
    else:
        first = one.latest(now_us)
        last = two.first(first.start) if first else None
    return (first, last) if first and last else None


def _only(text: str, clock: LocalTime, given: str) -> Span:
    found = _phrase(text, clock)
    span = found.latest(clock.now_us) if found else None
    if span is None:
        raise BadDate(f"{_shown(given)} is not a date or a range of dates", hint=HINT)
    return span


def _phrase(text: str, clock: LocalTime) -> Phrase | None:
    return phrase(text, clock) or foreign(text, clock)


def _checked(text: str, since: int | None, until: int | None) -> tuple[int | None, int | None]:
    for bound in (since, until):
        if bound is not None:
            to_datetime(bound)
    if since is not None and until is not None and until <= since:
        raise BadDate(f"the range {_shown(text)} ends before it starts", hint="give the earlier date first")
    return since, until


def _tidy(text: str) -> str:
    """Lower case, single spaces, plain dashes, no commas, no full stops behind words. Raises BadDate: empty or long."""
    if len(text) > MAX_CHARS:
        raise BadDate(f"a date of {len(text)} characters", hint=HINT)
    plain = unicodedata.normalize("NFKC", text).lower()
    plain = re.sub("[\u2010\u2011\u2212]", "-", plain)
    plain = re.sub("[\u2012-\u2015]", " - ", plain).replace(",", " ")
    plain = re.sub(r"(?<=[^\W\d])\.(?!\.)", "", plain)
    plain = re.sub(r"(?<!\.\d)(?<!\.\d\d)[.!?;:]+$", "", plain.strip())
    plain = " ".join(plain.strip("\"'`").split())
    if not plain:
        raise BadDate("an empty date", hint=HINT)
    return plain


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")
