"""Vectors as signed bytes with one scale each, and how far off that can put a dot product.

Source: symmetric scalar quantisation; the bounds are Cauchy-Schwarz's.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lodmem.ports import Floats

Bytes = NDArray[np.int8]
LEVELS = 127.0


@dataclass(frozen=True, slots=True)
class Quantized:
    """Rows v as `codes` * `scales`. No row is further than `off` from its code, none is longer than `longest`."""

    codes: Bytes
    scales: Floats
    off: float
    longest: float


def quantize(vectors: Floats) -> Quantized:
    """Codes of float32 rows, shape (n, dims); a row of zeros has scale 0."""
    exact = vectors.astype(np.float64)
    scales = (np.abs(exact).max(axis=1, initial=0.0) / LEVELS).astype(np.float32)
    steps = scales.astype(np.float64)[:, None]
    codes = np.rint(np.divide(exact, steps, out=np.zeros_like(exact), where=steps > 0))
    off = np.linalg.norm(exact - codes * steps, axis=1).max(initial=0.0)
    return Quantized(codes.astype(np.int8), scales, float(off), float(np.linalg.norm(exact, axis=1).max(initial=0.0)))


@dataclass(frozen=True, slots=True)
class Target:
    """A question's vector ready for the pass: its codes and scale."""

    codes: Bytes
    scale: float
    off: float
    length: float

    @classmethod
    def of(cls, vector: Floats) -> Target:
        made = quantize(vector[None, :])
        return cls(made.codes[0], float(made.scales[0]), made.off, made.longest)

    def error(self, off: float, longest: float) -> float:
        """Bound on |v . u - what `dots` gives| for rows that are `off` from their codes and `longest` at most."""
        return off * self.length + (longest + off) * self.off + 1e-5 * self.length * (longest + off)


def dots(target: Target, codes: Bytes, scales: Floats) -> Floats:
    """Approximate dot products of the target with rows of codes, float32 (n,)."""
    cdist = _simd()
    if cdist is None:
        products: Floats = codes.astype(np.float32) @ target.codes.astype(np.float32)
    else:
        products = np.asarray(cdist(target.codes[None, :], codes, "dot"))[0].astype(np.float32)
    products *= scales
    products *= np.float32(target.scale)
    return products


@cache
def _simd() -> Callable[..., Any] | None:
    """numkong's distances; without its wheel for this platform the pass is slower and as exact."""
    try:
        found: Callable[..., Any] = importlib.import_module("numkong").cdist
    except ImportError:
        return None
    return found
