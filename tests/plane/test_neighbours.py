"""Nearest neighbours: exactly those that a plain sort gives, nearest first."""

from __future__ import annotations

import numpy as np
import pytest
from plane_kit import islands, unit

from lodmem.plane.neighbours import nearest


@pytest.mark.parametrize("count", [9, 200, 2100, 3001])
@pytest.mark.parametrize("k", [1, 8])
def test_they_are_those_of_a_plain_sort(count: int, k: int) -> None:
    base, _ = islands(count, 7, noise=0.3)
    queries, _ = islands(40, 7, noise=0.3, seed=1)
    index, cosine = nearest(queries, base, k)
    true = np.sort(queries @ base.T, axis=1)[:, ::-1][:, :k]
    assert np.allclose(cosine, true, atol=2e-5)
    assert np.allclose(np.take_along_axis(queries @ base.T, index, 1), true, atol=2e-5)
    assert (np.diff(cosine, axis=1) <= 0).all()


def test_nobody_is_its_own_neighbour() -> None:
    base, _ = islands(50, 3)
    index, _ = nearest(base, base, 5, selves=True)
    assert (index != np.arange(50)[:, None]).all()


def test_equals_go_by_index() -> None:
    base = unit(np.ones((20, 4)))
    index, cosine = nearest(base[:1], base, 20)
    assert index[0].tolist() == list(range(20))
    assert np.unique(cosine).tolist() == [1.0]


def test_zero_vectors_are_like_nothing() -> None:
    base, _ = islands(10, 2)
    _, cosine = nearest(np.zeros((1, 32), np.float32), base, 3)
    assert cosine.tolist() == [[0.0, 0.0, 0.0]]
