"""Word evidence of one question: BM25, coverage, neighbours' and source's share, from the postings.

Most memories hold none of a question's words, so what is known stands in lists of rows, everything else is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.lod import relevance
from lodmem.lod.relevance import NEIGHBOUR_OFFSETS, Recipe
from lodmem.scan.columns import Columns

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

FEW = 16  # times fewer than there are sources: then only the sources met are counted
MIRRORED = tuple(NEIGHBOUR_OFFSETS.index(-offset) for offset in NEIGHBOUR_OFFSETS)


@dataclass(frozen=True, slots=True)
class Sparse:
    """Values of some rows, rising; 0 for every other row."""

    rows: Rows
    values: Array

    def at(self, rows: Rows) -> Array:
        """Values of any rows, in their order."""
        if not len(self.rows):
            return np.zeros(len(rows))
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        found: Array = np.where(self.rows[places] == rows, self.values[places], 0.0)
        return found


@dataclass(frozen=True, slots=True)
class Lexical:
    """What the question's words say. `own` l, `shared` L with neighbours, `of_source` X of each source.

    `holding`: for each term the rows of the memories that hold it; `idfs` the weight of each term in the store, empty when the
    question holds no word: then nothing is said of any memory.
    """

    bm25: Sparse
    coverage: Sparse
    own: Sparse
    shared: Sparse
    holding: tuple[NDArray[np.int32], ...]
    of_source: Array
    idfs: dict[str, float]

    def shared_at(self, rows: Rows) -> Array:
        """L of rows; NaN where the question has no word."""
        return self.shared.at(rows) if self.idfs else np.full(len(rows), np.nan)

    def source_at(self, columns: Columns, rows: Rows) -> Array:
        """X of rows; NaN without a source, or where the question has no word."""
        if not self.idfs:
            return np.full(len(rows), np.nan)
        found: Array = np.append(self.of_source, np.nan)[columns.source[rows]]
        return found


def score_words(columns: Columns, terms: Sequence[str], recipe: Recipe) -> Lexical:
    """Lexical parts for the question's distinct index terms."""
    if not terms or not len(columns):
        none = Sparse(np.zeros(0, np.int64), np.zeros(0))
        return Lexical(none, none, none, none, (), np.zeros(len(columns.sources)), dict.fromkeys(terms, relevance.idf(0, 0)))
    total, lengths = columns.living, columns.length
    average = columns.living_length / total if total else 1.0
    found = [_holding(columns, term) for term in terms]
    idfs = {term: relevance.idf(len(memories), total) for term, (_, memories, _) in zip(terms, found, strict=True)}
    weights = list(idfs.values())
    shares = [
        weight * relevance.bm25_term(frequencies, lengths[memories], average, recipe)
        for weight, (_, memories, frequencies) in zip(weights, found, strict=True)
    ]
    holding = tuple(memories for _, memories, _ in found)
    bm25 = gathered(columns, len(columns), holding, shares)
    covered = gathered(columns, len(columns.memory_of), [passages for passages, _, _ in found], weights)
    bound, mass = relevance.bm25_bound(weights, recipe), sum(weights)
    bm25 = Sparse(bm25.rows, bm25.values / bound)
    coverage = Sparse(bm25.rows, _best_of(columns, covered) / mass)
    fair = relevance.fair_coverage(coverage.values, columns.passages[bm25.rows], recipe)
    own = Sparse(bm25.rows, relevance.lexical_part(bm25.values, fair, recipe))
    of_source = _of_sources(columns, [(memories, frequencies) for _, memories, frequencies in found], recipe)
    return Lexical(bm25, coverage, own, _shared(columns, own, recipe), holding, of_source, idfs)


def gathered(columns: Columns, count: int, rows: Sequence[Rows | NDArray[np.int32]], values: Sequence[Array | float]) -> Sparse:
    """Sums by row of several lists, each of different rows; `count` rows in all. Added up in the order of the lists."""
    total = columns.scratch.zeros("total", count, np.float64)
    reached = columns.scratch.zeros("reached", count, np.bool_)
    for part, value in zip(rows, values, strict=True):
        total[part] += value
        reached[part] = True
    there = np.flatnonzero(reached)
    sums: Array = total[there]
    total[there], reached[there] = 0.0, False
    return Sparse(there, sums)


def passages_of(columns: Columns, rows: Rows) -> tuple[Rows, Rows]:
    """The passages of rows, one memory after another, and where each memory's begin among them."""
    counts = columns.passages[rows].astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    return np.repeat(columns.first[rows] - starts, counts) + np.arange(int(counts.sum())), starts


def _holding(columns: Columns, term: str) -> tuple[NDArray[np.int32], NDArray[np.int32], Array]:
    """Living passages that hold a term, their memories, each once, and how often a memory holds it."""
    passages, counts = columns.postings.find(term)
    memories = passages if columns.single else columns.memory_of[passages]
    if columns.dead and len(passages):
        living = columns.alive[memories]
        passages, counts, memories = passages[living], counts[living], memories[living]
    if columns.single or not len(passages):
        return passages, memories, counts.astype(np.float64)
    starts = np.flatnonzero(np.concatenate(([True], memories[1:] != memories[:-1])))
    return passages, memories[starts], np.add.reduceat(counts.astype(np.float64), starts)


def _best_of(columns: Columns, values: Sparse) -> Array:
    """Largest value among the passages of each memory that has one in the list, by rising row."""
    if columns.single or not len(values.rows):
        return values.values
    memories = columns.memory_of[values.rows]
    best: Array = np.maximum.reduceat(values.values, np.flatnonzero(np.concatenate(([True], memories[1:] != memories[:-1]))))
    return best


def _shared(columns: Columns, own: Sparse, recipe: Recipe) -> Sparse:
    """L of every memory that holds a word or stands beside one that does."""
    beside = columns.beside[own.rows]
    takers, lent = [], []
    # A row's neighbour at +1 has the row at -1: each share is given once, to different rows.
    for mirrored, share in zip(MIRRORED, recipe.neighbours, strict=True):
        there = np.flatnonzero(beside[:, mirrored] >= 0)
        takers.append(beside[there, mirrored])
        lent.append(share * own.values[there])
    nobody = np.zeros(len(own.rows))
    borrowed = gathered(columns, len(columns), [own.rows, *takers], [nobody, *lent])
    rows = borrowed.rows
    all_own = columns.scratch.zeros("own", len(columns), np.float64)
    all_own[own.rows] = own.values
    own_of = all_own[rows]
    all_own[own.rows] = 0.0
    return Sparse(rows, relevance.with_neighbours(own_of, borrowed.values, columns.tokens[rows, 0], recipe))


def _of_sources(columns: Columns, found: Sequence[tuple[NDArray[np.int32], Array]], recipe: Recipe) -> Array:
    """BM25 of the question against each whole source, with the sources' own statistics. `found`: memories and frequencies."""
    count, total = len(columns.sources), columns.speaking
    average = columns.spoken_length / total if total else 1.0
    score, idfs = np.zeros(count), []
    for memories, frequencies in found:
        of = columns.source[memories]
        if len(of) and of.min() < 0:
            placed = of >= 0
            of, frequencies = of[placed], frequencies[placed]
        if len(of) * FEW < count:
            held, places = np.unique(of, return_inverse=True)
            tf = np.bincount(places, weights=frequencies).astype(np.float64)
        else:
            counted = np.bincount(of, weights=frequencies, minlength=count).astype(np.float64)
            held = np.flatnonzero(counted)
            tf = counted[held]
        idfs.append(relevance.idf(len(held), total))
        lengths = columns.source_length[held].astype(np.float64)
        score[held] += idfs[-1] * relevance.bm25_term(tf, lengths, average, recipe)
    scaled: Array = score / relevance.bm25_bound(idfs, recipe)
    return scaled
