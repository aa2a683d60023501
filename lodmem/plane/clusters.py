"""Regions of a map at two zoom levels, found where landmarks stand dense. The inner ones lie whole in the outer ones.

Source: Rodriguez and Laio 2014 (density peaks): a peak is dense and far from anything denser; every other point follows its
nearest denser neighbour. The fewer peaks of the outer level are peaks of the inner one too.
"""

from __future__ import annotations

import numpy as np

from lodmem.plane.neighbours import Indices
from lodmem.ports.basics import Floats
from lodmem.ports.mapped import Numbers

MOST_FINE, MOST_COARSE = 160, 24
_BLOCK = 512
_MEMBERS = 24  # landmarks that a fine cluster has at least, on average
_FEW, _FEW_MEMBERS = 12, 6  # and on small maps


def counts(landmarks: int) -> tuple[int, int]:
    """How many fine and coarse clusters a map of so many landmarks may have."""
    fine = min(MOST_FINE, max(1, landmarks // _MEMBERS, min(landmarks // _FEW_MEMBERS, _FEW)))
    return fine, min(MOST_COARSE, max(1, round(2 * np.sqrt(fine))), fine)


def clustered(at: Floats) -> tuple[Numbers, Numbers]:
    """Fine and coarse cluster of each landmark at `at` (n, 2); numbers count from 0, larger clusters first."""
    if not len(at):
        return np.empty(0, np.uint16), np.empty(0, np.uint16)
    density, parent, away = _densities(at)
    order = np.lexsort((np.arange(len(at)), -density * away))
    fine, coarse = counts(len(at))
    return _numbered(_followed(parent, order[:fine])), _numbered(_followed(parent, order[:coarse]))


def _densities(at: Floats) -> tuple[np.ndarray, Indices, np.ndarray]:
    """Density of each point, its nearest denser point, and how far that is; the densest point is its own."""
    points = at.astype(np.float64)
    count = len(points)
    width = 2.0 / np.sqrt(max(count, 1)) * 1.5
    density = np.empty(count)
    for start in range(0, count, _BLOCK):
        square = ((points[start : start + _BLOCK, None] - points[None]) ** 2).sum(axis=2)
        density[start : start + _BLOCK] = np.exp(-square / (2 * width * width)).sum(axis=1)
    rank = np.empty(count, np.intp)
    rank[np.lexsort((np.arange(count), -density))] = np.arange(count)
    parent, away = np.arange(count), np.full(count, np.inf)
    for start in range(0, count, _BLOCK):
        square = ((points[start : start + _BLOCK, None] - points[None]) ** 2).sum(axis=2)
        square[rank[None, :] >= rank[start : start + _BLOCK, None]] = np.inf
        parent[start : start + _BLOCK] = square.argmin(axis=1)
        away[start : start + _BLOCK] = np.sqrt(square.min(axis=1))
    top = int(rank.argmin())
    parent[top], away[top] = top, np.sqrt(8.0)
    return density, parent, away


def _followed(parent: Indices, peaks: Indices) -> Indices:
    """The peak that each point comes to."""
    goal = parent.copy()
    goal[peaks] = peaks
    for _ in range(len(goal)):
        further = goal[goal]
        if (further == goal).all():
            break
        goal = further
    return goal


def _numbered(peak: Indices) -> Numbers:
    _, inverse, sizes = np.unique(peak, return_inverse=True, return_counts=True)
    place = np.empty(len(sizes), np.uint16)
    place[np.lexsort((np.arange(len(sizes)), -sizes))] = np.arange(len(sizes))
    return place[inverse]
