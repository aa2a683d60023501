"""Every memory as one row of numbers, so that a question is one pass over arrays. Texts stay in the store.

Rows are appended by rising id and never move until a rebuild; a forgotten memory leaves a dead row. What it refuses to
know: policy, and files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.decay import US_PER_DAY
from lodmem.lod.relevance import NEIGHBOUR_OFFSETS
from lodmem.model.memory import Kind, Status, Tier
from lodmem.ports import Floats, Row, Usage
from lodmem.scan.grow import Grow
from lodmem.scan.labels import Labels
from lodmem.scan.names import Names
from lodmem.scan.postings import Postings
from lodmem.scan.quantize import quantize
from lodmem.scan.scratch import Scratch
from lodmem.scan.sources import Placing, Sources

NEVER = np.iinfo(np.int64).min
ALWAYS = np.iinfo(np.int64).max
KINDS = tuple(Kind)
STATUSES = tuple(Status)
LOAD_BLOCK = 5_000
BULK = 20_000

# One entry a memory. `used` (days since `base_us`) and `rate` (a day, before lambda) are D's inputs in single precision.
SCALARS: dict[str, Any] = {
    "id": np.int64, "space": np.int32, "agent": np.int32, "kind": np.int8, "status": np.int8, "created": np.int64,
    "given": np.bool_, "valid_from": np.int64, "valid_to": np.int64, "expires": np.int64, "last": np.int64, "count": np.int32,
    "last_tier": np.int8, "importance": np.float64, "superseded_by": np.int64, "source": np.int32, "sequence": np.int64,
    "floor": np.int8, "short": np.bool_, "alive": np.bool_, "embedded": np.bool_, "first": np.int32, "passages": np.int32,
    "length": np.int32, "used": np.float32, "rate": np.float32,
}  # fmt: skip


class OutOfStep(Exception):
    """A memory came whose id is not above all ids before it, or with other passages: the columns must be made anew."""


class Columns:
    """The arrays of one store. Attributes named after SCALARS have one entry a memory; `vectors` and `codes` a row a passage.

    `living` memories have `living_length` terms in all, `speaking` sources `spoken_length`.
    `off` and `longest` say how far codes are from vectors at most, and how long a vector is. `varied` names the columns that
    somewhere differ from their default, so that a filter can pass over the others.
    """

    def __init__(self, dims: int) -> None:
        self.dims = dims
        self.grown: dict[str, Grow] = {name: Grow(dtype) for name, dtype in SCALARS.items()} | {
            "tokens": Grow(np.int32, (3,)), "beside": Grow(np.int32, (len(NEIGHBOUR_OFFSETS),)), "memory_of": Grow(np.int32),
            "vectors": Grow(np.float32, (dims,)), "codes": Grow(np.int8, (dims,)), "scales": Grow(np.float32),
            "source_length": Grow(np.int64),
        }  # fmt: skip
        self.postings = Postings()
        self.spaces = Names()
        self.agents = Names()
        self.sources = Sources()
        self.labels = Labels()
        self.agent_floors: dict[str, dict[int, int]] = {}
        self.off = 0.0
        self.longest = 0.0
        self.base_us = 0
        self.span_days = 0.0
        self.living = 0
        self.living_length = 0
        self.speaking = 0
        self.spoken_length = 0
        self.varied: set[str] = set()
        self.scratch = Scratch()
        self._version = 0
        self._all_true: dict[str, tuple[int, bool]] = {}

    def __len__(self) -> int:
        return len(self.grown["id"])

    def __getattr__(self, name: str) -> NDArray[Any]:
        try:
            return self.__dict__["grown"][name].view  # type: ignore[no-any-return]  # the dict is behind mypy
        except KeyError:
            raise AttributeError(name) from None

    @property
    def tokens(self) -> NDArray[np.int32]:
        """Token counts of full, summary and headline, shape (n, 3)."""
        return self.grown["tokens"].view

    @property
    def beside(self) -> NDArray[np.int32]:
        """Rows of the neighbours at NEIGHBOUR_OFFSETS in the same source, -1 where nobody is, shape (n, 4)."""
        return self.grown["beside"].view

    @property
    def memory_of(self) -> NDArray[np.int32]:
        """Memory row of each passage; passages of one memory stand together."""
        return self.grown["memory_of"].view

    @property
    def vectors(self) -> Floats:
        """Joint vectors as the store has them, zeros where there is none, shape (passages, dims)."""
        return self.grown["vectors"].view

    def all_true(self, name: str, values: Callable[[], NDArray[np.bool_]]) -> bool:
        """Whether something holds for every row, worked out again only when rows have changed."""
        known = self._all_true.get(name)
        if known is None or known[0] != self._version:
            known = self._all_true[name] = (self._version, bool(values().all()))
        return known[1]

    @property
    def single(self) -> bool:
        """Whether every memory has one passage, so that passage rows are memory rows."""
        return len(self.memory_of) == len(self)

    @property
    def dead(self) -> int:
        return len(self) - self.living

    def row(self, memory_id: int) -> int | None:
        """The row of a memory that is there."""
        at = int(np.searchsorted(self.id, memory_id))
        return at if at < len(self) and self.id[at] == memory_id and self.alive[at] else None

    def tags_of(self, row: int) -> tuple[str, ...]:
        """Tags of one memory, sorted."""
        return self.labels.of(row)

    def source_name(self, row: int) -> tuple[str, str]:
        """uri and session of a row's source."""
        _, uri, session = self.sources.keys[self.source[row]]
        return uri, session

    # -- taking in ------------------------------------------------------------------------------------------------------

    def load(self, rows: Iterable[Row]) -> Iterator[int]:
        """Fill empty columns, block by block; yields how many rows are in. Complete when it ends."""
        self._version += 1
        left = iter(rows)
        while block := list(islice(left, LOAD_BLOCK)):
            self._append(block, bulk=True)
            yield len(self)
        self.postings.fold()
        self.sources.rank_all(self.source, self.alive, self.placing)

    def write(self, rows: Iterable[Row]) -> None:
        """Take in new memories and what changed of known ones. Raises OutOfStep."""
        self._version += 1
        fresh = []
        for row in rows:
            known = self.row(row.id)
            if known is None:
                fresh.append(row)
            else:
                self._rewrite(known, row)
        if fresh and len(self) and fresh[0].id <= self.id[-1]:
            raise OutOfStep
        bulk = len(fresh) > max(BULK, len(self))
        for start in range(0, len(fresh), LOAD_BLOCK):
            self._append(fresh[start : start + LOAD_BLOCK], bulk=bulk)
        if bulk:
            self.postings.fold()
            self.sources.rank_all(self.source, self.alive, self.placing)

    def touch(self, usages: Sequence[Usage]) -> None:
        """Take in new retrieval statistics."""
        rows = []
        for usage in usages:
            at = self.row(usage.id)
            if at is not None:
                rows.append(at)
                self.last[at] = NEVER if usage.last_retrieved_us is None else usage.last_retrieved_us
                self.count[at] = usage.retrieval_count
                self.last_tier[at] = -1 if usage.last_tier is None else usage.last_tier
        self._age(np.array(rows, dtype=np.int64))

    def drop(self, ids: Iterable[int]) -> None:
        """Forgotten memories: their rows die, their neighbours close ranks."""
        self._version += 1
        for memory_id in ids:
            at = self.row(memory_id)
            if at is None:
                continue
            self.alive[at] = self.embedded[at] = False
            self.living -= 1
            self.living_length -= int(self.length[at])
            part = slice(int(self.first[at]), int(self.first[at]) + int(self.passages[at]))
            self.vectors[part], self.grown["codes"].view[part], self.scales[part] = 0.0, 0, 0.0
            self.labels.set(at, (), fresh=False)
            for floors in self.agent_floors.values():
                floors.pop(at, None)
            source = int(self.source[at])
            if source >= 0:
                self.sources.leave(source, (int(self.sequence[at]), memory_id, at), self.placing)
                self._lengthen(np.array([source]), -self.length[at : at + 1])

    def _append(self, rows: Sequence[Row], *, bulk: bool) -> None:
        base, first_passage = len(self), len(self.memory_of)
        if not base:
            self.base_us = max(row.created_us for row in rows)
        passages = [terms for row in rows for terms, _ in row.passages]
        counts = np.fromiter((len(row.passages) for row in rows), dtype=np.int64, count=len(rows))
        numbers = {name: np.zeros(len(rows), dtype=dtype) for name, dtype in SCALARS.items()}
        for i, row in enumerate(rows):
            self.labels.set(base + i, row.tags, fresh=True)
            for name, value in self._values(base + i, row).items():
                numbers[name][i] = value
        numbers["passages"][:] = counts
        numbers["length"][:] = [sum(len(terms) for terms, _ in row.passages) for row in rows]
        numbers["first"][:] = first_passage + np.concatenate(([0], np.cumsum(counts)[:-1]))
        for name, values in numbers.items():
            self.grown[name].extend(values)
        self.grown["tokens"].extend(np.array([row.tokens for row in rows], dtype=np.int32))
        self.grown["beside"].extend(np.full((len(rows), len(NEIGHBOUR_OFFSETS)), -1, dtype=np.int32))
        self.grown["memory_of"].extend(np.repeat(np.arange(base, base + len(rows), dtype=np.int32), counts))
        self._extend_vectors([vector for row in rows for _, vector in row.passages])
        (self.postings.extend_in_bulk if bulk else self.postings.extend)(first_passage, passages)
        self.living += len(rows)
        self.living_length += int(numbers["length"].sum())
        self._age(np.arange(base, len(self)))
        self._join_sources(base, bulk=bulk)

    def _extend_vectors(self, vectors: Sequence[Floats | None]) -> None:
        nothing = np.zeros(self.dims, dtype=np.float32)
        rows = np.array([nothing if v is None else v for v in vectors], dtype=np.float32).reshape(len(vectors), self.dims)
        made = quantize(rows)
        self.grown["vectors"].extend(rows)
        self.grown["codes"].extend(made.codes)
        self.grown["scales"].extend(made.scales)
        self.off, self.longest = max(self.off, made.off), max(self.longest, made.longest)

    def _rewrite(self, at: int, row: Row) -> None:
        """Everything but text, source and place may have changed."""
        if len(row.passages) != self.passages[at] or sum(len(terms) for terms, _ in row.passages) != self.length[at]:
            raise OutOfStep
        self.labels.set(at, row.tags, fresh=False)
        for floors in self.agent_floors.values():
            floors.pop(at, None)
        for name, value in self._values(at, row).items():
            self.grown[name].view[at] = value
        self.tokens[at] = row.tokens
        self._age(np.array([at]))
        if not self.dims:
            return
        first = int(self.first[at])
        part = slice(first, first + len(row.passages))
        nothing = np.zeros(self.dims, dtype=np.float32)
        vectors = np.array([nothing if v is None else v for _, v in row.passages], dtype=np.float32)
        if not np.array_equal(vectors, self.vectors[part]):
            made = quantize(vectors)
            self.vectors[part], self.grown["codes"].view[part], self.scales[part] = vectors, made.codes, made.scales
            self.off, self.longest = max(self.off, made.off), max(self.longest, made.longest)

    def _values(self, at: int, row: Row) -> dict[str, float]:
        for agent, tier in row.floors.items():
            if agent:
                self.agent_floors.setdefault(agent, {})[at] = int(tier)
        optional = {
            "valid_from": (row.valid_from_us, NEVER),
            "valid_to": (row.valid_to_us, ALWAYS),
            "expires": (row.expires_us, ALWAYS),
            "last": (row.last_retrieved_us, NEVER),
            "superseded_by": (row.superseded_by, 0),
        }
        self.varied.update(name for name, (value, _) in optional.items() if value is not None)
        floor = int(row.floors.get("", Tier.HORIZON))
        self.varied.update(name for name, varies in (("floor", floor), ("status", row.status is not Status.ACTIVE)) if varies)
        source = -1 if row.source is None else self.sources.number((row.space, row.source.uri, row.source.session))
        return {name: default if value is None else value for name, (value, default) in optional.items()} | {
            "id": row.id, "space": self.spaces.number(row.space), "agent": self.agents.number(row.agent),
            "kind": KINDS.index(row.kind), "status": STATUSES.index(row.status), "created": row.created_us,
            "given": row.created_given, "count": row.retrieval_count,
            "last_tier": -1 if row.last_tier is None else int(row.last_tier), "importance": row.importance, "source": source,
            "sequence": 0 if row.source is None else row.source.sequence, "floor": floor, "short": row.short, "alive": True,
            "embedded": bool(self.dims) and all(vector is not None for _, vector in row.passages),
        }  # fmt: skip

    def _age(self, rows: NDArray[np.int64]) -> None:
        """Work out `used` and `rate` of rows again."""
        if not len(rows):
            return
        last, created = self.last[rows], self.created[rows]
        used = (np.where(last == NEVER, created, last) - self.base_us) / US_PER_DAY
        self.used[rows] = used
        self.rate[rows] = 1.0 / (1.0 + np.log1p(self.count[rows].astype(np.float64)))
        self.span_days = max(self.span_days, float(np.abs(used).max()))

    def _join_sources(self, base: int, *, bulk: bool) -> None:
        lengths = self.grown["source_length"]
        lengths.extend(np.zeros(len(self.sources) - len(lengths), dtype=np.int64))
        of = self.source[base:]
        placed = np.flatnonzero(of >= 0)
        self._lengthen(of[placed], self.length[base:][placed])
        if bulk:
            return
        placing = self.placing
        for at in (placed + base).tolist():
            self.sources.join(int(self.source[at]), (int(self.sequence[at]), int(self.id[at]), at), placing)

    def _lengthen(self, sources: NDArray[np.integer], lengths: NDArray[np.integer]) -> None:
        """Add terms to sources, and keep count of the sources that have any."""
        distinct = np.unique(sources)
        before = int(np.count_nonzero(self.source_length[distinct]))
        np.add.at(self.source_length, sources, lengths)
        self.speaking += int(np.count_nonzero(self.source_length[distinct])) - before
        self.spoken_length += int(lengths.sum())

    @property
    def placing(self) -> Placing:
        """The columns that say where rows stand."""
        return Placing(self.sequence, self.id, self.beside)
