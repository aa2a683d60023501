"""Every memory as one row of numbers, so that a question is one pass over arrays. Texts stay in the store.

Rows are appended and never move until a rebuild; a forgotten memory leaves a dead row. What it refuses to know: policy.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.relevance import NEIGHBOUR_OFFSETS
from lodmem.model.memory import Kind, Status, Tier
from lodmem.ports import Row, Usage
from lodmem.scan.grow import Grow
from lodmem.scan.postings import Postings

NEVER = np.iinfo(np.int64).min
ALWAYS = np.iinfo(np.int64).max
KINDS = tuple(Kind)
STATUSES = tuple(Status)

_SCALARS: dict[str, Any] = {
    "id": np.int64, "space": np.int32, "agent": np.int32, "kind": np.int8, "status": np.int8, "created": np.int64,
    "given": np.bool_, "valid_from": np.int64, "valid_to": np.int64, "expires": np.int64, "last": np.int64, "count": np.int64,
    "last_tier": np.int8, "importance": np.float64, "superseded_by": np.int64, "source": np.int32, "sequence": np.int64,
    "floor": np.int8, "short": np.bool_, "alive": np.bool_, "first": np.int64, "passages": np.int32, "length": np.int64,
}  # fmt: skip


class Columns:
    """The arrays of one store. Attributes named after `_SCALARS` have one entry a memory; `vectors` one row a passage."""

    def __init__(self, dims: int) -> None:
        self.dims = dims
        self._scalars = {name: Grow(dtype) for name, dtype in _SCALARS.items()}
        self._tokens = Grow(np.int32, (3,))
        self._beside = Grow(np.int32, (len(NEIGHBOUR_OFFSETS),), fill=-1)
        self._memory_of = Grow(np.int32)
        self._vectors = Grow(np.float32, (dims,))
        self._embedded = Grow(np.bool_)
        self.postings = Postings()
        self.spaces = _Names()
        self.agents = _Names()
        self.source_names: list[tuple[str, str]] = []
        self.tags: dict[str, set[int]] = {}
        self._tags_of: list[tuple[str, ...]] = []
        self.agent_floors: dict[str, dict[int, int]] = {}
        self.row_of: dict[int, int] = {}
        self._sources: dict[tuple[str, str, str], int] = {}
        self._members: list[list[tuple[int, int, int]]] = []

    def __len__(self) -> int:
        return len(self._scalars["id"])

    def __getattr__(self, name: str) -> NDArray[Any]:
        try:
            return self.__dict__["_scalars"][name].view  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def tokens(self) -> NDArray[np.int32]:
        """Token counts of full, summary and headline, shape (n, 3)."""
        return self._tokens.view

    @property
    def beside(self) -> NDArray[np.int32]:
        """Rows of the neighbours at NEIGHBOUR_OFFSETS in the same source, -1 where nobody is, shape (n, 4)."""
        return self._beside.view

    @property
    def memory_of(self) -> NDArray[np.int32]:
        """Memory row of each passage; passages of one memory stand together."""
        return self._memory_of.view

    @property
    def vectors(self) -> NDArray[np.float32]:
        return self._vectors.view

    @property
    def embedded(self) -> NDArray[np.bool_]:
        """Which passages have a vector."""
        return self._embedded.view

    @property
    def source_count(self) -> int:
        return len(self._members)

    @property
    def dead(self) -> int:
        return int(len(self) - np.count_nonzero(self.alive))

    def tags_of(self, row: int) -> tuple[str, ...]:
        """Tags of one memory, sorted."""
        return self._tags_of[row]

    def write(self, rows: Iterable[Row]) -> None:
        """Take in new memories and what changed of known ones."""
        fresh = []
        for row in rows:
            known = self.row_of.get(row.id)
            if known is None:
                fresh.append(row)
            else:
                self._rewrite(known, row)
        if fresh:
            self._append(fresh)

    def touch(self, usages: Iterable[Usage]) -> None:
        """Take in new retrieval statistics."""
        for usage in usages:
            at = self.row_of.get(usage.id)
            if at is not None:
                self.last[at] = NEVER if usage.last_retrieved_us is None else usage.last_retrieved_us
                self.count[at] = usage.retrieval_count
                self.last_tier[at] = -1 if usage.last_tier is None else usage.last_tier

    def drop(self, ids: Iterable[int]) -> None:
        """Forgotten memories: their rows die, their neighbours close ranks."""
        for memory_id in ids:
            at = self.row_of.pop(memory_id, None)
            if at is None:
                continue
            self.alive[at] = False
            first = int(self.first[at])
            self.vectors[first : first + int(self.passages[at])] = 0.0
            self._unlabel(at)
            source = int(self.source[at])
            if source >= 0:
                self._members[source].remove((int(self.sequence[at]), memory_id, at))
                self._rank(source)

    def _append(self, rows: Sequence[Row]) -> None:
        base, first_passage = len(self), len(self._memory_of)
        passages = [terms for row in rows for terms, _ in row.passages]
        counts = np.fromiter((len(row.passages) for row in rows), dtype=np.int64, count=len(rows))
        lengths = np.fromiter((sum(len(terms) for terms, _ in row.passages) for row in rows), dtype=np.int64, count=len(rows))
        numbers = {name: np.zeros(len(rows), dtype=dtype) for name, dtype in _SCALARS.items()}
        for i, row in enumerate(rows):
            self.row_of[row.id] = base + i
            self._tags_of.append(tuple(sorted(row.tags)))
            for name, value in self._values(base + i, row).items():
                numbers[name][i] = value
        numbers["passages"][:] = counts
        numbers["length"][:] = lengths
        numbers["first"][:] = first_passage + np.concatenate(([0], np.cumsum(counts)[:-1]))
        for name, column in self._scalars.items():
            column.extend(numbers[name])
        self._tokens.extend(np.array([row.tokens for row in rows], dtype=np.int32))
        self._beside.extend(np.full((len(rows), len(NEIGHBOUR_OFFSETS)), -1, dtype=np.int32))
        self._memory_of.extend(np.repeat(np.arange(base, base + len(rows), dtype=np.int32), counts))
        self._embedded.extend(np.array([vector is not None for row in rows for _, vector in row.passages], dtype=np.bool_))
        self._vectors.extend(self._matrix([vector for row in rows for _, vector in row.passages]))
        self.postings.extend(first_passage, passages)
        self._join_sources(base, rows)

    def _matrix(self, vectors: Sequence[NDArray[np.float32] | None]) -> NDArray[np.float32]:
        if not self.dims:
            return np.zeros((len(vectors), 0), dtype=np.float32)
        nothing = np.zeros(self.dims, dtype=np.float32)
        return np.array([nothing if v is None else v for v in vectors], dtype=np.float32).reshape(len(vectors), self.dims)

    def _rewrite(self, at: int, row: Row) -> None:
        """Everything but text, source and place may have changed."""
        self._unlabel(at)
        self._tags_of[at] = tuple(sorted(row.tags))
        for name, value in self._values(at, row).items():
            self._scalars[name].view[at] = value
        self.tokens[at] = row.tokens
        first = int(self.first[at])
        for n, (_, vector) in enumerate(row.passages):
            self.embedded[first + n] = vector is not None
            if self.dims:
                self.vectors[first + n] = 0.0 if vector is None else vector

    def _unlabel(self, at: int) -> None:
        for tag in self._tags_of[at]:
            self.tags[tag].discard(at)
        for floors in self.agent_floors.values():
            floors.pop(at, None)

    def _values(self, at: int, row: Row) -> dict[str, float]:
        for tag in row.tags:
            self.tags.setdefault(tag, set()).add(at)
        for agent, tier in row.floors.items():
            if agent:
                self.agent_floors.setdefault(agent, {})[at] = int(tier)
        return {
            "id": row.id, "space": self.spaces.number(row.space), "agent": self.agents.number(row.agent),
            "kind": KINDS.index(row.kind), "status": STATUSES.index(row.status), "created": row.created_us,
            "given": row.created_given, "valid_from": NEVER if row.valid_from_us is None else row.valid_from_us,
            "valid_to": ALWAYS if row.valid_to_us is None else row.valid_to_us,
            "expires": ALWAYS if row.expires_us is None else row.expires_us,
            "last": NEVER if row.last_retrieved_us is None else row.last_retrieved_us, "count": row.retrieval_count,
            "last_tier": -1 if row.last_tier is None else int(row.last_tier), "importance": row.importance,
            "superseded_by": row.superseded_by or 0, "source": self._source(row),
            "sequence": 0 if row.source is None else row.source.sequence,
            "floor": int(row.floors.get("", Tier.HORIZON)), "short": row.short, "alive": True,
        }  # fmt: skip

    def _source(self, row: Row) -> int:
        if row.source is None:
            return -1
        key = (row.space, row.source.uri, row.source.session)
        number = self._sources.get(key)
        if number is None:
            number = self._sources[key] = len(self._members)
            self._members.append([])
            self.source_names.append((row.source.uri, row.source.session))
        return number

    def _join_sources(self, base: int, rows: Sequence[Row]) -> None:
        changed = set()
        for i, row in enumerate(rows):
            if row.source is not None:
                number = self._source(row)
                insort(self._members[number], (row.source.sequence, row.id, base + i))
                changed.add(number)
        for number in changed:
            self._rank(number)

    def _rank(self, source: int) -> None:
        members = np.fromiter((at for _, _, at in self._members[source]), dtype=np.int32)
        for column, offset in enumerate(NEIGHBOUR_OFFSETS):
            shifted = np.full(len(members), -1, dtype=np.int32)
            if offset < 0:
                shifted[-offset:] = members[:offset]
            else:
                shifted[: len(members) - offset] = members[offset:]
            self.beside[members, column] = shifted


class _Names:
    """Strings as small numbers."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        known = self._numbers.get(name)
        if known is None:
            known = self._numbers[name] = len(self.names)
            self.names.append(name)
        return known
