"""How far a mean over questions can be trusted: percentile bootstrap, seeded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SAMPLES = 2000
CONFIDENCE = 0.95

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the interval that holds the mean of such questions with 95 % confidence."""

    mean: float
    low: float
    high: float


class Bootstrap:
    """Draws of `count` questions with replacement, the same for every measure that is asked, so that measures compare.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, 13 (percentile intervals). The questions of one
    conversation are drawn as if they were independent, which makes intervals a little too narrow.
    """

    def __init__(self, count: int, *, seed: int = 0, samples: int = SAMPLES) -> None:
        self._count = count
        self._weights: Array = np.zeros((samples, 0))
        if count:
            rng = np.random.default_rng(seed)
            self._weights = rng.multinomial(count, np.full(count, 1.0 / count), size=samples) / count

    def interval(self, values: Sequence[float]) -> Interval:
        """Interval of the mean of one value a question, in the same order for every call; all 0 without questions.

        For a paired difference hand in the difference of each question.
        Raises ValueError when there is not one value for each question.
        """
        if len(values) != self._count:
            raise ValueError(f"expected {self._count} values, got {len(values)}")
        if not self._count:
            return Interval(0.0, 0.0, 0.0)
        given = np.asarray(values, dtype=np.float64)
        tail = 100.0 * (1.0 - CONFIDENCE) / 2.0
        low, high = np.percentile(self._weights @ given, (tail, 100.0 - tail))
        return Interval(float(given.mean()), float(low), float(high))
