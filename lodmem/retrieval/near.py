"""Which older memories are nearest to given ones: by vectors and by rare words. Proposes; what they mean is for others to say.

The work for one memory is bounded: words look at the latest memories of each term, and where there are very many memories,
vectors are compared with what the words found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.relevance import idf
from lodmem.model.memory import Status
from lodmem.ports import Floats
from lodmem.scan.columns import STATUSES, Columns
from lodmem.scan.lexical import passages_of
from lodmem.scan.quantize import Target, dots
from lodmem.scan.scan import Scan

Rows = NDArray[np.int64]
Singles = NDArray[np.float32]

RARE_TERMS = 16  # of a memory's terms, the rarest
LATEST = 1_000  # memories looked at of one term
EVERYWHERE = 30_000  # passages up to which vectors are compared with all
OWN_PASSAGES = 4  # of a long memory, the first
TINY = 1e-9
STANDING = np.array([status in (Status.ACTIVE, Status.STALE, Status.CONFLICT) for status in STATUSES])


def near(scan: Scan, terms: Mapping[int, Sequence[str]], count: int) -> dict[int, list[int]]:
    """For each memory, by its index terms, at most `count` older ones of its space that stand, the nearest first, ties by id.

    Near is the mean of the cosine of their best passages and of the share of rare words, by idf; without a vector the share
    alone. The nearest by either is always among them. Memories that the scan does not have are left out. Use inside
    `with scan.lock`, after `sync`.
    """
    columns = scan.columns
    rows = scan.rows_of(sorted(terms))
    words = _Words(columns)
    found: dict[int, list[int]] = {}
    close = _Vectors(columns, rows)
    for at, row in enumerate(rows.tolist()):
        memory_id = int(columns.id[row])
        with words.like(terms[memory_id], row) as shared:
            found[memory_id] = _nearest(columns, row, shared, close, at, count)
    return found


def _nearest(columns: Columns, row: int, shared: _Shared, close: _Vectors, at: int, count: int) -> list[int]:
    pool = np.unique(np.concatenate((shared.best(4 * count), close.best(at, 4 * count))))
    pool = pool[
        (pool < row) & columns.alive[pool] & (columns.space[pool] == columns.space[row]) & STANDING[columns.status[pool]]
    ]
    if not len(pool):
        return []
    share, cosine = shared.shares[pool], close.of(at, pool)
    both = np.where(np.isnan(cosine), share, (share + np.nan_to_num(cosine)) / 2.0)
    # The closest by either is always among them.
    firsts = {int(np.argmax(share)), int(np.argmax(np.nan_to_num(cosine, nan=-2.0)))}
    order: list[int] = np.lexsort((columns.id[pool], -np.round(both, 6))).tolist()
    kept = firsts.union([at for at in order if at not in firsts][: max(0, count - len(firsts))])
    return [int(columns.id[pool[at]]) for at in order if at in kept][:count]


def _once(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Each of some rising rows once; passages of one memory stand together."""
    new = np.ones(len(rows), dtype=np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=new[1:])
    return rows[new]


@dataclass(frozen=True, slots=True)
class _Shared:
    """Shares of a memory's rare words that other memories hold, 0..1, one a memory; above 0 at `rows`."""

    rows: Rows
    shares: NDArray[np.float64]

    def best(self, count: int) -> Rows:
        if len(self.rows) <= count:
            return self.rows
        shares = self.shares[self.rows]
        return self.rows[np.argpartition(shares, len(shares) - count)[len(shares) - count :]]


class _Words:
    """The postings, each term looked up once."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._known: dict[str, NDArray[np.integer]] = {}
        self._shares = np.zeros(len(columns))

    @contextmanager
    def like(self, terms: Sequence[str], row: int) -> Iterator[_Shared]:
        """What shares the rarest of some terms, among the memories before `row`. It holds inside the `with`."""
        columns, shares = self._columns, self._shares
        sizes = sorted((len(self._rows(term)), term) for term in dict.fromkeys(terms))
        shared = [(term, idf(size, columns.living)) for size, term in sizes if size > 1][:RARE_TERMS]
        alone = sum(size <= 1 for size, _ in sizes) * idf(1, columns.living)
        mass = alone + sum(weight for _, weight in shared)
        touched = [np.zeros(0, np.int64)]
        for term, weight in shared:
            before = self._rows(term)
            end = int(before.searchsorted(before.dtype.type(row)))
            latest = before[max(0, end - LATEST) : end]
            touched.append(latest[shares[latest] == 0.0].astype(np.int64))
            shares[latest] += weight / mass
        rows = np.concatenate(touched)
        yield _Shared(rows, shares)
        shares[rows] = 0.0

    def _rows(self, term: str) -> NDArray[np.integer]:
        found = self._known.get(term)
        if found is None:
            passages, _ = self._columns.postings.find(term)
            found = passages if self._columns.single else _once(self._columns.memory_of[passages])
            self._known[term] = found
        return found


class _Vectors:
    """Cosines of some memories with all, or where these are too many, with those asked for."""

    def __init__(self, columns: Columns, rows: Rows) -> None:
        self._columns = columns
        self._own = [self._unit(row) for row in rows.tolist()]
        self._all: list[Singles | None] = [None] * len(rows)
        for at, own in enumerate(self._own):
            end = int(columns.first[rows[at]])
            if own is not None and 0 < end <= EVERYWHERE:
                # By codes of a byte a number, as search does it: what is near enough to be looked at needs no more.
                found = [dots(Target.of(vector), columns.codes[:end], columns.scales[:end]) for vector in own]
                self._all[at] = np.maximum.reduce(found)

    def best(self, at: int, count: int) -> Rows:
        """Rows of the closest memories, where all were looked at."""
        cosines = self._all[at]
        if cosines is None:
            return np.zeros(0, np.int64)
        if len(cosines) > count:
            places = np.argpartition(cosines, len(cosines) - count)[len(cosines) - count :]
        else:
            places = np.arange(len(cosines))
        return np.unique(self._columns.memory_of[places]).astype(np.int64)

    def of(self, at: int, rows: Rows) -> NDArray[np.float64]:
        """Cosine of the best passage, NaN without a vector on either side."""
        columns, own = self._columns, self._own[at]
        cosines = np.full(len(rows), np.nan)
        if own is None:
            return cosines
        there = np.flatnonzero(columns.embedded[rows])
        if len(there):
            passages, starts = passages_of(columns, rows[there])
            vectors = columns.vectors[passages]
            best = (vectors @ own.T).max(axis=1) / np.maximum(np.linalg.norm(vectors, axis=1), TINY)
            cosines[there] = np.maximum.reduceat(best, starts)
        return cosines

    def _unit(self, row: int) -> Floats | None:
        columns = self._columns
        if not columns.embedded[row]:
            return None
        first = int(columns.first[row])
        vectors = columns.vectors[first : first + min(int(columns.passages[row]), OWN_PASSAGES)]
        unit: Floats = (vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), TINY)).astype(np.float32)
        return unit
