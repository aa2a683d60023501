"""A caller's words become a query: natural dates, names of tiers and kinds, filters and overrides. It asks nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypedDict, TypeVar
from zoneinfo import ZoneInfo

from lodmem.errors import BadParameter
from lodmem.model.memory import Kind, Priority, Status, Tier, check_space, to_us
from lodmem.model.profile import TUNABLE, Profile
from lodmem.model.query import Filters, Mode, Query
from lodmem.text.dates import parse_point, parse_range

When = datetime | str


class Seeing(TypedDict, total=False):
    """Filters, and parameters that override the profile for this call."""

    exclude: str | Sequence[str]
    since: When | None
    until: When | None
    as_of: When | None
    space: str | None
    agents: Sequence[str]
    kinds: Sequence[str]
    tags: Sequence[str]
    status: Sequence[str]
    expired: bool | None
    source: str | None
    retrieved: bool | None
    last_tier: Sequence[str]
    fill: bool
    facing: bool
    touch: bool
    offset: int
    profile: str | None
    alpha: float | None
    lambda_: float | None
    theta1: float | None
    theta2: float | None
    theta3: float | None
    k: int | None
    budget: int | None
    promote_at: float | None
    relevance: str | None


class Asking(Seeing, total=False):
    """What every look takes."""

    limit: int | None


_KNOWN = Asking.__optional_keys__


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads what a caller asks, at one moment, in one time zone."""

    now_us: int
    zone: ZoneInfo

    def query(self, mode: Mode, asking: Asking, *, text: str = "", seed: int | None = None, when: str | None = None) -> Query:
        """The query of a look. `when`: a time window in words. Raises BadParameter, BadDate."""
        if unknown := set(asking) - _KNOWN:
            raise BadParameter(f"unknown parameters: {', '.join(sorted(unknown))}", hint="one of " + ", ".join(sorted(_KNOWN)))
        exclude = asking.get("exclude", ())
        space = asking.get("space")
        since, until = self._range(asking, when)
        return Query(
            mode=mode,
            text=text,
            exclude=(exclude,) if isinstance(exclude, str) else tuple(exclude),
            filters=Filters(
                space=check_space(space) if space else None,
                agents=several(asking.get("agents", ())),
                kinds=tuple(member(Kind, kind, "kind") for kind in several(asking.get("kinds", ()))),
                tags=several(asking.get("tags", ())),
                status=tuple(member(Status, status, "status") for status in several(asking.get("status", ()))),
                expired=asking.get("expired", False),
                source=asking.get("source"),
                since_us=since,
                until_us=until,
                retrieved=asking.get("retrieved"),
                last_tier=tuple(Tier.parse(tier) for tier in several(asking.get("last_tier", ()))),
                as_of_us=self._as_of(asking.get("as_of")),
            ),
            fill=asking.get("fill", False),
            facing=asking.get("facing", True),
            touch=asking.get("touch", True),
            seed=seed,
            limit=asking.get("limit"),
            offset=asking.get("offset", 0),
        )

    def _range(self, asking: Asking, when: str | None) -> tuple[int | None, int | None]:
        since, until = asking.get("since"), asking.get("until")
        if when is None:
            return self.point(since), self.point(until, edge="end")
        if since is not None or until is not None:
            raise BadParameter("give either a time window in words or since and until, not both")
        return parse_range(when, now_us=self.now_us, zone=self.zone.key)

    def _as_of(self, when: When | None) -> int | None:
        """A moment; a day or month in words means its last instant."""
        at = self.point(when, edge="end")
        return at - 1 if at is not None and isinstance(when, str) else at

    def point(self, when: When | None, *, edge: Literal["start", "end"] = "start") -> int | None:
        """Microseconds of a datetime or of natural words; `edge` of the day or month that the words name."""
        if when is None:
            return None
        if isinstance(when, datetime):
            return to_us(when)
        return parse_point(when, now_us=self.now_us, zone=self.zone.key, edge=edge)


def overridden(profile: Profile, asking: Asking) -> Profile:
    """The profile with what this call overrides. Raises BadParameter, ParameterLocked."""
    return profile.override(**{name: asking.get(name) for name in TUNABLE})


def several(values: str | Sequence[str]) -> tuple[str, ...]:
    """One name or many as a tuple."""
    return (values,) if isinstance(values, str) else tuple(values)


E = TypeVar("E", Kind, Priority, Status)


def member(kind: type[E], value: str, what: str) -> E:
    """The member of that name. Raises BadParameter with the names there are."""
    try:
        return kind(value)
    except ValueError:
        raise BadParameter(f"{value!r} is not a {what}", hint="one of " + ", ".join(kind)) from None


def time_zone(name: str) -> ZoneInfo:
    """The IANA zone. Raises BadParameter."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise BadParameter(f"{name!r} is not a time zone", hint="use an IANA name such as Europe/Berlin") from None
