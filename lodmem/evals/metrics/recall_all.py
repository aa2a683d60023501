"""Recall-all at k: whether all of the evidence was found, which is what an answer over several memories needs."""

from __future__ import annotations

from lodmem.evals.metrics.ranks import Ranks, within


def recall_all_at(ranks: Ranks, k: int) -> float:
    """1 when every gold item is among the first `k` ranked, else 0; 0 wherever there are more gold items than `k`.

    Raises ValueError without gold.
    Source: `recall_all` of Wu et al. 2024, LongMemEval, arXiv:2410.10813.
    """
    return float(within(ranks, k) == len(ranks))
