"""From a layout to a map: same size every time, no outlier far away, less empty space, and turned like the map before it."""

from __future__ import annotations

import numpy as np

from lodmem.ports.basics import Floats

CLAMP = 2.5  # standard deviations
EVEN = 0.5  # how far empty space is taken out: 0 not at all, 1 every strip holds as many
LEAST_COMMON = 3


def settled(layout: Floats, before: Floats | None = None, common: np.ndarray | None = None) -> Floats:
    """Places within -1..1, float32 (n, 2). `before`: where the rows `common` stood on the map before."""
    at = whitened(layout)
    if before is not None and common is not None and len(common) >= LEAST_COMMON:
        at = at @ turn(at[common], before)
    return squeezed(at)


def whitened(layout: Floats) -> np.ndarray:
    """Centred at the medians, each axis of one spread, turned so that the widest direction lies first. float64."""
    at = layout.astype(np.float64)
    at = at - np.median(at, axis=0)
    values, axes = np.linalg.eigh(at.T @ at)
    axes = axes[:, ::-1] * np.where(np.abs(axes[0, ::-1]) > 1e-12, np.sign(axes[0, ::-1]), 1.0)
    at = at @ axes
    spread = np.sqrt(np.maximum(values[::-1] / max(len(at), 1), 0.0))
    return np.asarray(at / np.where(spread > 1e-9, spread, 1.0))


def turn(here: np.ndarray, there: Floats) -> np.ndarray:
    """The rotation or reflection, 2 x 2, that brings `here` nearest to `there` by least squares. Source: Schönemann 1966."""
    left, _, right = np.linalg.svd(here.T @ (there.astype(np.float64) - there.mean(axis=0, dtype=np.float64)))
    return np.asarray(left @ right)


def squeezed(at: np.ndarray) -> Floats:
    """Each axis clamped, scaled to -1..1 and mixed with the share of points before it, which keeps their order."""
    inside = np.clip(at, -CLAMP, CLAMP) / CLAMP
    count = len(inside)
    if count < 2:
        return np.asarray(inside, np.float32)
    ranks = np.empty_like(inside)
    for axis in (0, 1):
        ordered = np.sort(inside[:, axis])
        low = np.searchsorted(ordered, inside[:, axis], "left")
        high = np.searchsorted(ordered, inside[:, axis], "right")
        ranks[:, axis] = (low + high - 1) / (count - 1) - 1.0
    return np.asarray((1 - EVEN) * inside + EVEN * ranks, np.float32)
