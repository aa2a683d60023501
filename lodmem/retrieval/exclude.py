"""Negative retrieval: what a question must not touch is dropped, what is near it is lowered.

A memory is dropped when it holds all the words of a term (stemmed), or when its own relevance to the term (its vector and
words, no neighbours, no source) reaches THRESHOLD. Short of that its S is multiplied by 1 - relevance. Source: SPEC 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.relevance import Recipe
from lodmem.lod.tiers import rounded
from lodmem.scan.scan import Evidence, Probe, Scan

THRESHOLD = 0.5

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One term's verdict on all memories. `relevance` to the term, 0..1, from the fast pass."""

    term: str
    evidence: Evidence
    relevance: Array
    holds: NDArray[np.bool_]


def weigh(scan: Scan, term: str, probe: Probe, recipe: Recipe) -> Exclusion:
    """How every memory stands to one excluded term."""
    evidence = scan.examine(probe, recipe)
    holds = evidence.words.holders == len(probe.terms) if probe.terms else np.zeros(len(scan.columns), dtype=np.bool_)
    return Exclusion(term, evidence, evidence.own_relevance(recipe), holds)


def exact_relevance(scan: Scan, exclusion: Exclusion, rows: Rows, recipe: Recipe) -> Array:
    """Relevance to the term in float64, rounded to 1e-6, of a few memories."""
    cosine = scan.exact_cosine(exclusion.evidence.probe.vector, rows)
    return rounded(exclusion.evidence.own_relevance(recipe, rows, cosine))


def dropped(scan: Scan, exclusions: Sequence[Exclusion], rows: Rows, recipe: Recipe, margin: float) -> NDArray[np.bool_]:
    """Which of `rows` the exclusions drop. Those within `margin` of the threshold are decided in float64."""
    gone = np.zeros(len(rows), dtype=np.bool_)
    for exclusion in exclusions:
        near = exclusion.relevance[rows]
        verdict = near >= THRESHOLD
        close = np.flatnonzero(np.abs(near - THRESHOLD) <= margin)
        verdict[close] = exact_relevance(scan, exclusion, rows[close], recipe) >= THRESHOLD
        gone |= verdict | exclusion.holds[rows]
    return gone


def lowered(relevance: Array, nearness: Sequence[Array]) -> Array:
    """S times (1 - relevance to the term) for each excluded term."""
    for near in nearness:
        relevance = relevance * (1.0 - near)
    return relevance
