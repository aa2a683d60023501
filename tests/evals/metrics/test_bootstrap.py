from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.evals.metrics.bootstrap import Bootstrap, Interval


def test_no_spread_no_width() -> None:
    assert Bootstrap(40).interval([0.25] * 40) == Interval(0.25, pytest.approx(0.25), pytest.approx(0.25))  # type: ignore[arg-type]


def test_width_is_that_of_the_normal_approximation() -> None:
    values = [1.0] * 300 + [0.0] * 100
    found = Bootstrap(400, seed=3).interval(values)
    half = 1.96 * np.sqrt(0.75 * 0.25 / 400)
    assert found.mean == 0.75
    assert found.low == pytest.approx(0.75 - half, abs=0.006)
    assert found.high == pytest.approx(0.75 + half, abs=0.006)


def test_the_same_seed_draws_the_same() -> None:
    values = [0.0, 0.5, 1.0, 1.0, 0.2]
    assert Bootstrap(5, seed=1).interval(values) == Bootstrap(5, seed=1).interval(values)
    assert len({Bootstrap(5, seed=seed, samples=50).interval(values) for seed in range(8)}) > 1


def test_a_paired_difference_is_sharper_than_two_means() -> None:
    rng = np.random.default_rng(0)
    easy = rng.random(200)
    ours, theirs = np.clip(easy + 0.05, 0, 1), easy
    draws = Bootstrap(200)
    apart = draws.interval(list(ours)).low - draws.interval(list(theirs)).high
    paired = draws.interval(list(ours - theirs))
    assert apart < 0 < paired.low
    assert paired.mean == pytest.approx(0.05, abs=0.005)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_interval_holds_the_mean_and_stays_within_the_values(values: list[float]) -> None:
    found = Bootstrap(len(values), samples=200).interval(values)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_no_questions_say_nothing() -> None:
    assert Bootstrap(0).interval([]) == Interval(0.0, 0.0, 0.0)


def test_one_value_a_question() -> None:
    with pytest.raises(ValueError, match="expected 3"):
        Bootstrap(3).interval([1.0])
