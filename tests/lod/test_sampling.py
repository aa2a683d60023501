"""SPEC 4: sampling without replacement that brings back what has been ignored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.lod.sampling import MIN_WEIGHT, neglect, sample

pytestmark = pytest.mark.req("R4.2")

WEIGHTS = st.lists(st.floats(1e-6, 1.0), max_size=60)


def draw(weights: list[float], count: int, seed: int) -> list[int]:
    return sample(np.array(weights), count, np.random.default_rng(seed)).tolist()


def test_neglect_is_what_is_lost_and_never_nothing() -> None:
    assert neglect(np.array([0.0, 0.25, 1.0, 0.9999999])).tolist() == [1.0, 0.75, MIN_WEIGHT, MIN_WEIGHT]


@given(weights=WEIGHTS, seed=st.integers(0, 2**63 - 1))
def test_each_index_comes_once(weights: list[float], seed: int) -> None:
    assert sorted(draw(weights, len(weights), seed)) == list(range(len(weights)))


@given(weights=WEIGHTS, count=st.integers(0, 80), seed=st.integers(0, 2**32))
def test_fewer_are_the_first_of_more(weights: list[float], count: int, seed: int) -> None:
    whole = draw(weights, len(weights), seed)
    assert draw(weights, count, seed) == whole[:count]


@given(weights=WEIGHTS, seed=st.integers(0, 2**32))
def test_the_same_seed_draws_the_same(weights: list[float], seed: int) -> None:
    assert draw(weights, 10, seed) == draw(weights, 10, seed)


def test_another_seed_draws_otherwise() -> None:
    assert len({tuple(draw([1.0] * 8, 8, seed)) for seed in range(200)}) > 190


def test_the_first_draw_is_in_proportion_to_the_weights() -> None:
    weights = [0.1, 0.2, 0.3, 0.4]
    firsts = np.bincount([draw(weights, 1, seed)[0] for seed in range(4000)], minlength=4) / 4000
    # Standard error at most .008.
    assert firsts == pytest.approx(weights, abs=0.03)


def test_the_second_draw_is_in_proportion_to_what_is_left() -> None:
    weights = [0.5, 0.3, 0.2]
    pairs = [tuple(draw(weights, 2, seed)) for seed in range(4000)]
    after_first = [second for first, second in pairs if first == 0]
    assert after_first.count(1) / len(after_first) == pytest.approx(0.6, abs=0.05)


def test_the_ignored_come_first_on_average() -> None:
    decay = np.array([0.98] * 10 + [0.1] * 10)
    places = np.zeros(20)
    for seed in range(300):
        for place, index in enumerate(draw(neglect(decay).tolist(), 20, seed)):
            places[index] += place / 300
    assert places[:10].min() > places[10:].max() + 5


def test_what_is_perfectly_fresh_still_has_its_turn() -> None:
    assert {draw(neglect(np.array([1.0, 1.0, 1.0])).tolist(), 1, seed)[0] for seed in range(50)} == {0, 1, 2}
