"""Recall at k: how much of the evidence was found."""

from __future__ import annotations

from lodmem.evals.metrics.ranks import Ranks, within


def recall_at(ranks: Ranks, k: int) -> float:
    """Share of the gold items among the first `k` ranked, 0..1, higher is better.

    Raises ValueError without gold.
    Source: Manning, Raghavan, Schuetze 2008, Introduction to Information Retrieval, 8.3 and 8.4.
    """
    return within(ranks, k) / len(ranks)
