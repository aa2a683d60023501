"""The columns kept in step with the store, and one exact pass over them for a question.

Scores are float64. Cosines of the pass are float32; whoever picks candidates asks `exact_cosine` for those that could matter.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.lod import decay as temporal
from lodmem.lod import relevance
from lodmem.lod.relevance import Recipe
from lodmem.ports import Floats, Store
from lodmem.scan.columns import NEVER, Columns
from lodmem.scan.lexical import Lexical, best_passage, score_words

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

DEAD_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Probe:
    """A question as the scan sees it: its index terms, and its unit vector (None: words alone)."""

    terms: tuple[str, ...]
    vector: Floats | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one probe says of every memory. `cosine` is of the best passage, NaN where there is no vector."""

    probe: Probe
    cosine: Array
    words: Lexical
    passages: NDArray[np.int32]

    def relevance(self, recipe: Recipe, rows: Rows | slice = slice(None), cosine: Array | None = None) -> Array:
        """S of the given memories, from exact cosines when they are handed in."""
        cos = self.cosine[rows] if cosine is None else cosine
        vector = relevance.vector_part(relevance.fair_cosine(cos, self.passages[rows], recipe), recipe)
        return relevance.calibrated(relevance.fuse(vector, self.words.shared[rows], self.words.source[rows], recipe), recipe)


class Scan:
    """Columns of one store. Use inside `with scan.lock`; `sync` first. `dims` 0: no embedder."""

    def __init__(self, store: Store, dims: int) -> None:
        self._store = store
        self._dims = dims
        self._seen = -1
        self.lock = threading.RLock()
        self.columns = Columns(dims)

    def sync(self) -> None:
        """Bring the columns up to the store's newest change: own and others' acknowledged writes are seen."""
        newest = self._store.last_change()
        if newest == self._seen:
            return
        if self._seen < 0:
            self._rebuild(newest)
            return
        changes = self._store.changes(self._seen)
        if not changes.complete:
            self._rebuild(newest)
            return
        self.columns.drop(changes.gone)
        if changes.written:
            self.columns.write(self._store.rows(changes.written))
        if changes.touched:
            self.columns.touch(self._store.usage(changes.touched))
        self._seen = changes.last
        if self.columns.dead > DEAD_SHARE * len(self.columns):
            self._rebuild(self._store.last_change())

    def _rebuild(self, newest: int) -> None:
        """Read everything again. Rows that change meanwhile come once more by the change log."""
        columns = Columns(self._dims)
        columns.write(self._store.rows())
        self.columns, self._seen = columns, newest

    def examine(self, probe: Probe, recipe: Recipe) -> Evidence:
        """Evidence of one probe for all memories."""
        return Evidence(probe, self.cosine(probe.vector), score_words(self.columns, probe.terms, recipe), self.columns.passages)

    def cosine(self, vector: Floats | None) -> Array:
        """Cosine of every memory's best passage from the fast pass, NaN where there is no vector."""
        columns = self.columns
        if vector is None or not self._dims or not len(columns):
            return np.full(len(columns), np.nan)
        products = (columns.vectors @ vector).astype(np.float64)
        products[~columns.embedded] = np.nan
        return best_passage(columns, products)

    def exact_cosine(self, vector: Floats | None, rows: Rows) -> Array:
        """float64 cosines of a few memories, whatever the pass rounded."""
        columns = self.columns
        if vector is None or not self._dims or not len(rows):
            return np.full(len(rows), np.nan)
        counts = columns.passages[rows].astype(np.int64)
        starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
        passages = np.repeat(columns.first[rows] - starts, counts) + np.arange(int(counts.sum()))
        products = np.einsum("pd,d->p", columns.vectors[passages].astype(np.float64), vector.astype(np.float64))
        products[~columns.embedded[passages]] = np.nan
        best: Array = np.maximum.reduceat(products, starts)
        return best

    def decay(self, now_us: int, lambda_: float, rows: Rows | slice = slice(None)) -> Array:
        """D of the given memories."""
        last, created = self.columns.last[rows], self.columns.created[rows]
        used = np.where(last == NEVER, created, last)
        return temporal.decay(temporal.days_between(used, now_us), self.columns.count[rows], lambda_)

    def rows_of(self, ids: Sequence[int]) -> Rows:
        """Row numbers of the ids that are there."""
        known = self.columns.row_of
        return np.array([known[i] for i in ids if i in known], dtype=np.int64)
