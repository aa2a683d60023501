"""What comes back: a landscape of views at mixed resolution, its account, and why each memory stands where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from lodmem.model.memory import Kind, Source, Status, Tier, to_datetime
from lodmem.model.profile import Profile
from lodmem.model.query import Mode

DATE_NOTE = "date is ingestion"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One memory as the camera sees it. `text` is what is shown at `tier`; `tokens` is the cost of its whole line.

    score, relevance (S) and decay (D) are rounded to 1e-6; relevance is None where no query was asked. `natural` is the tier
    before the budget. Notes are short words: cut, stale, pinned, superseded by #N, in conflict with #N, DATE_NOTE.
    """

    id: int
    tier: Tier
    natural: Tier
    text: str
    tokens: int
    score: float
    relevance: float | None
    decay: float
    created_us: int
    created_given: bool
    space: str
    agent: str
    kind: Kind
    status: Status
    retrieval_count: int
    tags: tuple[str, ...]
    source: Source | None
    notes: tuple[str, ...]

    @property
    def created_at(self) -> datetime:
        return to_datetime(self.created_us)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAccount:
    """Tokens of the whole rendering. `requested` None: no budget. `bias`: the key at the cut, None where nothing was cut."""

    requested: int | None
    used: int
    bias: float | None
    stepped_down: int
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Landscape:
    """Views in order of score (ties by id). `counts` by tier label, horizon included; `excluded` counts what exclusion dropped.

    `rendering` is the compact text for a language model that the budget was spent on. `next_offset` pages modes without a
    query; None: that was all. `words_only` says why meaning took no part, empty when it did.
    """

    mode: Mode
    query: str
    views: tuple[View, ...]
    counts: Mapping[str, int]
    budget: BudgetAccount
    excluded: int
    considered: int
    profile: Profile
    now_us: int
    next_offset: int | None
    words_only: str
    rendering: str

    def __len__(self) -> int:
        return len(self.views)

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(view.id for view in self.views)

    def __str__(self) -> str:
        return self.rendering


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why one memory stands where it stands for one query. `parts` lists (name, value, meaning) in order of computation."""

    id: int
    query: str
    rank: int | None
    tier: Tier
    floor: Tier
    relevance: float
    decay: float
    score: float
    parts: tuple[tuple[str, float, str], ...]
    words: tuple[tuple[str, float], ...]
    reasons: tuple[str, ...]
    profile: Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts of a store as `stats` and `doctor` show them. `backlog`: memories still waiting for their embedding."""

    path: str
    memories: int
    by_status: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_space: Mapping[str, int]
    by_agent: Mapping[str, int]
    never_retrieved: int
    passages: int
    embedded_passages: int
    backlog: int
    tokens_full: int
    first_created_us: int | None
    last_created_us: int | None
    bytes: int
    schema_version: int
    embedder: str
