"""Word evidence of one question for every memory: BM25, coverage, neighbours' and source's share, from the postings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.lod import relevance
from lodmem.lod.relevance import Recipe
from lodmem.scan.columns import Columns

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lexical:
    """Arrays of one entry a memory. `own` l, `shared` L with neighbours, `source` X (NaN without a source).

    All are NaN when the question holds no word. `holders` counts, for each memory, the question's terms it holds; `idfs` the
    weight of each term in the store.
    """

    bm25: Array
    coverage: Array
    own: Array
    shared: Array
    source: Array
    holders: NDArray[np.int32]
    idfs: dict[str, float]


def score_words(columns: Columns, terms: Sequence[str], recipe: Recipe) -> Lexical:
    """Lexical parts of all memories for the question's distinct index terms."""
    n = len(columns)
    if not terms:
        nothing = np.full(n, np.nan)
        return Lexical(nothing, nothing, nothing, nothing, nothing, np.zeros(n, np.int32), {})
    alive = columns.alive
    total = int(np.count_nonzero(alive))
    lengths = columns.length
    average = float(lengths[alive].mean()) if total else 1.0
    memory_of = columns.memory_of
    bm25, holders = np.zeros(n), np.zeros(n, np.int32)
    covered = np.zeros(len(memory_of))
    sources = _SourceScore(columns, recipe)
    idfs: dict[str, float] = {}
    for term in terms:
        passages, counts = columns.postings.find(term)
        if columns.dead and len(passages):
            living = alive[memory_of[passages]]
            passages, counts = passages[living], counts[living]
        memories, frequencies = _by_memory(memory_of[passages], counts)
        weight = idfs[term] = relevance.idf(len(memories), total)
        bm25[memories] += weight * relevance.bm25_term(frequencies, lengths[memories], average, recipe)
        holders[memories] += 1
        covered[passages] += weight
        sources.add(memories, frequencies)
    mass = sum(idfs.values())
    bm25 /= relevance.bm25_bound(list(idfs.values()), recipe)
    coverage = best_passage(columns, covered) / mass
    own = relevance.lexical_part(bm25, relevance.fair_coverage(coverage, columns.passages, recipe), recipe)
    padded = np.append(own, 0.0)
    shared = relevance.with_neighbours(own, padded[columns.beside], columns.tokens[:, 0], recipe)
    return Lexical(bm25, coverage, own, shared, sources.result(), holders, idfs)


def best_passage(columns: Columns, values: Array) -> Array:
    """Largest value among each memory's passages."""
    if len(values) == len(columns):
        return values
    best: Array = np.maximum.reduceat(values, columns.first)
    return best


def _by_memory(memories: NDArray[np.int32], counts: NDArray[np.int32]) -> tuple[NDArray[np.int32], Array]:
    """Distinct memories, rising, and the sum of their passages' counts."""
    if not len(memories):
        return memories, np.zeros(0)
    starts = np.flatnonzero(np.concatenate(([True], memories[1:] != memories[:-1])))
    return memories[starts], np.add.reduceat(counts.astype(np.float64), starts)


class _SourceScore:
    """BM25 of the question against whole sources, with the sources' own statistics."""

    def __init__(self, columns: Columns, recipe: Recipe) -> None:
        self._recipe = recipe
        self._of = columns.source
        self._count = columns.source_count
        placed = columns.alive & (self._of >= 0)
        self._lengths = _sums(self._of[placed], columns.length[placed].astype(np.float64), self._count)
        self._total = int(np.count_nonzero(self._lengths))
        self._average = float(self._lengths.sum() / self._total) if self._total else 1.0
        self._score = np.zeros(self._count)
        self._idfs: list[float] = []

    def add(self, memories: NDArray[np.int32], frequencies: Array) -> None:
        of = self._of[memories]
        placed = of >= 0
        tf = _sums(of[placed], frequencies[placed], self._count)
        held = np.flatnonzero(tf)
        weight = relevance.idf(len(held), self._total)
        self._idfs.append(weight)
        self._score[held] += weight * relevance.bm25_term(tf[held], self._lengths[held], self._average, self._recipe)

    def result(self) -> Array:
        """X of each memory, NaN without a source."""
        scaled = np.append(self._score / relevance.bm25_bound(self._idfs, self._recipe), np.nan)
        result: Array = scaled[self._of]
        return result


def _sums(groups: NDArray[np.int32], values: Array, count: int) -> Array:
    return np.bincount(groups, weights=values, minlength=count).astype(np.float64)
