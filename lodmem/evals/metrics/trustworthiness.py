"""How far the neighbours that a map shows are neighbours in truth, and how many of the true ones it shows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lodmem.ports import Floats

_BLOCK = 256


class Faithful(NamedTuple):
    """Both 0..1, higher is better."""

    trustworthiness: float
    recall: float


def faithfulness(vectors: Floats, flat: Floats, k: int = 15) -> Faithful:
    """Of positions `flat` (n, 2) for unit rows `vectors`, whose nearness is the cosine; k less than half of n.

    Trustworthiness is 1 - 2 / (n k (2n - 3k - 1)) times the sum of r(i, j) - k over the k neighbours j of i on the map that are
    none of its k nearest, r their true rank. Recall is the share of the k nearest that are among the k on the map.

    Source: Venna and Kaski 2001, Neighborhood preservation in nonlinear projection methods.
    """
    count = len(vectors)
    if not 0 < k < count / 2:
        raise ValueError("k must be less than half of the positions")
    away = kept = 0
    for start in range(0, count, _BLOCK):
        stop = min(start + _BLOCK, count)
        own = (np.arange(stop - start), np.arange(start, stop))
        near = vectors[start:stop] @ vectors.T
        near[own] = -np.inf
        square = ((flat[start:stop, None] - flat[None]) ** 2).sum(axis=2)
        square[own] = np.inf
        shown = np.argpartition(square, k - 1, axis=1)[:, :k]
        for row in range(stop - start):
            rank = 1 + (near[row][None, :] > near[row][shown[row]][:, None]).sum(axis=1)
            away += int(np.maximum(rank - k, 0).sum())
            kept += int((rank <= k).sum())
    return Faithful(1.0 - 2.0 * away / (count * k * (2 * count - 3 * k - 1)), kept / (count * k))
