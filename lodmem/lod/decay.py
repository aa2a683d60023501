"""The temporal signal: how sharp a memory still is, from when and how often it was used.

Source: SPEC 2 (decay), SPEC 4 (frequency), SPEC 4 and 5.7 (faded importance, 0.95 a day).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

US_PER_DAY = 86_400_000_000
IMPORTANCE_RATE = 0.95

Array = NDArray[np.float64]


def days_between(earlier_us: NDArray[np.int64], now_us: int) -> Array:
    """Days from each time to `now_us`, at least 0: the future counts as now."""
    return np.maximum(0.0, (now_us - earlier_us) / US_PER_DAY)


def decay(days: Array, retrievals: NDArray[np.integer], lambda_: float) -> Array:
    """D = exp(-lambda * t / (1 + ln(1 + r))), 0..1; falls with `days`, rises with `retrievals`. lambda is per day."""
    return np.exp(-lambda_ * days / (1.0 + np.log1p(retrievals.astype(np.float64))))


def frequency(retrievals: NDArray[np.integer]) -> Array:
    """F = 1 - 1 / (1 + ln(1 + r)), 0 for a memory never retrieved, rising towards 1."""
    return 1.0 - 1.0 / (1.0 + np.log1p(retrievals.astype(np.float64)))


def faded_importance(importance: Array, days: Array) -> Array:
    """importance * 0.95^days, 0..1."""
    return importance * np.power(IMPORTANCE_RATE, days)
