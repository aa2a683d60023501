"""Normalised discounted cumulative gain at k, the standard one, with binary gains."""

from __future__ import annotations

from math import fsum, log2

from lodmem.evals.metrics.ranks import Ranks, within


def ndcg_at(ranks: Ranks, k: int) -> float:
    """Sum of 1 / log2(rank + 1) over the gold items among the first `k`, over the most it could be; 0..1, higher is better.

    0 at k = 0. Raises ValueError without gold.
    Source: Jaervelin and Kekaelaeinen 2002, with the discount of Burges et al. 2005, which trec_eval and ir_measures use.
    """
    within(ranks, k)
    gained = fsum(1.0 / log2(rank + 1) for rank in ranks if rank is not None and rank <= k)
    ideal = fsum(1.0 / log2(rank + 1) for rank in range(1, min(k, len(ranks)) + 1))
    return gained / ideal if ideal else 0.0
