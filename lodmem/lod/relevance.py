"""S, the relevance of a memory to a query: vector, lexical, neighbours' and source's parts, fused and calibrated.

Everything that decides the recipe stands here; the scan only gathers the inputs. Parts are NaN where they are missing (not
embedded yet, no embedder, no source, no word in the query) and the other weights are then renormalised.

Source: SPEC 2. BM25: Robertson and Zaragoza 2009, idf with the +1 of Lucene.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NEIGHBOUR_OFFSETS = (-2, -1, 1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Constants of S. c0 and c1 belong to the embedding model; the rest was measured on public conversations.

    `neighbours` are the shares borrowed from the memories at NEIGHBOUR_OFFSETS in the same source, scaled by
    min(1, neighbour_tokens / tokens) of the borrower. `passage_cosine` and `passage_coverage` take back what a long memory wins
    by having many passages to be best with. s0 and width shape the logistic.
    """

    c0: float = 0.05
    c1: float = 0.70
    vector: float = 0.35
    lexical: float = 0.45
    source: float = 0.20
    k1: float = 1.2
    b: float = 0.75
    coverage: float = 0.5
    passage_cosine: float = 0.05
    passage_coverage: float = 0.2
    neighbours: tuple[float, float, float, float] = (0.10, 0.40, 0.20, 0.05)
    neighbour_tokens: int = 60
    s0: float = 0.35
    width: float = 0.10

    @property
    def steepest(self) -> float:
        """How much S moves with the cosine at most: where the vector speaks alone, in the middle of the logistic."""
        return max(1.0, 1.0 / (4.0 * self.width * (self.c1 - self.c0)))


def idf(holders: float, total: int) -> float:
    """ln(1 + (n - df + .5) / (df + .5)), > 0; falls as more memories hold the term."""
    return float(np.log1p((total - holders + 0.5) / (holders + 0.5)))


def bm25_term(tf: Array, lengths: Array, average: float, recipe: Recipe) -> Array:
    """One term's share before idf, 0..k1+1: tf (k1 + 1) / (tf + k1 (1 - b + b length / average))."""
    norm = recipe.k1 * (1.0 - recipe.b + recipe.b * lengths / max(average, 1e-9))
    share: Array = tf * (recipe.k1 + 1.0) / (tf + norm)
    return share


def bm25_bound(idfs: Sequence[float], recipe: Recipe) -> float:
    """What no BM25 score of this query can exceed: sum of idf * (k1 + 1), terms the store has never seen included."""
    return float(sum(idfs)) * (recipe.k1 + 1.0)


def fair_cosine(cosine: Array, passages: NDArray[np.integer], recipe: Recipe) -> Array:
    """The best of n passages' cosines, less passage_cosine * ln n: the best of many draws is high by chance."""
    fair: Array = cosine - recipe.passage_cosine * np.log(passages)
    return fair


def fair_coverage(coverage: Array, passages: NDArray[np.integer], recipe: Recipe) -> Array:
    """The best of n passages' coverages times n^-passage_coverage, for the same reason."""
    fair: Array = coverage * np.power(passages.astype(np.float64), -recipe.passage_coverage)
    return fair


def vector_part(cosine: Array, recipe: Recipe) -> Array:
    """V, 0..1: the cosine clipped between the model's c0 and c1."""
    part: Array = np.clip((cosine - recipe.c0) / (recipe.c1 - recipe.c0), 0.0, 1.0)
    return part


def lexical_part(bm25: Array, coverage: Array, recipe: Recipe) -> Array:
    """l, 0..1: BM25 over its bound and the share of the query's idf in the best passage."""
    return (1.0 - recipe.coverage) * bm25 + recipe.coverage * coverage


def with_neighbours(own: Array, lent: Array, tokens: NDArray[np.integer], recipe: Recipe) -> Array:
    """L, 0..1: own lexical score and the sum of the neighbours' shares, scaled down for a long memory."""
    scale = np.minimum(1.0, recipe.neighbour_tokens / np.maximum(tokens, 1))
    total: Array = np.minimum(1.0, own + scale * lent)
    return total


def fuse(vector: Array, lexical: Array, source: Array, recipe: Recipe) -> Array:
    """s, 0..1: weighted mean of the parts that are there, 0 where none is."""
    total = np.zeros(vector.shape)
    weights = np.zeros(vector.shape)
    for part, weight in ((vector, recipe.vector), (lexical, recipe.lexical), (source, recipe.source)):
        there = ~np.isnan(part)
        total += np.where(there, part, 0.0) * weight
        weights += there * weight
    return np.divide(total, weights, out=np.zeros_like(total), where=weights > 0)


def calibrated(fused: Array, recipe: Recipe) -> Array:
    """S = 1 / (1 + exp(-(s - s0) / width)), 0..1; monotone, so it changes no ranking."""
    return 1.0 / (1.0 + np.exp(-(fused - recipe.s0) / recipe.width))


def cosine_only(cosine: Array) -> Array:
    """The seed's own S: the raw cosine, negatives as 0, missing as 0."""
    return np.clip(np.nan_to_num(cosine, nan=0.0), 0.0, 1.0)
