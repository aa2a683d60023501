"""Positions in the plane for some thousand vectors, so that neighbours stay neighbours. Deterministic; knows no store.

Forces as in UMAP (McInnes, Healy and Melville 2018), with all edges at once instead of one after the other, and steps by
Adam (Kingma and Ba 2015), as uwot's batch mode does. The kernel is 1 / (1 + d^2), which needs no power and leaves less empty
space than UMAP's own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lodmem.plane.graph import Graph
from lodmem.ports.basics import Floats

NEIGHBOURS = 15
EPOCHS = 300
NEGATIVES = 20
SPREAD = 15.0
_LARGEST = 4.0
_BETA1, _BETA2 = 0.5, 0.9


def principal(vectors: Floats) -> Floats:
    """The two directions of largest variance, float32 (n, 2), centred; the largest part of each axis is positive."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, : -min(2, axes.shape[1]) - 1 : -1]
    axes = axes * np.where(np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], 0) < 0, -1.0, 1.0)
    found = centred @ axes
    return np.pad(found, ((0, 0), (0, 2 - found.shape[1]))).astype(np.float32)


def arrange(
    graph: Graph, start: Floats, *, seed: int, epochs: int = EPOCHS, tell: Callable[[float], None] | None = None
) -> Floats:
    """Where the vertices come to rest, float32 (n, 2), beginning at `start`, whose size is adjusted. `tell` gets the
    share done."""
    at = (start - start.mean(axis=0)).T.astype(np.float32)
    at *= np.float32(SPREAD / max(float(np.abs(at).max()), 1e-9))
    count = at.shape[1]
    chance = np.random.default_rng(seed)
    starts = np.flatnonzero(np.concatenate(([True], graph.head[1:] != graph.head[:-1])))
    pull = np.float32(4.0) * graph.weight
    push = np.add.reduceat(graph.weight, starts) * np.float32(2.0)
    first, second = np.zeros_like(at), np.zeros_like(at)
    for epoch in range(epochs):
        if tell is not None:
            tell(epoch / epochs)
        force = _attraction(at, graph, pull, starts) + _repulsion(
            at, chance.integers(1, max(count, 2), NEGATIVES), push, chance
        )
        first = _BETA1 * first + (1 - _BETA1) * force
        second = _BETA2 * second + (1 - _BETA2) * force * force
        step = (1.0 - epoch / epochs) / (1 - _BETA1 ** (epoch + 1))
        at += np.float32(step) * first / (np.sqrt(second / (1 - _BETA2 ** (epoch + 1))) + np.float32(1e-6))
    return np.ascontiguousarray(at.T)


def _attraction(at: Floats, graph: Graph, pull: Floats, starts: np.ndarray) -> Floats:
    apart = at[:, graph.tail] - at[:, graph.head]
    strength = pull / (np.float32(1.0) + (apart * apart).sum(axis=0))
    return np.add.reduceat(np.clip(apart * strength, -_LARGEST, _LARGEST), starts, axis=1)


def _repulsion(at: Floats, shifts: np.ndarray, push: Floats, chance: np.random.Generator) -> Floats:
    """Each vertex against one other a shift, drawn evenly: all of them shuffled, and shifted."""
    order = chance.permutation(at.shape[1])
    shuffled = at[:, order]
    total = np.zeros_like(at)
    for shift in shifts:
        apart = shuffled - np.roll(shuffled, int(shift), axis=1)
        square = (apart * apart).sum(axis=0)
        strength = np.float32(1.0) / ((np.float32(1e-3) + square) * (np.float32(1.0) + square))
        total[:, order] += np.clip(apart * strength, -_LARGEST, _LARGEST)
    return total * push
