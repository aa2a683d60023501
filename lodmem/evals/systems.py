"""Rankings of one question by the product and by the simple methods it must beat, over the same memories and vectors.

The simple ones are written here from the engine's columns, with constants of their own, so that they stay what they are when
the product's recipe changes. It refuses to know what the right answer is.

Source: BM25: Robertson and Zaragoza 2009, with the idf of Lucene. Reciprocal rank fusion: Cormack, Clarke, Buettcher 2009.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lodmem.engine import Engine
from lodmem.errors import ModelUnavailable
from lodmem.evals.places import Scores
from lodmem.model.profile import MAX_K
from lodmem.ports import Floats
from lodmem.scan.columns import Columns

K1, B = 1.2, 0.75
RRF_K = 60

OURS = "lodmem"
RELEVANCE = "relevance alone"
BM25, COSINE, RRF = "bm25", "cosine", "rrf"

Array = NDArray[np.float64]


def scored(engine: Engine, question: str, *, alpha: float, by_words: bool) -> dict[str, Scores]:
    """Scores of the memories that each system ranks.

    `lodmem` is the product at `alpha`; away from 1 its relevance S alone is ranked too. BM25 is over stems, `rrf` fuses BM25
    and cosine with equal weight. The cosine is of the best passage as the store holds it, short ones read together with their
    predecessor. `by_words`: there is no embedder, and so no cosine and no fusion.

    Raises ModelUnavailable when there should be an embedder and it does not answer.
    """
    looker, (probe,) = engine.looker([question])
    if probe.vector is None and not by_words:
        raise ModelUnavailable(
            f"a search of the evaluation went by words alone: {looker.words_only}", hint="or evaluate with no embedder"
        )
    ranked = engine.rank(question, alpha=alpha, k=MAX_K, theta3=0.0)
    ids = np.array([memory_id for memory_id, _, _ in ranked], dtype=np.int64)
    found = {OURS: Scores(ids, _falling(ids, np.array([score for _, score, _ in ranked], dtype=np.float64)))}
    if alpha < 1.0:
        found[RELEVANCE] = Scores(ids, np.array([relevance for _, _, relevance in ranked], dtype=np.float64))
    with looker.scan.lock:
        columns = looker.scan.columns
        lexical = bm25(columns, probe.terms)
        found[BM25] = _known(columns, lexical)
        if probe.vector is not None:
            near = cosine(columns, probe.vector)
            found[COSINE] = _known(columns, near)
            found[RRF] = _known(columns, fused(columns.id, [lexical, near]))
    return found


def _falling(ids: NDArray[np.int64], scores: Array) -> Array:
    """Scores whose order, ties by id, is the product's: of memories in conflict with one score the newest is first there."""
    values = scores.copy()
    for at in range(1, len(values)):
        if values[at] > values[at - 1] or (values[at] == values[at - 1] and ids[at] < ids[at - 1]):
            values[at] = np.nextafter(values[at - 1], -np.inf)
    return values


def bm25(columns: Columns, terms: Sequence[str]) -> Array:
    """BM25 of whole memories, k1 1.2 and b 0.75; NaN for a memory that holds none of the terms."""
    alive, lengths = columns.alive, columns.length
    total = max(1, int(np.count_nonzero(alive)))
    norm = K1 * (1.0 - B + B * lengths / max(float(lengths[alive].mean()) if alive.any() else 1.0, 1e-9))
    score = np.zeros(len(columns))
    held = np.zeros(len(columns), dtype=np.bool_)
    for term in terms:
        passages, counts = columns.postings.find(term)
        tf = np.bincount(columns.memory_of[passages], weights=counts, minlength=len(columns))
        holders = (tf > 0) & alive
        df = int(np.count_nonzero(holders))
        score += np.log1p((total - df + 0.5) / (df + 0.5)) * tf * (K1 + 1.0) / (tf + norm)
        held |= holders
    return np.where(held, score, np.nan)


def cosine(columns: Columns, vector: Floats) -> Array:
    """Cosine of each memory's best passage; NaN where nothing is embedded."""
    near = (columns.vectors @ vector).astype(np.float64)
    best = np.full(len(columns), -np.inf)
    known = columns.embedded[columns.memory_of]
    np.maximum.at(best, columns.memory_of[known], near[known])
    return np.where(columns.alive & np.isfinite(best), best, np.nan)


def fused(ids: NDArray[np.int64], scores: Sequence[Array]) -> Array:
    """Sum of 1 / (60 + rank) over the rankings that a memory is in; NaN where it is in none."""
    total = np.zeros(len(ids))
    for score in scores:
        ranked = np.flatnonzero(~np.isnan(score))
        order = ranked[np.lexsort((ids[ranked], -score[ranked]))]
        total[order] += 1.0 / (RRF_K + np.arange(1, len(order) + 1))
    return np.where(total > 0.0, total, np.nan)


def _known(columns: Columns, scores: Array) -> Scores:
    ranked = np.flatnonzero(~np.isnan(scores))
    return Scores(columns.id[ranked], scores[ranked])
