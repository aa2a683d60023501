"""Placing: near what is alike, in one part of the map, the same whatever is asked beside it."""

from __future__ import annotations

import numpy as np
import pytest
from plane_kit import islands, unit

from lodmem.plane.build import build
from lodmem.plane.placer import JITTER, MODE, RIM, Placer
from lodmem.ports.mapped import Places


@pytest.fixture(scope="module")
def placed() -> tuple[Placer, np.ndarray, np.ndarray]:
    vectors, kind = islands(400, 8)
    return Placer(build(np.arange(1, 401), vectors, seed=0), vectors, 0), vectors, kind


def test_alone_or_among_others_it_is_the_same_place(placed: tuple[Placer, np.ndarray, np.ndarray]) -> None:
    placer, _, _ = placed
    newcomers, _ = islands(64, 8, seed=0, noise=0.1)
    ids = np.arange(1000, 1064)
    together = placer.place(ids, newcomers)
    for n in (0, 17, 63):
        alone = placer.place(ids[n : n + 1], newcomers[n : n + 1])
        assert (alone.x[0], alone.y[0]) == pytest.approx((together.x[n], together.y[n]), abs=1e-4)


def test_newcomers_stand_among_their_kind(placed: tuple[Placer, np.ndarray, np.ndarray]) -> None:
    placer, vectors, kind = placed
    chance = np.random.default_rng(3)
    newcomers = unit(vectors + 0.05 * chance.standard_normal(vectors.shape))
    found = placer.place(np.arange(1000, 1400), newcomers)
    square = (found.x[:, None] - placer.places.x) ** 2 + (found.y[:, None] - placer.places.y) ** 2
    assert (kind[square.argmin(axis=1)] == kind).mean() > 0.98


def test_between_two_islands_it_takes_one_and_not_the_void() -> None:
    """A meaning half way between two groups that lie far apart stands in one of them."""
    axes = unit(np.eye(8))
    chance = np.random.default_rng(0)
    rows = unit(np.concatenate([np.tile(axes[0], (6, 1)), np.tile(axes[1], (6, 1))]) + 0.01 * chance.standard_normal((12, 8)))
    x = np.concatenate([np.linspace(-0.9, -0.85, 6), np.linspace(0.85, 0.9, 6)]).astype(np.float32)
    none = np.zeros(12, np.uint16)
    places = Places(
        ids=np.arange(12), x=x, y=np.zeros(12, np.float32), fine=none, coarse=none, near=x, landmark=np.ones(12, np.bool_)
    )
    middle = unit((axes[0] + axes[1])[None] + 1e-3 * axes[:1])
    placer = Placer(places, rows, 0)
    found = placer.place(np.array([99]), middle)
    assert abs(abs(float(found.x[0])) - 0.875) < 0.05 + MODE * JITTER
    point = placer.point(middle[0])
    assert point is not None
    assert abs(point[0]) > 0.8


def test_what_is_like_nothing_stands_on_the_rim(placed: tuple[Placer, np.ndarray, np.ndarray]) -> None:
    placer, _, _ = placed
    nothing = np.zeros((3, 32), np.float32)
    found = placer.place(np.array([5, 6, 7]), nothing)
    assert np.hypot(found.x, found.y) == pytest.approx([RIM] * 3, abs=2 * JITTER)
    assert len(np.unique(found.x)) == 3
    assert found.near.tolist() == [0.0, 0.0, 0.0]
    assert placer.point(nothing[0]) is None


def test_equal_meanings_stand_beside_each_other_not_on_each_other(placed: tuple[Placer, np.ndarray, np.ndarray]) -> None:
    placer, vectors, _ = placed
    found = placer.place(np.arange(1000, 1100), np.tile(vectors[:1], (100, 1)))
    assert len({(x, y) for x, y in zip(found.x.tolist(), found.y.tolist(), strict=True)}) == 100
    assert max(np.ptp(found.x), np.ptp(found.y)) <= 2 * JITTER + 1e-6


def test_one_landmark_is_enough() -> None:
    rows = unit(np.ones((1, 4)))
    placer = Placer(build(np.array([1]), rows, seed=0), rows, 0)
    found = placer.place(np.array([2, 3]), unit(np.array([[1.0, 1, 1, 0.9], [1, 0, 0, 0]])))
    assert np.hypot(found.x, found.y).max() <= JITTER + 1e-6
