"""Recall-any at k: whether at least one piece of the evidence was found."""

from __future__ import annotations

from lodmem.evals.metrics.ranks import Ranks, within


def recall_any_at(ranks: Ranks, k: int) -> float:
    """1 when at least one gold item is among the first `k` ranked, else 0. Elsewhere called success or hit rate.

    Raises ValueError without gold.
    Source: `recall_any` of Wu et al. 2024, LongMemEval, arXiv:2410.10813.
    """
    return float(within(ranks, k) > 0)
