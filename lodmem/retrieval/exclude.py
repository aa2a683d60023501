"""Negative retrieval: what a question must not touch is dropped, what is near it is lowered.

A memory is dropped when it holds all the words of a term (stemmed), or when its nearness to the term reaches THRESHOLD.
Short of that its S is multiplied by 1 - nearness. Nearness reads the memory's own text: no neighbours' words, no source.

A term is a topic, not a question, and its cosines are lower than a question's: the vector is the mean of the term in PHRASES,
and NEARNESS_SPAN puts the threshold at a cosine of .27. Measured on 20 topics of public conversations whose every turn about
the topic was labelled, half of them written in other words than the term. Source: SPEC 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.relevance import Recipe
from lodmem.lod.tiers import rounded
from lodmem.ports import Floats
from lodmem.scan.lexical import Lexical, score_words
from lodmem.scan.scan import Probe, Scan
from lodmem.scan.sweep import cosine_error, nearness_pass

THRESHOLD = 0.5
NEARNESS_SPAN = 0.44
ROUNDING = 1e-5
PHRASES = ("{}", "talking about {}", "This is about {}.")

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One term's verdict on all memories. `nearness`, float32 and 0..1, is from the fast pass and off by `error` at most."""

    term: str
    probe: Probe
    words: Lexical
    nearness: Floats
    error: float
    holds: NDArray[np.bool_]


def weigh(scan: Scan, term: str, probe: Probe, recipe: Recipe) -> Exclusion:
    """How every memory stands to one excluded term."""
    columns = scan.columns
    words = score_words(columns, probe.terms, recipe)
    holds = np.zeros(len(columns), dtype=np.bool_)
    if words.holding:
        holds[reduce(np.intersect1d, words.holding)] = True
    covered = np.zeros(len(columns))
    covered[words.coverage.rows] = words.coverage.values
    target = scan.target(probe.vector)
    cosine = np.zeros(len(columns)) if target is None else nearness_pass(columns, target).astype(np.float64)
    error = ROUNDING if target is None else cosine_error(columns, target) / NEARNESS_SPAN + ROUNDING
    return Exclusion(term, probe, words, _nearness(cosine, covered, recipe).astype(np.float32), error, holds)


def _nearness(cosine: Array, coverage: Array, recipe: Recipe) -> Array:
    """The cosine from c0 over NEARNESS_SPAN to 0..1, or half the term's weight that the best passage holds if that is more."""
    by_meaning = np.clip((np.nan_to_num(cosine) - recipe.c0) / NEARNESS_SPAN, 0.0, 1.0)
    by_words = 0.5 * np.nan_to_num(coverage)
    return np.maximum(by_meaning, np.where(by_words < THRESHOLD, by_words, 0.0))


def exact_nearness(scan: Scan, exclusion: Exclusion, rows: Rows, recipe: Recipe, *, precise: bool = True) -> Array:
    """Nearness to the term in float64, rounded to 1e-6, of a few memories."""
    cosine = scan.exact_cosine(exclusion.probe.vector, rows, precise=precise)
    return rounded(_nearness(cosine, exclusion.words.coverage.at(rows), recipe))


def dropped(scan: Scan, exclusions: Sequence[Exclusion], rows: Rows, recipe: Recipe) -> NDArray[np.bool_]:
    """Which of `rows` the exclusions drop. Those that the pass cannot tell from the threshold are decided in float64."""
    gone = np.zeros(len(rows), dtype=np.bool_)
    for exclusion in exclusions:
        near = exclusion.nearness[rows]
        verdict = near >= THRESHOLD
        close = np.flatnonzero(np.abs(near - THRESHOLD) <= exclusion.error)
        verdict[close] = exact_nearness(scan, exclusion, rows[close], recipe) >= THRESHOLD
        gone |= verdict | exclusion.holds[rows]
    return gone


def lowered(relevance: Array, nearness: Sequence[Array]) -> Array:
    """S times (1 - nearness) for each excluded term."""
    for near in nearness:
        relevance = relevance * (1.0 - near)
    return relevance
