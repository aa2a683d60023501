"""Nearest neighbours by cosine, exact, in blocks of bounded size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lodmem.ports.basics import Floats

Indices = NDArray[np.intp]
BLOCK = 1024
_GRAIN = np.float32(1e-5)
_GROUP = 64


def nearest(queries: Floats, base: Floats, k: int, *, selves: bool = False) -> tuple[Indices, Floats]:
    """The k rows of `base` nearest to each query and their cosines, nearest first; both of shape (queries, k).

    Rows are unit vectors or zero; `selves`: `queries` are `base`, and no row is its own neighbour. k at most their number.
    Cosines are rounded, and ties go by index, so that the last bit of a product decides nothing.
    """
    index = np.empty((len(queries), k), np.intp)
    cosine = np.empty((len(queries), k), np.float32)
    for start in range(0, len(queries), BLOCK):
        stop = min(start + BLOCK, len(queries))
        found = queries[start:stop] @ base.T
        if selves:
            found[np.arange(stop - start), np.arange(start, stop)] = -2.0
        best = _best(found, k)
        values = np.round(np.take_along_axis(found, best, 1) / _GRAIN) * _GRAIN
        order = np.lexsort((best, -values), axis=1)
        index[start:stop] = np.take_along_axis(best, order, 1)
        cosine[start:stop] = np.take_along_axis(values, order, 1)
    return index, cosine


def _best(found: Floats, k: int) -> Indices:
    """Columns of the k largest of each row, in no order.

    They lie in the k groups of columns with the largest maxima: looking at those alone takes a fraction of the time.
    """
    rows, count = found.shape
    groups = count // _GROUP
    if groups < 4 * k:
        return _largest(found, k)
    tops = found[:, : groups * _GROUP].reshape(rows, groups, _GROUP).max(axis=2)
    columns = (_largest(tops, k)[:, :, None] * _GROUP + np.arange(_GROUP)).reshape(rows, k * _GROUP)
    rest = np.broadcast_to(np.arange(groups * _GROUP, count), (rows, count - groups * _GROUP))
    columns = np.concatenate([columns, rest], axis=1)
    return np.take_along_axis(columns, _largest(np.take_along_axis(found, columns, 1), k), 1)


def _largest(values: Floats, k: int) -> Indices:
    count = values.shape[1]
    if k == count:
        return np.tile(np.arange(count), (len(values), 1))
    return np.argpartition(values, count - k, axis=1)[:, count - k :]
