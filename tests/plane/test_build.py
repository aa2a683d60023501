"""A new map: the same every time, within its frame whatever comes, and truer to neighbours than the widest directions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plane_kit import islands, kept, unit

from lodmem.plane.build import build
from lodmem.plane.layout import principal
from lodmem.ports.mapped import Places


def ids_of(count: int) -> np.ndarray:
    return np.arange(1, count + 1, dtype=np.int64)


def points(places: Places) -> np.ndarray:
    return np.stack([places.x, places.y], axis=1)


def moved(one: Places, two: Places) -> float:
    """Median way between the places of memories that stand on both."""
    _, here, there = np.intersect1d(one.ids, two.ids, return_indices=True)
    return float(np.median(np.linalg.norm(points(one)[here] - points(two)[there], axis=1)))


@pytest.mark.parametrize("count", [5, 40, 300])
def test_a_map_is_the_same_bit_by_bit_every_time(count: int) -> None:
    vectors, _ = islands(count, 6)
    one, two = (build(ids_of(count), vectors.copy(), seed=4) for _ in range(2))
    assert points(one).tobytes() == points(two).tobytes()
    assert (one.fine.tobytes(), one.coarse.tobytes()) == (two.fine.tobytes(), two.coarse.tobytes())


@pytest.mark.req("R14.4")
def test_neighbours_stay_neighbours_more_than_along_the_widest_directions() -> None:
    vectors, kind = islands(900, 30)
    places = build(ids_of(900), vectors, seed=0)
    ours, widest = points(places), principal(vectors)
    assert kept(ours, vectors) > 1.5 * kept(widest, vectors)
    assert alike(ours, kind) > 0.98 > 0.7 > alike(widest, kind)


def alike(flat: np.ndarray, kind: np.ndarray) -> float:
    """Share of the ten nearest in the plane that are of the same kind."""
    square = ((flat[:, None] - flat[None]) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    return float((kind[np.argsort(square, axis=1)[:, :10]] == kind[:, None]).mean())


def test_the_map_fills_its_frame() -> None:
    vectors, _ = islands(300, 8)
    at = points(build(ids_of(300), vectors, seed=0))
    assert np.abs(at).max() <= 1.0
    assert (at.max(axis=0) - at.min(axis=0)).min() > 1.0
    cells = {(int(x * 4), int(y * 4)) for x, y in (at + 1) / 2}
    assert len(cells) >= 10, "half of the floor at least is used"


@settings(max_examples=20)
@given(
    count=st.integers(0, 18),
    kinds=st.integers(1, 4),
    dims=st.sampled_from([1, 2, 3, 8]),
    zeros=st.integers(0, 4),
    equal=st.booleans(),
    seed=st.integers(0, 9),
)
def test_whatever_comes_places_are_finite_and_inside(
    count: int, kinds: int, dims: int, zeros: int, equal: bool, seed: int
) -> None:
    vectors, _ = islands(count, kinds, dims=dims, noise=0.0 if equal else 0.3, seed=seed)
    vectors[:zeros] = 0.0
    places = build(ids_of(count), vectors, seed=seed)
    at = points(places)
    assert at.shape == (count, 2)
    assert np.isfinite(at).all()
    assert np.abs(at).max(initial=0.0) <= 1.0
    assert np.isfinite(places.near).all()
    assert len(np.unique(at, axis=0)) == count, "no two stand in the same place"


def test_none_one_and_all_the_same() -> None:
    assert len(build(ids_of(0), np.zeros((0, 8), np.float32), seed=0)) == 0
    alone = build(ids_of(1), unit(np.ones((1, 8))), seed=0)
    assert points(alone).tolist() == [[0.0, 0.0]]
    same = build(ids_of(50), unit(np.ones((50, 8))), seed=0)
    assert len(np.unique(points(same), axis=0)) == 50


@pytest.mark.req("R14.3")
def test_a_new_map_is_turned_like_the_one_before() -> None:
    vectors, _ = islands(240, 6)
    before = build(ids_of(240), vectors, seed=0)
    again = build(ids_of(240), vectors, seed=5, before=before)
    turned = a_quarter_turn(before)
    aligned = build(ids_of(240), vectors, seed=5, before=turned)
    assert moved(again, before) < 0.2
    assert moved(aligned, turned) < 0.2
    assert moved(aligned, again) > 0.5


def a_quarter_turn(places: Places) -> Places:
    return replace(places, x=-places.y, y=places.x)


def test_with_few_in_common_it_is_still_turned() -> None:
    vectors, _ = islands(240, 6)
    before = a_quarter_turn(build(ids_of(40), vectors[:40], seed=0))
    free = build(ids_of(240), vectors, seed=0)
    aligned = build(ids_of(240), vectors, seed=0, before=before)
    assert moved(aligned, before) < 0.6 * moved(free, before)


def test_another_layout_is_asked_where_one_is_given() -> None:
    vectors, _ = islands(30, 3)
    places = build(ids_of(30), vectors, seed=0, layout=lambda rows, start: np.arange(60, dtype=np.float32).reshape(30, 2))
    assert (np.argsort(places.x) == np.arange(30)).all() or (np.argsort(-places.x) == np.arange(30)).all()
