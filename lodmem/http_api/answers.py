"""Shapes of answers for the OpenAPI document. What is sent is built by `model/plain.py`; tests hold the two together."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    model_config = ConfigDict(extra="allow")


class Problem(Answer):
    """An error. Source: RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(description="machine code of the error")
    hint: str
    request_id: str


class View(Answer):
    id: int
    tier: str
    natural: str
    text: str
    tokens: int
    score: float
    relevance: float | None
    decay: float
    created_at: str
    space: str
    agent: str
    kind: str
    status: str
    retrieval_count: int
    tags: list[str]
    notes: list[str]


class Account(Answer):
    requested: int | None
    used: int
    bias: float | None
    stepped_down: int
    dropped: int


class Landscape(Answer):
    mode: str
    query: str
    now: str
    views: list[View]
    counts: dict[str, int]
    budget: Account
    excluded: int
    considered: int
    next_offset: int | None
    words_only: str
    profile: dict[str, Any]


class Added(Answer):
    id: int
    created: bool
    masked: list[str]


class AddedMany(Answer):
    items: list[Added]


class Memory(Answer):
    id: int
    space: str
    agent: str
    kind: str
    status: str
    full: str
    summary: str
    headline: str
    written_by: str
    tokens: dict[str, int]
    created_at: str
    floor: str
    tags: list[str]
    meta: dict[str, Any]


class Memories(Answer):
    items: list[Memory]


class Whole(Memory):
    neighbours: list[dict[str, Any]]
    similar: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    supersedes: list[int]
    history: list[dict[str, Any]]


class Text(Answer):
    id: int
    text: str
    cut: bool


class Texts(Answer):
    level: str
    items: list[Text]


class Floor(Answer):
    id: int
    floor: str


class Explanation(Answer):
    id: int
    query: str
    rank: int | None
    tier: str
    floor: str
    relevance: float
    decay: float
    score: float
    parts: list[dict[str, Any]]
    words: list[dict[str, Any]]
    reasons: list[str]
    profile: dict[str, Any]


class Found(Answer):
    items: list[dict[str, Any]]


class Count(Answer):
    count: int


class Done(Answer):
    done: list[str]


class Profile(Answer):
    name: str
    alpha: float
    lambda_: float
    theta1: float
    theta2: float
    theta3: float
    k: int
    budget: int | None
    promote_at: float
    relevance: str
    floors: dict[str, str]
    locked: list[str]
    bounds: dict[str, list[float]]


class Profiles(Answer):
    profiles: list[Profile]
    used: str


class Health(Answer):
    status: str
    version: str


class Info(Answer):
    version: str
    agent: str
    space: str
    zone: str
    read_only: bool
    needs_token: bool
    embedder: str
    memories: int
    indexing: bool


class Listed(Answer):
    lists: list[dict[str, str]]


class AuditList(Answer):
    name: str
    title: str
    parameters: dict[str, Any]
    revision: int
    now: str
    total: int
    columns: list[str]
    items: list[dict[str, Any]]


class Entries(Answer):
    entries: list[dict[str, Any]]
    next: int | None


class Token(Answer):
    name: str
    agent: str
    space: str | None
    created_at: str


class NewToken(Token):
    token: str = Field(description="shown this once")


class Tokens(Answer):
    tokens: list[Token]
