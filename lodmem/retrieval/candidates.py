"""The exact top k of all readable memories by LOD, a fifth of the places for the highest S, relevant floors always.

The pass is float32 where vectors are concerned; everything that its error could let in or keep out is computed again in
float64, so that the answer is the reference's. Source: SPEC 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.relevance import Recipe, cosine_only
from lodmem.lod.tiers import lifted, lod_score, natural_tiers, rounded
from lodmem.model.profile import Profile
from lodmem.retrieval.exclude import NEARNESS_SPAN, Exclusion, exact_nearness, lowered
from lodmem.retrieval.ranked import Ranked, floors_of
from lodmem.scan.scan import Evidence, Scan

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

RELEVANCE_SHARE = 5


@dataclass(frozen=True, slots=True)
class Sight:
    """One question's evidence: the query's, the exclusions', and the profile and time it is seen with."""

    evidence: Evidence
    exclusions: Sequence[Exclusion]
    profile: Profile
    recipe: Recipe
    agent: str
    now_us: int


def error_margin(recipe: Recipe, dims: int, exclusions: int) -> float:
    """Bound on the error of S from float32 dot products of `dims` terms, through clip, fusion and logistic."""
    dot = max(dims, 1) * 2.0**-24 * 2.0
    slope = max(1.0 / NEARNESS_SPAN, 1.0 / (4.0 * recipe.width * (recipe.c1 - recipe.c0)))
    return dot * slope * (1 + exclusions) + 2e-6


def rank(scan: Scan, sight: Sight, rows: Rows) -> Ranked:
    """The candidates among `rows`, best first, ties by id."""
    profile = sight.profile
    relevance = _relevance(scan, sight, rows, exact=False)
    score = profile.alpha * relevance + (1.0 - profile.alpha) * scan.decay(sight.now_us, profile.lambda_, rows)
    floors = floors_of(scan.columns, rows, sight.agent, profile)
    margin = error_margin(sight.recipe, scan.columns.dims, len(sight.exclusions))
    pool = _pool(score, relevance, floors, profile, margin)
    return _exact(scan, sight, rows[pool])


def _pool(score: Array, relevance: Array, floors: NDArray[np.int8], profile: Profile, margin: float) -> Rows:
    """Positions that could be among the answer."""
    k = profile.k
    if len(score) <= k:
        return np.arange(len(score))
    lod_cut = np.partition(score, len(score) - k)[len(score) - k]
    relevance_cut = np.partition(relevance, len(score) - k)[len(score) - k]
    inside = (score >= lod_cut - 2 * margin) | (relevance >= relevance_cut - 2 * margin)
    inside |= (floors > 0) & (relevance >= profile.promote_at - margin)
    return np.flatnonzero(inside)


def _exact(scan: Scan, sight: Sight, rows: Rows) -> Ranked:
    profile = sight.profile
    found = _relevance(scan, sight, rows, exact=True)
    decay = scan.decay(sight.now_us, profile.lambda_, rows)
    score, relevance = lod_score(found, decay, profile.alpha), rounded(found)
    floors = floors_of(scan.columns, rows, sight.agent, profile)
    ids = scan.columns.id[rows]
    by_score = np.lexsort((ids, -score))
    chosen = by_score
    if len(rows) > profile.k:
        reserved = profile.k // RELEVANCE_SHARE
        first = by_score[: profile.k - reserved]
        rest = by_score[profile.k - reserved :]
        closest = rest[np.lexsort((ids[rest], -relevance[rest]))][:reserved]
        floored = np.flatnonzero((floors > 0) & (relevance >= profile.promote_at))
        kept = np.zeros(len(rows), dtype=np.bool_)
        kept[np.concatenate((first, closest, floored))] = True
        chosen = by_score[kept[by_score]]
    natural = lifted(natural_tiers(score, profile.theta1, profile.theta2, profile.theta3), floors)
    return Ranked(rows, score, relevance, rounded(decay), natural, floors).take(chosen)


def _relevance(scan: Scan, sight: Sight, rows: Rows, *, exact: bool) -> Array:
    """S of rows, lowered by the exclusions; in float64 throughout when `exact`."""
    evidence, recipe = sight.evidence, sight.recipe
    cosine = scan.exact_cosine(evidence.probe.vector, rows) if exact else evidence.cosine[rows]
    if sight.profile.relevance == "cosine" and evidence.probe.vector is not None:
        found = cosine_only(cosine)
    else:
        found = evidence.relevance(recipe, rows, cosine)
    near = [exact_nearness(scan, e, rows, recipe) if exact else e.nearness[rows] for e in sight.exclusions]
    return lowered(found, near)
