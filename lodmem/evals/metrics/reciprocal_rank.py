"""Reciprocal rank: how far down the first piece of evidence stands. Its mean over questions is the MRR."""

from __future__ import annotations

from lodmem.evals.metrics.ranks import Ranks, within


def reciprocal_rank(ranks: Ranks) -> float:
    """1 / rank of the best ranked gold item, 0 when none is ranked; 0..1, higher is better. No cutoff.

    Raises ValueError without gold.
    Source: Voorhees 1999, The TREC-8 Question Answering Track Report.
    """
    within(ranks, 0)
    return max((1.0 / rank for rank in ranks if rank is not None), default=0.0)
