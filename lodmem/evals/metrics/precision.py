"""Precision: how much of what was given is evidence, of a ranking at k and of a set."""

from __future__ import annotations

from collections.abc import Collection, Hashable

from lodmem.evals.metrics.ranks import Ranks, within


def precision_at(ranks: Ranks, k: int) -> float:
    """Gold items among the first `k` ranked over `k`, 0..1; places that stay empty count as misses.

    Raises ValueError without gold or with k < 1.
    Source: Manning, Raghavan, Schuetze 2008, Introduction to Information Retrieval, 8.4.
    """
    if k < 1:
        raise ValueError(f"precision needs k of at least 1, got {k}")
    return within(ranks, k) / k


def set_precision(given: Collection[Hashable], expected: Collection[Hashable]) -> float | None:
    """Share of what was given that was expected, 0..1; 0 when nothing was given though something was expected.

    None when nothing was given and nothing expected: the case says nothing about precision.
    Source: Flynt 2026, PrecisionMemBench, arXiv:2605.11325.
    """
    found, wanted = set(given), set(expected)
    if not found:
        return 0.0 if wanted else None
    return len(found & wanted) / len(found)
