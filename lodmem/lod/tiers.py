"""From signals to a resolution: the LOD score and the tier it earns. Source: SPEC 2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lodmem.model.memory import Tier

DECIMALS = 6

Array = NDArray[np.float64]


def rounded(values: Array) -> Array:
    """Scores to 1e-6, the precision at which they are compared and shown."""
    return np.round(values, DECIMALS)


def lod_score(relevance: Array, decay: Array, alpha: float) -> Array:
    """LOD = alpha * S + (1 - alpha) * D, rounded to 1e-6. alpha 1 looks at meaning alone, 0 at time alone."""
    return rounded(alpha * relevance + (1.0 - alpha) * decay)


def natural_tiers(scores: Array, theta1: float, theta2: float, theta3: float) -> NDArray[np.int8]:
    """Tier of each score: full from theta1, summary from theta2, headline from theta3, else horizon."""
    tiers = np.zeros(scores.shape, dtype=np.int8)
    tiers[scores >= theta3] = Tier.HEADLINE
    tiers[scores >= theta2] = Tier.SUMMARY
    tiers[scores >= theta1] = Tier.FULL
    return tiers


def lifted(tiers: NDArray[np.int8], floors: NDArray[np.int8]) -> NDArray[np.int8]:
    """max(tier, floor): a floor lifts, it never lowers."""
    return np.maximum(tiers, floors)
