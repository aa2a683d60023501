"""What can be asked: filters shared by every mode, and the search itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from lodmem.errors import BadEncoding, BadParameter
from lodmem.model.memory import Kind, Status, Tier

MAX_QUERY_CHARS = 20_000


class Mode(StrEnum):
    SEARCH = "search"
    WINDOW = "window"
    RANDOM = "random"
    UNSEEN = "unseen"
    RECENT = "recent"
    IMPORTANT = "important"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which memories are looked at. Empty tuples and None mean no restriction.

    `space` takes the space and all below it. `since_us` is inclusive and `until_us` exclusive, both on `created_at`.
    `status` empty: active, stale and conflict; superseded, quarantined and archived stay out unless named. `expired` False
    leaves out what has expired, True looks at nothing else, None at both.
    `as_of_us`: what was known (ingested or, for given times, created) and true (validity) then; superseded ones that were
    valid then come back. `tags`: all of them. `source`: uri prefix.
    """

    space: str | None = None
    agents: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    status: tuple[Status, ...] = ()
    expired: bool | None = False
    source: str | None = None
    since_us: int | None = None
    until_us: int | None = None
    retrieved: bool | None = None
    last_tier: tuple[Tier, ...] = ()
    as_of_us: int | None = None

    def __post_init__(self) -> None:
        if self.since_us is not None and self.until_us is not None and self.until_us <= self.since_us:
            raise BadParameter("the time range ends before it starts", hint="since must be earlier than until")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One look at the store. `text` is needed for Mode.SEARCH alone. `limit` and `offset` page the modes without a query."""

    mode: Mode = Mode.SEARCH
    text: str = ""
    exclude: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)
    fill: bool = False
    facing: bool = True
    touch: bool = True
    seed: int | None = None
    limit: int | None = None
    offset: int = 0

    def __post_init__(self) -> None:
        if len(self.text) > MAX_QUERY_CHARS:
            raise BadParameter(f"the query has {len(self.text)} characters", hint=f"at most {MAX_QUERY_CHARS}")
        if self.mode is Mode.SEARCH and not self.text.strip():
            raise BadParameter("a search needs a query", hint="or use window, recent, unseen, important or random")
        if any(not term.strip() or len(term) > 1000 for term in self.exclude):
            raise BadParameter("an exclusion is empty or longer than 1000 characters")
        for text in (self.text, *self.exclude):
            _check_encoding(text)
        if self.limit is not None and not _is_count(self.limit, 1):
            raise BadParameter(f"limit must be a whole number of at least 1, got {self.limit!r}")
        if not _is_count(self.offset, 0):
            raise BadParameter(f"offset must be a whole number of at least 0, got {self.offset!r}")
        if self.seed is not None and not _is_count(self.seed, 0):
            raise BadParameter(f"seed must be a whole number of at least 0, got {self.seed!r}")


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _check_encoding(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadEncoding(
            f"the query holds a lone surrogate at position {error.start}",
            hint="it was decoded wrongly; decode the original bytes as UTF-8",
        ) from None
