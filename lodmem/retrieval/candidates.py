"""The exact top k of all readable memories by LOD, a fifth of the places for the highest S, relevant floors always.

The pass over everything says how far off it may be; all that this could let in or keep out is computed again in float64, so
that the answer is the reference's. Source: SPEC 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.relevance import Recipe, cosine_only
from lodmem.lod.tiers import lifted, lod_score, natural_tiers, rounded
from lodmem.model.profile import Profile
from lodmem.ports import Floats
from lodmem.retrieval.exclude import NEARNESS_SPAN, Exclusion, exact_nearness, lowered
from lodmem.retrieval.ranked import Ranked, floored, floors_of
from lodmem.scan.scan import Evidence, Scan
from lodmem.scan.sweep import Lens, Swept, sweep

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]

RELEVANCE_SHARE = 5
NARROW_AT = 1.5  # times k: a larger pool is looked at in single precision first
ROUNDING = 3e-6
SAMPLE = 1 << 14


@dataclass(frozen=True, slots=True)
class Sight:
    """One question's evidence: the query's, the exclusions', and the profile and time it is seen with."""

    evidence: Evidence
    exclusions: Sequence[Exclusion]
    profile: Profile
    recipe: Recipe
    agent: str
    now_us: int


def rank(scan: Scan, sight: Sight, mask: Mask) -> Ranked:
    """The candidates among the rows that `mask` lets through, best first, ties by id."""
    profile, exclusions = sight.profile, sight.exclusions
    swept = sweep(
        scan.columns,
        sight.evidence.target,
        sight.evidence.words,
        [exclusion.nearness for exclusion in exclusions],
        Lens(profile.alpha, profile.lambda_, sight.now_us, profile.relevance == "cosine"),
        sight.recipe,
        mask,
        sum(exclusion.error for exclusion in exclusions),
    )
    pool = _pool(scan, sight, swept, mask)
    if len(pool) > NARROW_AT * profile.k:
        pool = _narrowed(scan, sight, pool)
    return _exact(scan, sight, pool)


def _pool(scan: Scan, sight: Sight, swept: Swept, mask: Mask) -> Rows:
    """Rows that could be among the answer."""
    profile = sight.profile
    if profile.k >= len(mask) or profile.k >= np.count_nonzero(mask):
        return np.flatnonzero(mask)
    closest = swept.surely(kth_largest(swept.relevance, profile.k))
    inside = swept.at_most >= kth_largest(swept.at_least, profile.k)
    inside |= swept.relevance >= swept.could_reach(closest)
    pinned = floored(scan.columns, sight.agent, profile)
    inside[pinned[swept.relevance[pinned] >= swept.could_reach(profile.promote_at)]] = True
    inside &= mask
    return np.flatnonzero(inside)


def _narrowed(scan: Scan, sight: Sight, rows: Rows) -> Rows:
    """Those of a pool that could still be among the answer, by cosines in single precision, whose error is small."""
    profile = sight.profile
    relevance = _relevance(scan, sight, rows, precise=False)
    error = scan.single_error(sight.evidence.probe.vector) * sight.recipe.steepest + ROUNDING
    error += sum(scan.single_error(e.probe.vector) / NEARNESS_SPAN + ROUNDING for e in sight.exclusions)
    decay = scan.decay(sight.now_us, profile.lambda_, rows)
    score = profile.alpha * relevance + (1.0 - profile.alpha) * decay
    inside = score >= kth_largest(score, profile.k) - 2 * error
    inside |= relevance >= kth_largest(relevance, profile.k) - 2 * error
    inside |= np.isin(rows, floored(scan.columns, sight.agent, profile)) & (relevance >= profile.promote_at - error)
    return rows[inside]


def kth_largest(values: Floats | Array, k: int) -> float:
    """The k-th largest of at least k values. Of many, a sample says where to look."""
    count = len(values)
    if count > 8 * SAMPLE and k < count // 16:
        sample = values[:: count // SAMPLE]
        place = min(len(sample) - 1, 2 * k * len(sample) // count + 32)
        guess = np.partition(sample, len(sample) - 1 - place)[len(sample) - 1 - place]
        above = values[values >= guess]
        if len(above) >= k:
            values, count = above, len(above)
    return float(np.partition(values, count - k)[count - k])


def _exact(scan: Scan, sight: Sight, rows: Rows) -> Ranked:
    profile = sight.profile
    found = _relevance(scan, sight, rows, precise=True)
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
        held = np.flatnonzero((floors > 0) & (relevance >= profile.promote_at))
        kept = np.zeros(len(rows), dtype=np.bool_)
        kept[np.concatenate((first, closest, held))] = True
        chosen = by_score[kept[by_score]]
    natural = lifted(natural_tiers(score, profile.theta1, profile.theta2, profile.theta3), floors)
    return Ranked(rows, score, relevance, rounded(decay), natural, floors).take(chosen)


def _relevance(scan: Scan, sight: Sight, rows: Rows, *, precise: bool) -> Array:
    """S of rows, lowered by the exclusions, in float64, from cosines in double or single precision."""
    evidence, recipe = sight.evidence, sight.recipe
    cosine = scan.exact_cosine(evidence.probe.vector, rows, precise=precise)
    if sight.profile.relevance == "cosine" and evidence.probe.vector is not None:
        found = cosine_only(cosine)
    else:
        found = scan.relevance(evidence, recipe, rows, cosine)
    return lowered(found, [exact_nearness(scan, e, rows, recipe, precise=precise) for e in sight.exclusions])
