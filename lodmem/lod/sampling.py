"""Weighted sampling that resurfaces what has been ignored. Source: SPEC 4; Efraimidis and Spirakis 2006 (keys u^(1/w))."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MIN_WEIGHT = 1e-6


def neglect(decay: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sampling weight max(1 - D, 1e-6): what was not used for long weighs most, nothing weighs nothing."""
    return np.maximum(1.0 - decay, MIN_WEIGHT)


def sample(weights: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Up to `count` distinct indices in the order drawn, each draw in proportion to the weights still there (all > 0)."""
    keys = -rng.standard_exponential(len(weights)) / weights
    order = np.argsort(-keys, kind="stable")
    return order[:count].astype(np.int64)
