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
NARROW_FROM = 200  # rows from which a look in single precision saves more than it costs
ROUNDING = 3e-6
SAMPLE = 1 << 12
MANY = 4


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
    return best_of(scan, sight, _scored(scan, sight, swept, mask))


@dataclass(frozen=True, slots=True)
class Scored:
    """Exact S, unrounded, and LOD of some rows."""

    rows: Rows
    relevance: Array
    score: Array

    def join(self, other: Scored) -> Scored:
        return Scored(
            np.concatenate((self.rows, other.rows)),
            np.concatenate((self.relevance, other.relevance)),
            np.concatenate((self.score, other.score)),
        )


def _scored(scan: Scan, sight: Sight, swept: Swept, mask: Mask) -> Scored:
    """All rows that could be among the answer, exactly.

    The best by the pass come first. What they score exactly is a bar that k rows reach, so that of the others only those
    count whose bounds reach it too.
    """
    k = sight.profile.k
    if k >= len(mask) or k >= np.count_nonzero(mask):
        return exact(scan, sight, np.flatnonzero(mask))
    near = swept.relevance >= kth_largest(swept.relevance, k)
    chosen = near | (swept.at_least >= kth_largest(swept.at_least, k))
    best = exact(scan, sight, np.flatnonzero(chosen))
    bar = float(kth_largest(best.score, k)) - ROUNDING
    closest = float(best.relevance[near[best.rows]].min()) - ROUNDING
    others = swept.at_most >= bar
    others |= swept.relevance >= swept.could_reach(closest)
    pinned = floored(scan.columns, sight.agent, sight.profile)
    others[pinned[swept.relevance[pinned] >= swept.could_reach(sight.profile.promote_at)]] = True
    others &= mask
    others[best.rows] = False
    rows = np.flatnonzero(others)
    if len(rows) > NARROW_FROM:
        rows = _narrowed(scan, sight, rows, bar, closest)
    return best.join(exact(scan, sight, rows))


def _narrowed(scan: Scan, sight: Sight, rows: Rows, bar: float, closest: float) -> Rows:
    """Those of some rows that still reach the bars by cosines in single precision, whose error is small."""
    profile = sight.profile
    relevance = _relevance(scan, sight, rows, precise=False)
    error = scan.single_error(sight.evidence.probe.vector) * sight.recipe.steepest + ROUNDING
    error += sum(scan.single_error(e.probe.vector) / NEARNESS_SPAN + ROUNDING for e in sight.exclusions)
    score = profile.alpha * relevance + (1.0 - profile.alpha) * scan.decay(sight.now_us, profile.lambda_, rows)
    inside = (score >= bar - error) | (relevance >= closest - error)
    pinned = floored(scan.columns, sight.agent, profile)
    if len(pinned):
        inside |= np.isin(rows, pinned) & (relevance >= profile.promote_at - error)
    return rows[inside]


def exact(scan: Scan, sight: Sight, rows: Rows) -> Scored:
    """S and LOD of rows in float64."""
    profile = sight.profile
    relevance = _relevance(scan, sight, rows, precise=True)
    return Scored(rows, relevance, lod_score(relevance, scan.decay(sight.now_us, profile.lambda_, rows), profile.alpha))


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


def largest(values: Floats | Array, count: int) -> Rows:
    """Places of the `count` largest values, the largest first, ties in order."""
    if len(values) <= count:
        return np.argsort(-values, kind="stable")
    best = np.flatnonzero(values >= kth_largest(values, count))
    return best[np.argsort(-values[best], kind="stable")][:count]


def best_of(scan: Scan, sight: Sight, scored: Scored) -> Ranked:
    """The candidates among exactly scored rows, in order."""
    profile = sight.profile
    score, relevance = scored.score, rounded(scored.relevance)
    floors = floors_of(scan.columns, scored.rows, sight.agent, profile)
    if len(scored.rows) > MANY * profile.k:  # only what can be chosen is put in order
        could = (score >= kth_largest(score, profile.k)) | (relevance >= kth_largest(relevance, profile.k)) | (floors > 0)
        scored = Scored(scored.rows[could], scored.relevance[could], score[could])
        score, relevance, floors = score[could], relevance[could], floors[could]
    ids = scan.columns.id[scored.rows]
    chosen = by_score = np.lexsort((ids, -score))
    if len(by_score) > profile.k:
        reserved = profile.k // RELEVANCE_SHARE
        first = by_score[: profile.k - reserved]
        rest = by_score[profile.k - reserved :]
        closest = rest[np.lexsort((ids[rest], -relevance[rest]))][:reserved]
        held = np.flatnonzero((floors > 0) & (relevance >= profile.promote_at))
        kept = np.zeros(len(by_score), dtype=np.bool_)
        kept[np.concatenate((first, closest, held))] = True
        chosen = by_score[kept[by_score]]
    rows, score, floors = scored.rows[chosen], score[chosen], floors[chosen]
    natural = lifted(natural_tiers(score, profile.theta1, profile.theta2, profile.theta3), floors)
    decay = rounded(scan.decay(sight.now_us, profile.lambda_, rows))
    return Ranked(rows, score, relevance[chosen], decay, natural, floors)


def _relevance(scan: Scan, sight: Sight, rows: Rows, *, precise: bool) -> Array:
    """S of rows, lowered by the exclusions, in float64, from cosines in double or single precision."""
    evidence, recipe = sight.evidence, sight.recipe
    cosine = scan.exact_cosine(evidence.probe.vector, rows, precise=precise)
    if sight.profile.relevance == "cosine" and evidence.probe.vector is not None:
        found = cosine_only(cosine)
    else:
        found = scan.relevance(evidence, recipe, rows, cosine)
    return lowered(found, [exact_nearness(scan, e, rows, recipe, precise=precise) for e in sight.exclusions])
