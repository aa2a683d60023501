"""Where the gold items of one question stand in a ranking: all that the measures of a ranking need."""

from __future__ import annotations

from collections.abc import Sequence

# The rank of each gold item, from 1; None: it is not in the ranking. With binary relevance nothing else matters.
Ranks = Sequence[int | None]


def within(ranks: Ranks, k: int) -> int:
    """How many gold items stand among the first `k`.

    Raises ValueError without gold: no measure is defined there.
    """
    if not ranks:
        raise ValueError("a measure needs at least one gold item")
    return sum(rank is not None and rank <= k for rank in ranks)
