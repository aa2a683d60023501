"""What language models cost: calls, what they used, what may be used and how fast, and when a failing model is left in peace.

Tokens are the server's. Money is in millionths of the currency that the prices are in, so that sums are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from zoneinfo import ZoneInfo

from lodmem.errors import BadParameter
from lodmem.model.memory import to_datetime, to_us

DEFAULT_DAY_TOKENS = 500_000
MILLION = 1_000_000

FAILURES = 5  # in a row, and the model is left in peace
LOOK_BACK = 20  # calls that say whether a model rests
_REST_US = 30 * MILLION
_LONGEST_REST_US = 900 * MILLION
_PROBE_US = 300 * MILLION  # a call still open after so long was killed

PERIODS = ("day", "run", "store")
MINUTE = "minute"
MINUTE_US = 60 * MILLION


class Outcome(StrEnum):
    """How a call ended. OPEN: it is under way, or its process was killed; its worst case then stays counted."""

    OPEN = "open"
    DONE = "done"
    UNAVAILABLE = "unavailable"
    BAD_ANSWER = "bad_answer"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmCall:
    """One request to a language model. `run`: the process that made it; `cost` in millionths, 0 where no price is known."""

    at_us: int
    run: str
    model: str
    task: str
    tokens_in: int
    tokens_out: int
    cost: int = 0
    outcome: Outcome = Outcome.OPEN

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the calls of one model for one task came to. `failed`: those without an answer that could be used."""

    model: str
    task: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int
    cost: int

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What all calls since `since_us` (of one `run`; '' of any) may come to together; None: as much as they like."""

    period: str
    since_us: int = 0
    run: str = ""
    calls: int | None = None
    tokens: int | None = None
    cost: int | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens, read and written."""

    tokens_in: float
    tokens_out: float

    def of(self, tokens_in: int, tokens_out: int) -> int:
        """Cost in millionths, rounded up."""
        exact = tokens_in * self.tokens_in + tokens_out * self.tokens_out
        return int(exact) + (exact > int(exact))


@dataclass(frozen=True, slots=True)
class Rate:
    """How many requests, and tokens, there may be in any sixty seconds, of all models together; None: as many as they like.

    Raises BadParameter for less than one.
    """

    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for what, most in (("requests", self.calls), ("tokens", self.tokens)):
            if most is not None and most < 1:
                raise BadParameter(f"{most} {what} a minute are too few", hint="at least 1, or none for no limit")

    def ceiling(self, now_us: int, tokens: int = 0) -> Ceiling | None:
        """The ceiling for a request of so many tokens now; None: there is none. One of more tokens than a minute has may go
        alone, else it never could."""
        if self.calls is None and self.tokens is None:
            return None
        most = None if self.tokens is None else max(self.tokens, tokens)
        return Ceiling(period=MINUTE, since_us=now_us - MINUTE_US + 1, calls=self.calls, tokens=most)


def room_at(calls: Iterable[LlmCall], ceiling: Ceiling, call: LlmCall) -> int:
    """When a call that a minute's ceiling does not let through will have room, if none comes between and none is settled.

    `calls`: those since the ceiling's beginning.
    """
    recent = sorted(calls, key=lambda each: each.at_us)
    over_calls = 0 if ceiling.calls is None else len(recent) + 1 - ceiling.calls
    over_tokens = 0 if ceiling.tokens is None else sum(each.tokens for each in recent) + call.tokens - ceiling.tokens
    when = call.at_us
    for each in recent:
        if over_calls <= 0 and over_tokens <= 0:
            break
        over_calls, over_tokens, when = over_calls - 1, over_tokens - each.tokens, each.at_us + MINUTE_US
    return when


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What may be spent, by period (day, run, store): tokens, and money in millionths; a period that is missing has no end.

    `prices` by model; `rate`: how fast. Raises BadParameter for an unknown period.
    """

    tokens: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({"day": DEFAULT_DAY_TOKENS}))
    cost: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    prices: Mapping[str, Price] = field(default_factory=lambda: MappingProxyType({}))
    rate: Rate = field(default_factory=Rate)

    def __post_init__(self) -> None:
        for period in (*self.tokens, *self.cost):
            if period not in PERIODS:
                raise BadParameter(f"{period!r} is not a period of a spend cap", hint="one of " + ", ".join(PERIODS))

    def ceilings(self, now_us: int, zone: ZoneInfo, run: str) -> list[Ceiling]:
        """The ceilings of the caps that hold now; a day begins at midnight in `zone`."""
        since = {"day": day_of(now_us, zone)[0], "run": 0, "store": 0}
        return [
            Ceiling(
                period=period,
                since_us=since[period],
                run=run if period == "run" else "",
                tokens=self.tokens.get(period),
                cost=self.cost.get(period),
            )
            for period in PERIODS
            if period in self.tokens or period in self.cost
        ]

    def price(self, model: str, tokens_in: int, tokens_out: int) -> int:
        """What a call costs, in millionths; 0 where no price is known."""
        known = self.prices.get(model)
        return 0 if known is None else known.of(tokens_in, tokens_out)


def day_of(now_us: int, zone: ZoneInfo) -> tuple[int, int]:
    """Beginning and end of the day that holds a moment, in a zone."""
    here = to_datetime(now_us).astimezone(zone)
    first = datetime(here.year, here.month, here.day, tzinfo=zone)
    following = (first + timedelta(days=1)).date()
    return to_us(first), to_us(datetime(following.year, following.month, following.day, tzinfo=zone))


def resting_until(calls: Sequence[LlmCall], now_us: int) -> int:
    """Until when a model is not to be asked, from its latest calls, newest first; 0: it may be asked.

    After FAILURES calls in a row that it was not there for, it rests for half a minute, doubled with each further failure up to
    a quarter of an hour. Then one call tries, of whatever process: until that has ended the others go on waiting.
    """
    probing = next((c for c in calls if c.outcome is Outcome.OPEN and now_us - c.at_us < _PROBE_US), None)
    ended = [c for c in calls if c.outcome is not Outcome.OPEN]
    failures = next((n for n, c in enumerate(ended) if c.outcome is not Outcome.UNAVAILABLE), len(ended))
    if failures < FAILURES:
        return 0
    if probing is not None and probing.at_us >= ended[0].at_us:
        return probing.at_us + _PROBE_US
    until = ended[0].at_us + min(_REST_US * 2 ** (failures - FAILURES), _LONGEST_REST_US)
    return until if until > now_us else 0


# -- written by people ----------------------------------------------------------------------------------------------------


def parse_caps(text: str, *, scale: int = 1) -> dict[str, int]:
    """`day=200000, run=50000` as periods and amounts times `scale`; 'none': no cap. Raises BadParameter."""
    if text.strip().lower() == "none":
        return {}
    return {name: _amount(value, text, scale) for name, value in _pairs(text, "day=200000, run=50000")}


def parse_most(text: str) -> int | None:
    """So many a minute; 'none': as many as one likes. Raises BadParameter."""
    try:
        return None if text.strip().lower() == "none" else int(text)
    except ValueError:
        raise BadParameter(f"{text!r} is not a number a minute", hint="a whole number such as 60, or none") from None


def parse_prices(text: str) -> dict[str, Price]:
    """`MODEL=IN/OUT, ...`, prices of a million tokens. Raises BadParameter."""
    prices = {}
    for model, value in _pairs(text, "gpt-4o-mini=0.15/0.60"):
        parts = value.split("/")
        try:
            low, high = (float(part) for part in parts)
        except ValueError:
            raise BadParameter(f"{value!r} is not a price", hint="IN/OUT of a million tokens, e.g. 0.15/0.60") from None
        if not (0 <= low < MILLION and 0 <= high < MILLION):
            raise BadParameter(f"{value!r} is not a price", hint="IN/OUT of a million tokens, e.g. 0.15/0.60")
        prices[model] = Price(low, high)
    return prices


def _pairs(text: str, example: str) -> list[tuple[str, str]]:
    pairs = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.rpartition("=")
        if not equals or not name.strip() or not value.strip():
            raise BadParameter(f"{part!r} is not NAME=VALUE", hint=f"e.g. {example}")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _amount(value: str, text: str, scale: int) -> int:
    try:
        amount = float(value.replace("_", ""))
    except ValueError:
        amount = -1.0
    if not 0 <= amount < 1e12:
        raise BadParameter(f"{value!r} in {text!r} is not an amount", hint="e.g. day=200000, or none for no cap")
    return round(amount * scale)
