"""Spending a token budget over a landscape: steps compete for tokens, the cut is one number (a game engine's LOD bias).

Source: SPEC 3.5. Pure arithmetic over costs; it never sees a text.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from lodmem.model.memory import Tier

UTILITY = (0.0, 0.2, 0.5, 1.0)
ODDS_POWER = 3.0
CLAMP = 1e-6


@dataclass(frozen=True, slots=True)
class Spending:
    """Tier of each candidate after the budget. `used` counts line tokens; `cut`: the best one must be cut to the room left.

    `bias` is the key of the first step that found no room; None: every memory has its natural tier.
    """

    tiers: NDArray[np.int8]
    used: int
    bias: float | None
    cut: bool


def worth(score: float, gain: float, tokens: int) -> float:
    """Key of a step: 3 ln(LOD / (1 - LOD)) + ln(gain / tokens), LOD clamped to [1e-6, 1 - 1e-6], tokens at least 1."""
    clamped = min(max(score, CLAMP), 1.0 - CLAMP)
    return ODDS_POWER * log(clamped / (1.0 - clamped)) + log(gain / max(tokens, 1))


def spend(
    scores: Sequence[float],
    natural: Sequence[int],
    floors: Sequence[int],
    costs: Sequence[Sequence[int]],
    short: Sequence[bool],
    budget: int | None,
    *,
    fill: bool = False,
) -> Spending:
    """Tiers of candidates given best first. `costs[i]` are the line's tokens at each tier, horizon first (0).

    `natural` already includes the floors. A short memory has one text: one step from nothing to its natural tier, full gain.
    Floors are seated first, best first; the best candidate above the horizon is never dropped.
    """
    ceilings = [int(Tier.FULL)] * len(scores) if fill else [int(tier) for tier in natural]
    wanted = [_settled(tier, natural[i], short[i]) for i, tier in enumerate(ceilings)]
    total = sum(cost[tier] for cost, tier in zip(costs, wanted, strict=True))
    if budget is None or total <= budget or not len(scores):
        chosen = [int(tier) for tier in natural] if budget is None else wanted
        used = sum(cost[tier] for cost, tier in zip(costs, chosen, strict=True))
        return Spending(np.asarray(chosen, dtype=np.int8), used, None, False)
    ladder = _Ladder(scores, natural, costs, short, ceilings, budget)
    cut = ladder.seat_best()
    if not cut:
        ladder.seat_floors(floors)
        ladder.climb()
    return Spending(np.asarray(ladder.tiers, dtype=np.int8), ladder.used, ladder.bias, cut)


def _settled(ceiling: int, natural: int, short: bool) -> int:
    return max(natural, int(Tier.HEADLINE)) if short and ceiling else ceiling


class _Ladder:
    """The competition itself: where each candidate stands, and what has been spent."""

    def __init__(
        self,
        scores: Sequence[float],
        natural: Sequence[int],
        costs: Sequence[Sequence[int]],
        short: Sequence[bool],
        ceilings: Sequence[int],
        budget: int,
    ) -> None:
        self.scores, self.natural, self.costs, self.short = scores, natural, costs, short
        self.ceilings, self.budget = ceilings, budget
        self.tiers = [int(Tier.HORIZON)] * len(scores)
        self.used = 0
        self.bias: float | None = None

    def seat_best(self) -> bool:
        """Give the best candidate above the horizon its cheapest text; True when even that must be cut to the budget."""
        best = next(i for i, ceiling in enumerate(self.ceilings) if ceiling)
        first = self._target(best, int(Tier.HEADLINE))
        price = self.costs[best][first]
        self.tiers[best], self.used = first, min(price, self.budget)
        if price > self.budget:
            self.bias = worth(self.scores[best], 1.0, price)
        return price > self.budget

    def seat_floors(self, floors: Sequence[int]) -> None:
        """Seat what has a floor, best first, at the highest tier up to its floor that fits."""
        for i, floor in enumerate(floors):
            for tier in range(int(floor), int(self.tiers[i]), -1):
                target = self._target(i, tier)
                extra = self.costs[i][target] - self.costs[i][self.tiers[i]]
                if self.used + extra <= self.budget:
                    self.tiers[i] = target
                    self.used += extra
                    break

    def climb(self) -> None:
        """Take steps by worth until nothing that fits is left."""
        heap: list[tuple[float, int, int, int]] = []
        for i in range(len(self.scores)):
            self._offer(heap, i, below=int(Tier.FULL) + 1)
        while heap:
            negative, i, start, target = heapq.heappop(heap)
            if start != self.tiers[i]:
                continue
            extra = self.costs[i][target] - self.costs[i][start]
            if self.used + extra <= self.budget:
                self.tiers[i] = target
                self.used += extra
                self._offer(heap, i, below=int(Tier.FULL) + 1)
            else:
                if self.bias is None:
                    self.bias = -negative
                self._offer(heap, i, below=target)

    def _offer(self, heap: list[tuple[float, int, int, int]], i: int, *, below: int) -> None:
        """Push the best step of candidate i to a tier under `below`; what did not fit is passed over for a cheaper one."""
        start = self.tiers[i]
        best: tuple[float, int] | None = None
        for tier in range(start + 1, min(self.ceilings[i] + 1, below)):
            target = self._target(i, tier)
            if target <= start or target >= below:
                continue
            gain = 1.0 if self.short[i] else UTILITY[target] - UTILITY[start]
            key = worth(self.scores[i], gain, self.costs[i][target] - self.costs[i][start])
            if best is None or key > best[0]:
                best = (key, target)
        if best is not None:
            heapq.heappush(heap, (-best[0], i, start, best[1]))

    def _target(self, i: int, tier: int) -> int:
        return max(int(self.natural[i]), int(Tier.HEADLINE)) if self.short[i] and tier else tier
