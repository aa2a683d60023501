"""Which vectors are neighbours, and how firmly: the fuzzy graph that a layout draws.

Source: McInnes, Healy and Melville 2018 (UMAP), section 3.1: exp(-(d - rho) / sigma), with sum over k neighbours log2(k).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lodmem.plane.neighbours import Indices, nearest
from lodmem.ports.basics import Floats

_HALVINGS = 40


@dataclass(frozen=True, slots=True)
class Graph:
    """Edges sorted by `head`, each in both directions; `weight` 0..1. Every vertex has at least one. `near`: mean cosine of a
    vertex to its neighbours."""

    head: Indices
    tail: Indices
    weight: Floats
    near: Floats


def fuzzy_graph(vectors: Floats, k: int) -> Graph:
    """The graph of the k nearest neighbours by cosine, k less than the number of vectors (at least 2)."""
    count = len(vectors)
    index, cosine = nearest(vectors, vectors, k, selves=True)
    weight = _memberships(np.maximum(1.0 - cosine.astype(np.float64), 0.0), k)
    head = np.repeat(np.arange(count), k)
    both = np.concatenate([head * count + index.ravel(), index.ravel() * count + head])
    keys, inverse = np.unique(both, return_inverse=True)
    one, two = np.zeros(len(keys)), np.zeros(len(keys))
    one[inverse[: count * k]] = weight.ravel()
    two[inverse[count * k :]] = weight.ravel()
    union = one + two - one * two
    return Graph(keys // count, keys % count, union.astype(np.float32), cosine.mean(axis=1))


def _memberships(distance: np.ndarray, k: int) -> np.ndarray:
    beyond = distance - distance[:, :1]
    low, high = np.zeros((len(distance), 1)), np.full((len(distance), 1), 8.0)
    target = np.log2(max(k, 2))
    for _ in range(_HALVINGS):
        sigma = (low + high) / 2
        above = np.exp(-beyond / np.maximum(sigma, 1e-9)).sum(axis=1, keepdims=True) > target
        high, low = np.where(above, sigma, high), np.where(above, low, sigma)
    return np.asarray(np.exp(-beyond / np.maximum((low + high) / 2, 1e-4)))
