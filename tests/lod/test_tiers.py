"""SPEC 2: the LOD score, its rounding, the tier it earns, and the floor below which nothing sinks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.lod.tiers import lifted, lod_score, natural_tiers, rounded
from lodmem.model.memory import Tier

UNIT = st.floats(0.0, 1.0)


def score(s: float, d: float, alpha: float) -> float:
    return float(lod_score(np.array([s]), np.array([d]), alpha)[0])


def tier(value: float, theta1: float = 0.6, theta2: float = 0.3, theta3: float = 0.05) -> Tier:
    return Tier(int(natural_tiers(rounded(np.array([value])), theta1, theta2, theta3)[0]))


@pytest.mark.req("R2.2")
@pytest.mark.parametrize(
    ("s", "d", "alpha", "expected"),
    [(1, 0, 0.9, 0.9), (0, 1, 0.9, 0.1), (0.8, 0.4, 0.5, 0.6), (0.3, 0.7, 1.0, 0.3), (0.3, 0.7, 0.0, 0.7)],
)
def test_score_by_hand(s: float, d: float, alpha: float, expected: float) -> None:
    assert score(s, d, alpha) == expected


@pytest.mark.req("R2.2")
@given(s=UNIT, d=UNIT, alpha=UNIT, more=UNIT)
def test_score_lies_between_its_signals_and_rises_with_each(s: float, d: float, alpha: float, more: float) -> None:
    found = score(s, d, alpha)
    assert min(s, d) - 1e-6 <= found <= max(s, d) + 1e-6
    assert score(max(s, more), d, alpha) >= found
    assert score(s, max(d, more), alpha) >= found


@pytest.mark.req("R2.2")
@given(s=UNIT, d=UNIT, alpha=UNIT)
def test_use_can_give_at_most_one_minus_alpha(s: float, d: float, alpha: float) -> None:
    assert score(s, 1.0, alpha) - score(s, d, alpha) <= 1 - alpha + 1e-6


@pytest.mark.req("R2.13")
def test_scores_are_rounded_to_a_millionth() -> None:
    assert score(0.123456789, 0.0, 1.0) == 0.123457
    assert score(0.1234564, 0.0, 1.0) == 0.123456
    assert lod_score(np.array([0.5], dtype=np.float64), np.array([0.5]), 0.3).dtype == np.float64


@pytest.mark.req("R2.11", "R2.13")
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, Tier.FULL),
        (0.6, Tier.FULL),
        (0.5999996, Tier.FULL),  # .600000 after rounding
        (0.5999994, Tier.SUMMARY),
        (0.599999, Tier.SUMMARY),
        (0.3, Tier.SUMMARY),
        (0.2999996, Tier.SUMMARY),
        (0.299999, Tier.HEADLINE),
        (0.05, Tier.HEADLINE),
        (0.0499996, Tier.HEADLINE),
        (0.049999, Tier.HORIZON),
        (0.0, Tier.HORIZON),
    ],
)
def test_tiers_begin_exactly_at_theta(value: float, expected: Tier) -> None:
    assert tier(value) is expected


@pytest.mark.req("R2.11")
@given(micro=st.integers(0, 1_000_000), thetas=st.lists(st.integers(0, 1_000_000), min_size=3, max_size=3))
def test_the_tier_is_the_highest_whose_theta_is_reached(micro: int, thetas: list[int]) -> None:
    theta3, theta2, theta1 = sorted(thetas)
    expected = 3 if micro >= theta1 else 2 if micro >= theta2 else 1 if micro >= theta3 else 0
    assert tier(micro / 1e6, theta1 / 1e6, theta2 / 1e6, theta3 / 1e6) == expected


@pytest.mark.req("R2.11")
@given(value=UNIT, other=UNIT)
def test_tiers_rise_with_the_score(value: float, other: float) -> None:
    assert tier(min(value, other)) <= tier(max(value, other))


@pytest.mark.req("R2.11")
def test_equal_thetas_leave_no_tier_between() -> None:
    assert [tier(v, 0.5, 0.5, 0.5) for v in (0.499999, 0.5)] == [Tier.HORIZON, Tier.FULL]


@pytest.mark.req("R2.11")
def test_theta3_of_zero_leaves_nothing_below_the_horizon() -> None:
    assert tier(0.0, 0.6, 0.3, 0.0) is Tier.HEADLINE


@pytest.mark.req("R2.12", "R1.15")
@given(pairs=st.lists(st.tuples(st.sampled_from(Tier), st.sampled_from(Tier)), max_size=30))
def test_a_floor_lifts_and_never_lowers(pairs: list[tuple[Tier, Tier]]) -> None:
    tiers = np.array([p[0] for p in pairs], dtype=np.int8)
    floors = np.array([p[1] for p in pairs], dtype=np.int8)
    assert lifted(tiers, floors).tolist() == [max(p) for p in pairs]
    assert lifted(tiers, np.zeros(len(pairs), dtype=np.int8)).tolist() == tiers.tolist()
