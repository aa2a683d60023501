"""A new map of landmarks: where they stand, and which regions they make up. Pure: vectors in, places out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lodmem.plane.chance import jitter
from lodmem.plane.clusters import clustered
from lodmem.plane.graph import Graph, fuzzy_graph
from lodmem.plane.layout import NEIGHBOURS, arrange, principal
from lodmem.plane.placer import Placer
from lodmem.plane.settle import settled
from lodmem.ports.basics import Floats
from lodmem.ports.mapped import Ids, Places, only

# Gives a position for each row of unit vectors, beginning at the positions given; float32 (n, 2).
Layout = Callable[[Floats, Floats], Floats]
FEW = 3
WARM = 0.25  # of the landmarks must have stood on the map before for it to be where the layout begins
_NUDGE = 1e-3
_CIRCLE = 0.5


def build(
    ids: Ids,
    vectors: Floats,
    *,
    seed: int,
    before: Places | None = None,
    layout: Layout | None = None,
    tell: Callable[[float], None] | None = None,
) -> Places:
    """Places of landmarks, those with a place on the map `before` near it. `layout`: another method than our own. `tell`
    gets the share done.

    Vectors are unit rows or zero; any number of them, equal ones too.
    """

    def drawn(graph: Graph, start: Floats) -> Floats:
        if layout is None:
            return arrange(graph, start, seed=seed, tell=tell)
        if tell is not None:
            tell(0.0)
        return layout(vectors, start)

    at, near = _laid_out(ids, vectors, seed, before, drawn)
    fine, coarse = clustered(at)
    return Places(
        ids=ids,
        x=at[:, 0].copy(),
        y=at[:, 1].copy(),
        fine=fine,
        coarse=coarse,
        near=near,
        landmark=np.ones(len(ids), np.bool_),
    )


def _laid_out(
    ids: Ids, vectors: Floats, seed: int, before: Places | None, drawn: Callable[[Graph, Floats], Floats]
) -> tuple[Floats, Floats]:
    count = len(ids)
    if count <= FEW:
        turn = 2 * np.pi * np.arange(count) / max(count, 1)
        at = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (_CIRCLE if count > 1 else 0.0)
        return at.astype(np.float32), _mean_cosine(vectors)
    graph = fuzzy_graph(vectors, min(NEIGHBOURS, count - 1))
    known = _known(ids, before)
    start = _start(ids, vectors, seed, before, known)
    found = drawn(graph, start)
    if before is None:
        return settled(found), graph.near
    here, there = known
    return settled(found, np.stack([before.x, before.y], axis=1)[there], here), graph.near


def _known(ids: Ids, before: Places | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows here and rows on the map before of those that stand on both."""
    _, here, there = np.intersect1d(ids, np.empty(0, np.int64) if before is None else before.ids, return_indices=True)
    return here, there


def _start(ids: Ids, vectors: Floats, seed: int, before: Places | None, known: tuple[np.ndarray, np.ndarray]) -> Floats:
    """Where they stood before, newcomers beside those like them; the directions of largest variance where few stood before.
    Measured: beginning at the old places, a map of twice as many moves half as far, and is as good."""
    here, there = known
    if before is None or len(here) < max(FEW, WARM * len(ids)):
        start = principal(vectors)
        return start + jitter(ids, seed, _NUDGE * max(float(np.abs(start).max()), _NUDGE))
    old = only(before, there)
    found = Placer(old, vectors[here], seed).place(ids, vectors)
    start = np.stack([found.x, found.y], axis=1)
    start[here] = np.stack([old.x, old.y], axis=1)
    return start


def _mean_cosine(vectors: Floats) -> Floats:
    """Of each of a few vectors to the others."""
    count = len(vectors)
    if count < 2:
        return np.ones(count, np.float32)
    return np.asarray(((vectors @ vectors.T).sum(axis=1) - 1.0) / (count - 1), np.float32).clip(0.0, 1.0)
