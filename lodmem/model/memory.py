"""A memory and its parts. Times are int64 microseconds since 1970 UTC (`*_us`); properties give aware datetimes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import NamedTuple

from lodmem.errors import BadParameter

DEFAULT_SPACE = "main"
DEFAULT_AGENT = "default"
MAX_TEXT_BYTES = 16 * 1024 * 1024
DEFAULT_IMPORTANCE = 0.5

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SEGMENT = re.compile(r"[\w][\w.\-]*\Z")


def to_datetime(us: int) -> datetime:
    """The aware UTC datetime of `us` microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=us)


def to_us(when: datetime) -> int:
    """Microseconds since 1970 UTC. Raises BadParameter for a naive datetime: its zone would have to be invented."""
    if when.tzinfo is None:
        raise BadParameter(f"{when!r} has no time zone", hint="pass an aware datetime, e.g. datetime.now(timezone.utc)")
    return (when - _EPOCH) // timedelta(microseconds=1)


def check_space(path: str) -> str:
    """The path itself when it is a valid space: segments of word characters, dots and dashes joined by '/'."""
    if not path or len(path) > 255 or not all(_SEGMENT.match(part) for part in path.split("/")):
        raise BadParameter(f"{path!r} is not a space", hint="use a path such as acme/research")
    return path


class Tier(IntEnum):
    """Resolution at which a memory is shown; a higher tier shows more. As a floor, HORIZON means none."""

    HORIZON = 0
    HEADLINE = 1
    SUMMARY = 2
    FULL = 3

    @property
    def label(self) -> str:
        return self.name.lower()

    @classmethod
    def parse(cls, name: str) -> Tier:
        """Tier from its label; 'none' is HORIZON. Raises BadParameter."""
        try:
            return cls.HORIZON if name.lower() == "none" else cls[name.upper()]
        except KeyError:
            raise BadParameter(f"{name!r} is not a tier", hint="one of full, summary, headline, none") from None


class Kind(StrEnum):
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    WORKING = "working"


class Status(StrEnum):
    ACTIVE = "active"
    STALE = "stale"
    SUPERSEDED = "superseded"
    CONFLICT = "conflict"
    QUARANTINED = "quarantined"
    ARCHIVED = "archived"


class Priority(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory came from. Memories of one (space, uri, session) are neighbours by rank of `sequence`, ties by id."""

    uri: str
    session: str = ""
    sequence: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a writer hands in. `created_us` None: the source has no time of its own, ingestion time stands in and says so."""

    full: str
    space: str = DEFAULT_SPACE
    agent: str = DEFAULT_AGENT
    kind: Kind = Kind.EPISODIC
    created_us: int | None = None
    valid_from_us: int | None = None
    valid_to_us: int | None = None
    source: Source | None = None
    importance: float = DEFAULT_IMPORTANCE
    priority: Priority = Priority.MEDIUM
    expires_us: int | None = None
    tags: tuple[str, ...] = ()
    meta: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Levels:
    """The three levels' derived texts and their token counts. `written_by`: source, extractive, or a model's name.

    A short memory (SPEC 3.5) is its own summary and headline: the three texts are equal and written_by is 'source'.
    """

    summary: str
    headline: str
    written_by: str
    tokens_full: int
    tokens_summary: int
    tokens_headline: int


@dataclass(frozen=True, slots=True)
class Passage:
    """Characters [start, stop) of the full text, and its index terms in order (stems, bigrams, date words), with repeats."""

    start: int
    stop: int
    terms: tuple[str, ...]


class Identity(NamedTuple):
    """What makes a memory the same as another: where it stands, and the SHA-256 (hex) of its text."""

    space: str
    source: Source | None
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A draft after hygiene, levels and passages: what a store keeps. `content_hash` is SHA-256 (hex) of the UTF-8 text.

    `masked`: the kinds of the secrets that were masked in it, one entry a secret; the write's audit entry says them.
    `episode_class`: of an episode, as far as it can be told without a model. `tasks`: what is enqueued for it alone.
    """

    draft: Draft
    content_hash: str
    levels: Levels
    passages: tuple[Passage, ...]
    masked: tuple[str, ...] = ()
    episode_class: str | None = None
    tasks: tuple[str, ...] = ()

    @property
    def identity(self) -> Identity:
        return Identity(self.draft.space, self.draft.source, self.content_hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory with all its fields as the store holds them. `floor` is the effective one for the asking agent."""

    id: int
    space: str
    agent: str
    kind: Kind
    full: str
    summary: str
    headline: str
    written_by: str
    tokens_full: int
    tokens_summary: int
    tokens_headline: int
    created_us: int
    created_given: bool
    ingested_us: int
    valid_from_us: int | None
    valid_to_us: int | None
    last_verified_us: int | None
    source: Source | None
    last_retrieved_us: int | None
    retrieval_count: int
    last_tier: Tier | None
    importance: float
    evidence_count: int
    floor: Tier
    priority: Priority
    expires_us: int | None
    status: Status
    superseded_by: int | None
    episode_class: str | None
    tags: tuple[str, ...]
    content_hash: str
    meta: Mapping[str, object]

    @property
    def created_at(self) -> datetime:
        return to_datetime(self.created_us)

    @property
    def ingested_at(self) -> datetime:
        return to_datetime(self.ingested_us)

    @property
    def last_retrieved_at(self) -> datetime | None:
        return None if self.last_retrieved_us is None else to_datetime(self.last_retrieved_us)

    @property
    def is_short(self) -> bool:
        """Whether one text stands for all three levels."""
        return self.written_by == "source"


@dataclass(frozen=True, slots=True)
class Added:
    """Outcome of one write: `created` is False when the same text from the same place was already there (same id).

    `masked`: the kinds of the secrets that were masked in what was handed in, one entry a secret.
    """

    id: int
    created: bool
    masked: tuple[str, ...] = ()
