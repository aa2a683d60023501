"""The mathematics of `tune`: which alpha and lambda rank marked memories best, and thresholds that show them sharp.

Pure: numbers in, numbers out. A look holds what one question saw of every memory; a mark is a memory that should stand high.

    alpha, lambda   of the pairs of a small grid whose nDCG@10 of the LOD order is within a standard error of the best one's,
                    question by question, the pair nearest to what the profile has
    theta1          so low that MARKED_FULL of the marked memories are full, but not so low that much more than MOST_FULL of
                    the candidates are
    theta2          the same for summary or better, with MARKED_SUMMARY and MOST_SUMMARY
    theta3          so low that MARKED_SEEN of the marked memories are seen, and never above what the profile has

It refuses to know where questions and marks come from. Source of the rule of one standard error: Breiman, Friedman, Olshen,
Stone 1984, Classification and Regression Trees, 3.4.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from lodmem.evals.metrics.mean import mean
from lodmem.evals.metrics.ndcg import ndcg_at
from lodmem.lod.decay import decay
from lodmem.lod.tiers import lod_score
from lodmem.model.profile import Profile

ALPHAS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
LAMBDAS = (0.003, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3)
TOP = 10
MARKED_FULL, MARKED_SUMMARY, MARKED_SEEN = 0.70, 0.90, 0.99
MOST_FULL, MOST_SUMMARY = 0.05, 0.25
SPREAD = 200
TIED = 1e-9

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Setting = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Look:
    """What one question saw: `relevance` S, `days` since last use and `retrievals` of each memory, in the order of `ids`.

    `marked`: positions of the memories that should stand high, at least one. `ids` rise.
    """

    ids: Ints
    relevance: Array
    days: Array
    retrievals: Ints
    marked: Ints

    def lod(self, alpha: float, lambda_: float) -> Array:
        """The LOD score of each memory."""
        return lod_score(self.relevance, decay(self.days, self.retrievals, lambda_), alpha)

    def ndcg(self, alpha: float, lambda_: float) -> float:
        """nDCG@10 of the marked memories in LOD order, 0..1."""
        return ndcg_at(self.ranks(self.lod(alpha, lambda_)), TOP)

    def ranks(self, scores: Array) -> list[int]:
        """Ranks of the marked memories by score, from 1, ties by id."""
        own = scores[self.marked]
        better = (scores[None, :] > own[:, None]).sum(axis=1)
        ties = [(scores[:at] == value).sum() for at, value in zip(self.marked, own, strict=True)]
        return [int(above + before) + 1 for above, before in zip(better, ties, strict=True)]


def grid(profile: Profile) -> list[Setting]:
    """(alpha, lambda) pairs to try: what the profile has, and those of the grid that its locks and bounds allow."""
    alphas = _allowed(profile, "alpha", ALPHAS)
    lambdas = _allowed(profile, "lambda_", LAMBDAS)
    # At alpha 1 time plays no part, and one lambda stands for all of them.
    pairs = [pair for pair in product(alphas, lambdas) if pair[0] < 1.0 or pair[1] == profile.lambda_]
    return list(dict.fromkeys([(profile.alpha, profile.lambda_), *pairs]))


def _allowed(profile: Profile, name: str, values: Sequence[float]) -> list[float]:
    own = float(getattr(profile, name))
    if name in profile.locked:
        return [own]
    low, high = profile.bounds.get(name, (-np.inf, np.inf))
    return sorted({own, *(value for value in values if low <= value <= high)})


def score_settings(looks: Iterable[Look], settings: Sequence[Setting]) -> dict[Setting, list[float]]:
    """nDCG@10 of each look at each setting, in the order of the looks. One look is in memory at a time."""
    found: dict[Setting, list[float]] = {setting: [] for setting in settings}
    for look in looks:
        for setting, values in found.items():
            values.append(look.ndcg(*setting))
    return found


def best_setting(scores: Mapping[Setting, Sequence[float]], profile: Profile) -> Setting:
    """The setting nearest to the profile's, alpha before lambda, among those that cannot be told from the best one."""
    top = np.asarray(max(scores.values(), key=mean))
    tied = [setting for setting, values in scores.items() if _within_one_error(top - np.asarray(values))]
    return min(tied, key=lambda s: (abs(s[0] - profile.alpha), abs(np.log((s[1] + 1e-6) / (profile.lambda_ + 1e-6))), s))


def _within_one_error(behind: Array) -> bool:
    """Whether the mean of these differences is at most its standard error."""
    error = float(behind.std(ddof=1)) / np.sqrt(len(behind)) if len(behind) > 1 else 0.0
    return float(behind.mean()) <= error + TIED


def thetas(
    looks: Iterable[Look], setting: Setting, profile: Profile, *, lower_only: bool = False
) -> tuple[float, float, float]:
    """(theta1, theta2, theta3) for a setting, cut to 1e-3, within the profile's locks and bounds, in order.

    `lower_only`: none above what the profile has, for marks that only say what was shown too small.
    """
    marked: list[float] = []
    spread: list[Array] = []
    for look in looks:
        scores = look.lod(*setting)
        marked += scores[look.marked].tolist()
        spread.append(_spread(np.sort(scores)[::-1][: profile.k]))
    own, every = np.asarray(marked), np.concatenate(spread)
    first = max(_keeping(own, MARKED_FULL), _keeping(every, MOST_FULL))
    second = max(_keeping(own, MARKED_SUMMARY), _keeping(every, MOST_SUMMARY))
    if lower_only:
        first, second = min(first, profile.theta1), min(second, profile.theta2)
    wanted = {"theta1": first, "theta2": min(first, second), "theta3": min(profile.theta3, _keeping(own, MARKED_SEEN))}
    t1, t2, t3 = (_within(profile, name, value) for name, value in wanted.items())
    return max(t1, t2, t3), max(t2, t3), t3


def _keeping(values: Array, share: float) -> float:
    """The highest threshold that at least this share of the values reaches."""
    return float(np.sort(values)[::-1][max(0, int(np.ceil(share * len(values))) - 1)])


def _spread(best: Array) -> Array:
    """SPREAD values that are spread as the candidates of one look are, so that every look weighs the same."""
    return best[((np.arange(SPREAD) + 0.5) * len(best) / SPREAD).astype(np.int64)]


def _within(profile: Profile, name: str, value: float) -> float:
    if name in profile.locked:
        return float(getattr(profile, name))
    low, high = profile.bounds.get(name, (0.0, 1.0))
    return float(np.clip(np.floor(value * 1000.0) / 1000.0, low, high))


def tuned(profile: Profile, setting: Setting, thresholds: tuple[float, float, float]) -> Profile:
    """The profile with what was fitted in it."""
    theta1, theta2, theta3 = thresholds
    return replace(profile, alpha=setting[0], lambda_=setting[1], theta1=theta1, theta2=theta2, theta3=theta3)


@dataclass(frozen=True, slots=True)
class Standing:
    """How one look comes out with a profile: nDCG@10, and how many of the marked and of all candidates stand at each tier.

    Counts are of full, summary or better, headline or better.
    """

    ndcg: float
    marked: tuple[int, int, int]
    marks: int
    shown: tuple[int, int, int]
    candidates: int


def standings(looks: Iterable[Look], profile: Profile) -> Iterator[Standing]:
    """How each look comes out with a profile, floors aside."""
    thresholds = (profile.theta1, profile.theta2, profile.theta3)
    for look in looks:
        scores = look.lod(profile.alpha, profile.lambda_)
        own, best = scores[look.marked], np.sort(scores)[::-1][: profile.k]
        yield Standing(
            ndcg=ndcg_at(look.ranks(scores), TOP),
            marked=_reaching(own, thresholds),
            marks=len(own),
            shown=_reaching(best, thresholds),
            candidates=len(best),
        )


def _reaching(values: Array, thresholds: tuple[float, float, float]) -> tuple[int, int, int]:
    first, second, third = (int((values >= threshold).sum()) for threshold in thresholds)
    return first, second, third
