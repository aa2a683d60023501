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

# As plain numbers: they are asked for with every step.
_HEADLINE, _FULL = int(Tier.HEADLINE), int(Tier.FULL)


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
    return _odds(score) + log(gain / max(tokens, 1))


def _odds(score: float) -> float:
    clamped = min(max(score, CLAMP), 1.0 - CLAMP)
    return ODDS_POWER * log(clamped / (1.0 - clamped))


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
    ceilings = [_FULL] * len(scores) if fill else [int(tier) for tier in natural]
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
    return max(natural, _HEADLINE) if short and ceiling else ceiling


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
        self.odds = [_odds(score) for score in scores]
        self.tiers = [0] * len(scores)
        self.used = 0
        self.bias: float | None = None

    def seat_best(self) -> bool:
        """Give the best candidate above the horizon its cheapest text; True when even that must be cut to the budget."""
        best = next(i for i, ceiling in enumerate(self.ceilings) if ceiling)
        first = self._target(best, _HEADLINE)
        price = self.costs[best][first]
        self.tiers[best], self.used = first, min(price, self.budget)
        if price > self.budget:
            self.bias = self._key(best, 1.0, price)
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
        offers = (self._offer(i, below=_FULL + 1) for i, ceiling in enumerate(self.ceilings) if ceiling)
        heap = [offer for offer in offers if offer is not None]
        heapq.heapify(heap)
        while heap:
            negative, i, start, target = heapq.heappop(heap)
            extra = self.costs[i][target] - self.costs[i][start]
            if self.used + extra <= self.budget:
                self.tiers[i] = target
                self.used += extra
                offer = self._offer(i, below=_FULL + 1)
            else:
                if self.bias is None:
                    self.bias = -negative
                offer = self._offer(i, below=target) if target > start + 1 else None
            if offer is not None:
                heapq.heappush(heap, offer)

    def _offer(self, i: int, *, below: int) -> tuple[float, int, int, int] | None:
        """The best step of candidate i to a tier under `below`, as the heap has it; what did not fit is passed over for a
        cheaper one."""
        start, costs = self.tiers[i], self.costs[i]
        if self.short[i]:
            target = self._target(i, _HEADLINE)
            if not start < target < below:
                return None
            return -self._key(i, 1.0, costs[target] - costs[start]), i, start, target
        best: tuple[float, int] | None = None
        for target in range(start + 1, min(self.ceilings[i] + 1, below)):
            key = self._key(i, UTILITY[target] - UTILITY[start], costs[target] - costs[start])
            if best is None or key > best[0]:
                best = (key, target)
        return None if best is None else (-best[0], i, start, best[1])

    def _key(self, i: int, gain: float, tokens: int) -> float:
        """`worth` of a step of candidate i."""
        return self.odds[i] + log(gain / max(tokens, 1))

    def _target(self, i: int, tier: int) -> int:
        return max(self.natural[i], _HEADLINE) if self.short[i] and tier else tier
