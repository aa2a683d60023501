"""Recall at k. It refuses to know how the ranking came about."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence


def recall_at(ranked: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float:
    """Share of the gold items among the first `k` ranked, 0..1; an item ranked twice counts once.

    Raises ValueError without gold: the share is not defined.
    Source: Manning, Raghavan, Schuetze 2008, Introduction to Information Retrieval, 8.3 and 8.4.
    """
    wanted = set(gold)
    if not wanted:
        raise ValueError("recall needs at least one gold item")
    return len(wanted.intersection(ranked[:k])) / len(wanted)
