"""Normalised discounted cumulative gain at k as LongMemEval computes it: ranks 1 and 2 are not discounted."""

from __future__ import annotations

from math import fsum, log2

from lodmem.evals.metrics.ranks import Ranks, within


def ndcg_longmemeval_at(ranks: Ranks, k: int) -> float:
    """Sum of 1 / max(1, log2(rank)) over the gold items among the first `k`, over the most it could be; 0..1.

    Only for comparison with figures published on that data. 0 at k = 0. Raises ValueError without gold.
    Source: `ndcg_any` of Wu et al. 2024, LongMemEval, arXiv:2410.10813, which keeps the original form of Jaervelin and
    Kekaelaeinen 2002 with base 2.
    """
    within(ranks, k)
    gained = fsum(_gain(rank) for rank in ranks if rank is not None and rank <= k)
    ideal = fsum(_gain(rank) for rank in range(1, min(k, len(ranks)) + 1))
    return gained / ideal if ideal else 0.0


def _gain(rank: int) -> float:
    return 1.0 / max(1.0, log2(rank))
