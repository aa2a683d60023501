"""Every measure of a ranking over many questions at once, with intervals. It refuses to know systems and categories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from lodmem.evals.metrics.bootstrap import Bootstrap, Interval
from lodmem.evals.metrics.mean import mean
from lodmem.evals.metrics.ndcg import ndcg_at
from lodmem.evals.metrics.ndcg_longmemeval import ndcg_longmemeval_at
from lodmem.evals.metrics.precision import precision_at
from lodmem.evals.metrics.ranks import Ranks
from lodmem.evals.metrics.recall import recall_at
from lodmem.evals.metrics.recall_all import recall_all_at
from lodmem.evals.metrics.recall_any import recall_any_at
from lodmem.evals.metrics.reciprocal_rank import reciprocal_rank
from lodmem.evals.outcome import OFFICIAL, SESSION, TURN

CUTOFFS: Mapping[str, tuple[int, ...]] = MappingProxyType({TURN: (5, 10, 20, 50), SESSION: (1, 3, 5, 10)})
AT: Mapping[str, Callable[[Ranks, int], float]] = MappingProxyType(
    {
        "recall_at": recall_at,
        "any_at": recall_any_at,
        "all_at": recall_all_at,
        "precision_at": precision_at,
        "ndcg_at": ndcg_at,
        "ndcg_longmemeval_at": ndcg_longmemeval_at,
    }
)
WITH_INTERVALS = ("recall_at", "any_at", "all_at")


def cutoffs(view: str) -> tuple[int, ...]:
    """The cutoffs at which a view is measured."""
    return CUTOFFS[view.removeprefix(OFFICIAL)]


def at(name: str, asked: Sequence[Ranks], k: int) -> float:
    """Mean of a measure at a cutoff over questions; 0 without any."""
    return mean(AT[name](ranks, k) for ranks in asked)


def mrr(asked: Sequence[Ranks]) -> float:
    """Mean reciprocal rank."""
    return mean(reciprocal_rank(ranks) for ranks in asked)


def block(view: str, asked: Sequence[Ranks], *, seed: int) -> dict[str, object]:
    """All measures of a view, JSON-ready: shares of 1 rounded to 1e-4, cutoffs as text, 95 % intervals as [low, high]."""
    ks = cutoffs(view)
    found: dict[str, object] = {"questions": len(asked)}
    for name in AT:
        found[name] = {str(k): rounded(at(name, asked, k)) for k in ks}
    found["mrr"] = rounded(mrr(asked))
    draws = Bootstrap(len(asked), seed=seed)
    found["interval"] = {
        name: {str(k): bounds(draws.interval([AT[name](ranks, k) for ranks in asked])) for k in ks} for name in WITH_INTERVALS
    }
    return found


def differences(
    view: str, ours: Sequence[Ranks], theirs: Sequence[Ranks], *, seed: int
) -> dict[str, dict[str, dict[str, float]]]:
    """Ours minus theirs, question by question: mean and 95 % interval of the mean, by measure and cutoff."""
    draws = Bootstrap(len(ours), seed=seed)
    return {
        name: {
            str(k): told(draws.interval([AT[name](a, k) - AT[name](b, k) for a, b in zip(ours, theirs, strict=True)]))
            for k in cutoffs(view)
        }
        for name in WITH_INTERVALS
    }


def rounded(value: float) -> float:
    return round(value, 4)


def bounds(interval: Interval) -> list[float]:
    return [rounded(interval.low), rounded(interval.high)]


def told(interval: Interval) -> dict[str, float]:
    """A mean with its interval, JSON-ready."""
    return {"mean": rounded(interval.mean), "low": rounded(interval.low), "high": rounded(interval.high)}
