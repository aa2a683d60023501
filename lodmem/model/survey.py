"""What the engine says of a whole store at once: columns of all memories, everything about one, lists for audits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Memory
from lodmem.model.profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Columns over the same memories, by rising id. `rows` is equal where they are the same; `facts` are JSON-ready."""

    revision: int
    rows: str
    n: int
    now_us: int
    columns: Mapping[str, Any]
    facts: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A memory beside another one: by its place in the source (`offset`), or by meaning (`cosine`)."""

    id: int
    headline: str
    offset: int | None = None
    cosine: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """One memory with what stands around it. `history`: newest first."""

    memory: Memory
    neighbours: Sequence[Near]
    similar: Sequence[Near]
    supersedes: Sequence[int]
    history: Sequence[AuditEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditList:
    """One list of an audit. `items` are JSON-ready, all with the same keys; `total` counts those beyond the limit too."""

    name: str
    title: str
    parameters: Mapping[str, object]
    profile: Profile
    revision: int
    now_us: int
    total: int
    items: Sequence[Mapping[str, object]]
