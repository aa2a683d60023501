from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.evals.tuning import (
    ALPHAS,
    LAMBDAS,
    Look,
    best_setting,
    grid,
    score_settings,
    standings,
    thetas,
    tuned,
)
from lodmem.model.profile import Profile

BALANCED = Profile(name="p")


def look(relevance: list[float], marked: list[int], days: list[float] | None = None, uses: list[int] | None = None) -> Look:
    n = len(relevance)
    return Look(
        np.arange(1, n + 1),
        np.array(relevance),
        np.array(days if days is not None else [0.0] * n),
        np.array(uses if uses is not None else [0] * n),
        np.array(marked),
    )


@st.composite
def looks(draw: st.DrawFn) -> Look:
    n = draw(st.integers(1, 12))
    grid_of = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
    marked = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True))
    return look(
        draw(st.lists(grid_of, min_size=n, max_size=n)),
        sorted(marked),
        draw(st.lists(st.sampled_from([0.0, 10.0, 400.0]), min_size=n, max_size=n)),
        draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)),
    )


@given(looks(), st.sampled_from(ALPHAS), st.sampled_from(LAMBDAS))
def test_ranks_are_places_in_the_order_of_a_search(seen: Look, alpha: float, lambda_: float) -> None:
    scores = seen.lod(alpha, lambda_)
    order = np.lexsort((seen.ids, -scores)).tolist()
    assert seen.ranks(scores) == [order.index(at) + 1 for at in seen.marked]
    assert 0.0 <= seen.ndcg(alpha, lambda_) <= 1.0


def test_lod_is_the_products() -> None:
    seen = look([0.8, 0.2], [1], days=[10.0, 0.0], uses=[0, 1])
    assert seen.lod(0.9, 0.03).tolist() == [round(0.72 + 0.1 * math.exp(-0.3), 6), 0.28]
    assert seen.ndcg(0.9, 0.03) == pytest.approx(1 / math.log2(3))


def test_the_grid_holds_what_the_profile_has_and_allows() -> None:
    assert grid(BALANCED)[0] == (0.9, 0.03)
    assert len(grid(BALANCED)) == len(set(grid(BALANCED)))
    assert [pair for pair in grid(BALANCED) if pair[0] == 1.0] == [(1.0, 0.03)]
    locked = Profile(name="p", locked=("alpha",), bounds={"lambda_": (0.02, 0.06)})
    assert grid(locked) == [(0.9, 0.03), (0.9, 0.02), (0.9, 0.05)]
    own = Profile(name="p", alpha=0.77, locked=("lambda_",))
    assert (0.77, 0.03) in grid(own)


def test_the_best_setting_is_the_nearest_that_cannot_be_told_from_the_best() -> None:
    near, far, poor = (0.9, 0.03), (0.3, 0.03), (0.9, 0.3)
    clear = {near: [0.1, 0.2, 0.1, 0.2], far: [0.9, 0.8, 0.9, 0.8], poor: [0.0, 0.0, 0.0, 0.0]}
    assert best_setting(clear, BALANCED) == far
    noise = {near: [0.5, 0.5, 0.5, 0.5], far: [0.9, 0.2, 0.9, 0.2], poor: [0.0, 0.0, 0.0, 0.0]}
    assert best_setting(noise, BALANCED) == near
    assert best_setting({near: [0.5], far: [0.5]}, BALANCED) == near


def test_old_evidence_asks_for_a_high_alpha_and_fresh_evidence_for_a_low_one() -> None:
    old = [look([0.6, 0.5, 0.5, 0.4], [0], days=[500.0, 0.0, 1.0, 2.0]) for _ in range(5)]
    fresh = [look([0.6, 0.5, 0.5, 0.4], [3], days=[500.0, 400.0, 300.0, 0.0]) for _ in range(5)]
    assert best_setting(score_settings(old, grid(BALANCED)), BALANCED) == (0.9, 0.003)
    assert best_setting(score_settings(fresh, grid(BALANCED)), BALANCED)[0] == 0.8


def crowd(marks: list[float]) -> Look:
    """Marked memories with these S, and 200 others from 0 up to .2."""
    return look([*marks, *np.linspace(0.0, 0.2, 200)], list(range(len(marks))))


def test_thresholds_show_the_marked_ones_sharp() -> None:
    marks = [0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5]
    first, second, third = thetas([crowd(marks)], (1.0, 0.03), BALANCED)
    assert (first, second, third) == (0.65, 0.55, 0.05)
    (standing,) = standings([crowd(marks)], tuned(BALANCED, (1.0, 0.03), (first, second, third)))
    assert standing.marked == (7, 9, 10)
    assert standing.shown[:2] == (7, 9)
    assert (standing.marks, standing.candidates, standing.ndcg) == (10, 210, 1.0)


def test_thresholds_do_not_flood_the_landscape() -> None:
    weak = [0.02] * 10
    first, second, _ = thetas([crowd(weak)], (1.0, 0.03), BALANCED)
    (standing,) = standings([crowd(weak)], tuned(BALANCED, (1.0, 0.03), (first, second, 0.01)))
    assert standing.shown[0] <= 0.07 * standing.candidates
    assert standing.shown[1] <= 0.27 * standing.candidates
    assert standing.marked[:2] == (0, 0)


def test_expansions_only_lower_thresholds() -> None:
    sharp = crowd([0.95] * 10)
    assert thetas([sharp], (1.0, 0.03), BALANCED)[0] == 0.95
    assert thetas([sharp], (1.0, 0.03), BALANCED, lower_only=True)[:2] == (0.6, 0.3)


def test_locks_and_bounds_hold_for_thresholds() -> None:
    seen = [crowd([0.95] * 10)]
    locked = Profile(name="p", locked=("theta1",))
    assert thetas(seen, (1.0, 0.03), locked)[0] >= 0.6
    bounded = Profile(name="p", bounds={"theta1": (0.5, 0.7), "theta2": (0.2, 0.4)})
    assert thetas(seen, (1.0, 0.03), bounded)[:2] == (0.7, 0.4)


@given(st.lists(looks(), min_size=1, max_size=4), st.booleans())
def test_whatever_was_seen_makes_a_profile(seen: list[Look], lower_only: Any) -> None:
    setting = best_setting(score_settings(seen, grid(BALANCED)), BALANCED)
    made = tuned(BALANCED, setting, thetas(seen, setting, BALANCED, lower_only=lower_only))
    assert 1.0 >= made.theta1 >= made.theta2 >= made.theta3 >= 0.0
    for standing in standings(seen, made):
        assert standing.marked[0] <= standing.marked[1] <= standing.marked[2] <= standing.marks
