"""What requests may hold: shapes and bounds of bodies and query strings, as the OpenAPI document shows them.

What a value means is the engine's to say: dates stay text here, and a profile may still forbid an override.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

from lodmem.asking import Asking
from lodmem.model.memory import Source
from lodmem.model.profile import MAX_BUDGET, MAX_K, MIN_BUDGET
from lodmem.model.query import MAX_QUERY_CHARS

MAX_ID = 2**53
MAX_BATCH = 1000
MAX_TERMS = 50

KindName = Literal["episodic", "semantic", "procedural", "working"]
StatusName = Literal["active", "stale", "superseded", "conflict", "quarantined", "archived"]
PriorityName = Literal["high", "medium", "low"]
TierName = Literal["full", "summary", "headline", "none"]
LevelName = Literal["full", "summary", "headline"]

MemoryId = Annotated[int, Path(ge=1, le=MAX_ID, description="shown as #482")]
Id = Annotated[int, Field(ge=1, le=MAX_ID)]
Name = Annotated[str, Field(min_length=1, max_length=255)]
When = Annotated[str, Field(min_length=1, max_length=200, description="a date in words or ISO 8601")]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Term = Annotated[str, Field(min_length=1, max_length=1000)]


class Body(BaseModel):
    """JSON types are taken at their word: "1" is no number."""

    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)


class InQuery(BaseModel):
    """Everything in a query string is text; what it spells is read."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    def asking(self, *without: str) -> Asking:
        """What was given, as the engine's looks take it."""
        return cast("Asking", self.model_dump(exclude_unset=True, exclude_none=True, exclude=set(without)))


class Filtering(InQuery):
    """Which memories are looked at."""

    space: Name | None = Field(None, description="this space and those below it")
    since: When | None = None
    until: When | None = None
    as_of: When | None = Field(None, description="what was known and true then")
    agents: list[Name] = Field([], max_length=MAX_TERMS)
    kinds: list[KindName] = Field([], max_length=MAX_TERMS)
    tags: list[Name] = Field([], max_length=MAX_TERMS)
    status: list[StatusName] = Field([], max_length=MAX_TERMS, description="none: active, stale, conflict")
    expired: bool | None = Field(False, description="true: only what has expired")
    source: Annotated[str, Field(max_length=2000)] | None = Field(None, description="beginning of the source's address")
    retrieved: bool | None = None
    last_tier: list[LevelName] = Field([], max_length=MAX_TERMS)
    exclude: list[Term] = Field([], max_length=MAX_TERMS, description="topics to leave out")
    profile: Name | None = None


class Lensing(Filtering):
    """Which memories are looked at, and parameters that override the profile."""

    alpha: Share | None = Field(None, description="1: relevance alone, 0: recency and use alone")
    lambda_: Annotated[float, Field(ge=0.0, le=1000.0)] | None = Field(None, alias="lambda", description="decay a day")
    theta1: Share | None = None
    theta2: Share | None = None
    theta3: Share | None = None
    k: Annotated[int, Field(ge=1, le=MAX_K)] | None = Field(None, description="candidates considered")
    budget: Annotated[int, Field(ge=MIN_BUDGET, le=MAX_BUDGET)] | None = Field(None, description="tokens of the rendering")
    promote_at: Share | None = None
    relevance: Literal["fused", "cosine"] | None = None
    fill: bool = Field(False, description="use the whole budget")


class Looking(Lensing):
    """A look at the store. `rendering`: with the compact text for a language model."""

    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)

    facing: bool = Field(True, description="draw texts towards the query")
    touch: bool = Field(True, description="false: count no use")
    limit: Annotated[int, Field(ge=1, le=MAX_K)] | None = None
    rendering: bool = False


class Searching(Looking):
    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]


class Paging(Looking):
    offset: Annotated[int, Field(ge=0, le=2**53)] = 0


class Windowing(Paging):
    when: When | None = Field(None, description="last week, May 2023; instead of since and until")


class Drawing(Looking):
    limit: Annotated[int, Field(ge=1, le=10_000)] | None = 20
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None


class Place(Body):
    """Where a memory comes from."""

    uri: Annotated[str, Field(min_length=1, max_length=2000)]
    session: Annotated[str, Field(max_length=2000)] = ""
    sequence: Annotated[int, Field(ge=-(2**53), le=2**53)] = 0

    def source(self) -> Source:
        return Source(self.uri, self.session, self.sequence)


class Remembering(Body):
    text: Annotated[str, Field(min_length=1, description="kept word for word")]
    kind: KindName = "episodic"
    created_at: When | None = Field(None, description="the source's own time; without one ingestion time stands in")
    source: Place | None = None
    tags: list[Name] = Field([], max_length=100)
    importance: Share = 0.5
    priority: PriorityName = "medium"
    expires_at: When | None = None
    valid_from: When | None = None
    valid_to: When | None = None
    meta: dict[str, Any] = Field(default_factory=dict)
    space: Name | None = None

    def given(self) -> dict[str, Any]:
        """Arguments of the engine's `remember`."""
        values = {name: getattr(self, name) for name in type(self).model_fields if name not in ("source",)}
        return {**values, "source": None if self.source is None else self.source.source()}


class RememberingMany(Body):
    items: Annotated[list[Remembering], Field(min_length=1, max_length=MAX_BATCH)]


class Expanding(Body):
    ids: Annotated[list[Id], Field(min_length=1, max_length=100)]
    touch: bool = True
    rendering: bool = False


class Promoting(Body):
    to: TierName | None = Field(None, description="null: one step up; full pins; none undoes")
    mine: bool = Field(False, description="for this agent only")
    reason: Annotated[str, Field(max_length=1000)] = ""


class Demoting(Body):
    mine: bool = False
    reason: Annotated[str, Field(max_length=1000)] = ""


class Superseding(Body):
    by: Id


class Profiling(Body):
    """A profile without its name."""

    alpha: Share = 0.9
    lambda_: Annotated[float, Field(ge=0.0, le=1000.0)] = 0.03
    theta1: Share = 0.60
    theta2: Share = 0.30
    theta3: Share = 0.05
    k: Annotated[int, Field(ge=1, le=MAX_K)] = 1000
    budget: Annotated[int, Field(ge=MIN_BUDGET, le=MAX_BUDGET)] | None = None
    promote_at: Share = 0.5
    relevance: Literal["fused", "cosine"] = "fused"
    floors: dict[str, TierName] = Field(default_factory=dict, description="tag:NAME or kind:NAME to a tier")
    locked: list[str] = []
    bounds: dict[str, Annotated[list[float], Field(min_length=2, max_length=2)]] = Field(default_factory=dict)


class Using(Body):
    agent: Name | None = None


class Calibrating(Body):
    """c0 and c1 of the embedding model; both null: those it brings along."""

    c0: Annotated[float, Field(ge=-1.0, le=1.0)] | None
    c1: Annotated[float, Field(ge=-1.0, le=1.0)] | None


class Releveling(Body):
    ids: list[Id] | None = Field([], max_length=MAX_BATCH, description="null: all; none: those that wait")
    again: bool = False


class Admitting(Body):
    name: Annotated[str, Field(min_length=1, max_length=100)]
    agent: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    space: Name | None = Field(None, description="what it reaches; null: everything")
