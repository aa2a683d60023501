"""Wall clock and calendar of one time zone, in both directions, around one given moment.

It knows daylight saving time, month ends and leap days. It refuses to know what time it is: the moment comes in as an argument.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lodmem.errors import BadParameter
from lodmem.model.memory import to_datetime, to_us

SECOND = 1_000_000
SECONDS = {"second": 1, "minute": 60, "hour": 3600}
CALENDAR = ("day", "week", "month", "quarter", "year")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7}
# Names that time zone folders hold for the machine's own zone.
_SYSTEM_ZONES = ("localtime", "posixrules")


def find_zone(name: str) -> ZoneInfo:
    """The IANA zone of that name. Raises BadParameter."""
    try:
        if name not in _SYSTEM_ZONES:
            return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    raise BadParameter(f"{name!r} is not a time zone", hint="use an IANA name such as Europe/Berlin or UTC")


def shift(day: date, unit: str, count: int) -> date:
    """The day `count` calendar units later; a month that is too short gives its last day. Raises OverflowError."""
    if unit in _DAYS:
        return day + timedelta(days=_DAYS[unit] * count)
    months = day.year * 12 + day.month - 1 + _MONTHS[unit] * count
    year, month = divmod(months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("the year is outside 1 to 9999")
    return date(year, month + 1, min(day.day, days_in(year, month + 1)))


def days_in(year: int, month: int) -> int:
    """How many days the month has."""
    return monthrange(year, month)[1]


def floor(day: date, unit: str) -> date:
    """The first day of the day, week (Monday), month, quarter or year that holds `day`."""
    if unit in _DAYS:
        return day - timedelta(days=day.weekday()) if unit == "week" else day
    span = _MONTHS[unit]
    return date(day.year, (day.month - 1) // span * span + 1, 1)


class LocalTime:
    """One moment (`now_us`) seen in one zone: `here` is its wall clock time without zone, `today` its date.

    Raises BadParameter for an unknown zone and for a moment outside the years 1 to 9999.
    """

    def __init__(self, now_us: int, zone: str) -> None:
        self.zone = find_zone(zone)
        self.now_us = now_us
        try:
            self.here = self.wall(now_us)
        except OverflowError:
            raise BadParameter(f"the moment {now_us} is outside the years 1 to 9999") from None
        self.today = self.here.date()

    def wall(self, us: int) -> datetime:
        """Wall clock time, without zone, of a moment. Raises OverflowError."""
        return to_datetime(us).astimezone(self.zone).replace(tzinfo=None)

    def us(self, local: datetime) -> int:
        """The moment of a wall clock time; never earlier for a later `local`.

        A time that the clock shows twice is its first showing; one that the clock skips is the moment of the jump, so that
        the day after a skipped midnight starts where its predecessor ends. Raises OverflowError.
        """
        early = to_us(local.replace(tzinfo=self.zone, fold=0))
        late = to_us(local.replace(tzinfo=self.zone, fold=1))
        # Only in a skipped hour does the first reading (the offset before the jump) lie after the second.
        return early if early <= late else self._jump(late, early)

    def midnight(self, day: date) -> int:
        """The moment `day` begins. Raises OverflowError."""
        return self.us(datetime.combine(day, time()))

    def ago(self, count: int, unit: str) -> int:
        """The moment `count` units before now (after now if negative): clock units are exact, calendar units keep the time
        of day. Raises OverflowError."""
        if unit in SECONDS:
            return self.now_us - count * SECONDS[unit] * SECOND
        return self.us(datetime.combine(shift(self.today, unit, -count), self.here.time()))

    def _jump(self, low: int, high: int) -> int:
        """The moment within (low, high] at which the offset to UTC changes."""
        before = self._offset(low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._offset(middle) == before else (low, middle)
        return high

    def _offset(self, us: int) -> timedelta | None:
        return to_datetime(us).astimezone(self.zone).utcoffset()
