"""A map of last resort: the two directions in which the vectors differ most. Every neighbourhood but the widest is lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.ports import Floats

SAMPLE = 20_000
CLAMP = 2.5  # standard deviations; what lies beyond stands at the edge

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FlatMap:
    """Turns vectors into places within -1..1. It is made of SAMPLE of them at most."""

    mean: Array
    axes: Array
    spread: Array

    @classmethod
    def of(cls, vectors: Floats) -> FlatMap:
        """The map of unit vectors, one row each; the same vectors give the same map."""
        some = vectors.astype(np.float64)
        if len(some) < 2:
            return cls(np.zeros(vectors.shape[1]), np.zeros((vectors.shape[1], 2)), np.ones(2))
        mean = some.mean(axis=0)
        _, found = np.linalg.eigh((some - mean).T @ (some - mean))
        axes = found[:, ::-1][:, :2]
        axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(2)] < 0, -1.0, 1.0)
        spread = ((some - mean) @ axes).std(axis=0)
        return cls(mean, axes, np.where(spread > 0, spread, 1.0))

    def places(self, vectors: Floats) -> Floats:
        """x and y of each vector, shape (n, 2)."""
        whitened = (vectors @ self.axes.astype(np.float32) - (self.mean @ self.axes).astype(np.float32)) / self.spread
        placed: Floats = (np.clip(whitened, -CLAMP, CLAMP) / CLAMP).astype(np.float32)
        return placed
