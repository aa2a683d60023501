"""SPEC 2: the parts of S, their fusion and calibration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.lod.relevance import (
    NEIGHBOUR_OFFSETS,
    Recipe,
    bm25_bound,
    bm25_term,
    calibrated,
    cosine_only,
    fuse,
    idf,
    lexical_part,
    vector_part,
    with_neighbours,
)

R = Recipe()
UNIT = st.floats(0.0, 1.0)
NAN = math.nan


def one(value: float) -> np.ndarray:
    return np.array([value])


def fused(v: float, lex: float, x: float) -> float:
    return float(fuse(one(v), one(lex), one(x), R)[0])


def s_of(v: float, lex: float, x: float) -> float:
    return float(calibrated(one(fused(v, lex, x)), R)[0])


# -- words -------------------------------------------------------------------------------------------------------------


@pytest.mark.req("R2.6")
@pytest.mark.parametrize(("holders", "total", "expected"), [(1, 4, math.log(1 + 3.5 / 1.5)), (4, 4, math.log(1 + 0.5 / 4.5))])
def test_idf_by_hand(holders: int, total: int, expected: float) -> None:
    assert idf(holders, total) == pytest.approx(expected)


@pytest.mark.req("R2.6")
@given(total=st.integers(1, 1_000_000), share=UNIT)
def test_idf_is_positive_and_falls_with_its_holders(total: int, share: float) -> None:
    holders = int(share * (total - 1))
    assert idf(holders, total) > idf(holders + 1, total) > 0


@pytest.mark.req("R2.6")
def test_bm25_by_hand() -> None:
    # tf 2, twice as long as the average: 2 * 2.2 / (2 + 1.2 * (.25 + .75 * 2))
    assert bm25_term(one(2.0), one(20.0), 10.0, R)[0] == pytest.approx(4.4 / 4.1)
    assert bm25_term(one(1.0), one(10.0), 10.0, R)[0] == pytest.approx(1.0)


@pytest.mark.req("R2.6")
@given(tf=st.integers(1, 1000), length=st.integers(1, 5000), average=st.floats(1.0, 5000.0))
def test_bm25_stays_under_its_bound_rises_with_tf_and_falls_with_length(tf: int, length: int, average: float) -> None:
    share = bm25_term(one(tf), one(length), average, R)[0]
    assert 0 < share < R.k1 + 1
    assert bm25_term(one(tf + 1), one(length), average, R)[0] > share
    assert bm25_term(one(tf), one(length + 1), average, R)[0] < share
    assert share * 2.5 < bm25_bound([2.5], R)


@pytest.mark.req("R2.6")
@given(bm25=UNIT, coverage=UNIT)
def test_the_lexical_part_is_half_bm25_half_coverage(bm25: float, coverage: float) -> None:
    assert lexical_part(one(bm25), one(coverage), R)[0] == pytest.approx(0.5 * bm25 + 0.5 * coverage)


# -- neighbours --------------------------------------------------------------------------------------------------------


@pytest.mark.req("R2.7")
def test_neighbours_lend_their_shares() -> None:
    assert NEIGHBOUR_OFFSETS == (-2, -1, 1, 2)
    own = np.array([0.2, 0.2, 0.2, 0.2, 0.2])
    beside = np.vstack([np.eye(4), np.zeros(4)]) * 0.5
    found = with_neighbours(own, beside @ np.asarray(R.neighbours), np.full(5, 10), R)
    assert found == pytest.approx([0.25, 0.4, 0.3, 0.225, 0.2])


@pytest.mark.req("R2.7")
@pytest.mark.parametrize(("tokens", "scale"), [(1, 1.0), (60, 1.0), (120, 0.5), (600, 0.1)])
def test_long_memories_borrow_less(tokens: int, scale: float) -> None:
    found = with_neighbours(one(0.1), one(0.4), np.array([tokens]), R)
    assert found[0] == pytest.approx(0.1 + 0.4 * scale)


@pytest.mark.req("R2.7")
@given(own=UNIT, lent=UNIT, tokens=st.integers(0, 100_000))
def test_borrowing_only_adds_and_ends_at_1(own: float, lent: float, tokens: int) -> None:
    assert own <= with_neighbours(one(own), one(lent), np.array([tokens]), R)[0] <= 1.0


# -- meaning -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("R2.5")
def test_the_cosine_is_clipped_between_c0_and_c1() -> None:
    found = vector_part(np.array([-1.0, 0.05, 0.375, 0.7, 1.0, NAN]), R)
    assert found[:5] == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])
    assert np.isnan(found[5])


@pytest.mark.req("R2.5", "R2.21")
def test_the_models_own_constants_are_used() -> None:
    assert vector_part(one(0.5), Recipe(c0=0.4, c1=0.6))[0] == pytest.approx(0.5)


@pytest.mark.req("R2.10")
def test_the_seeds_relevance_is_the_raw_cosine() -> None:
    assert cosine_only(np.array([-0.4, 0.0, 0.21, 1.0, NAN, 1.0000001])).tolist() == [0.0, 0.0, 0.21, 1.0, 0.0, 1.0]


# -- fusion ------------------------------------------------------------------------------------------------------------


@pytest.mark.req("R2.8")
def test_fusion_and_calibration_by_hand() -> None:
    assert fused(0.6, 0.4, 0.5) == pytest.approx(0.35 * 0.6 + 0.45 * 0.4 + 0.2 * 0.5)
    assert calibrated(np.array([0.35, 0.45, 0.25]), R) == pytest.approx([0.5, 1 / (1 + math.exp(-1)), 1 / (1 + math.e)])


@pytest.mark.req("R2.9")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((NAN, 0.4, 0.5), (0.45 * 0.4 + 0.2 * 0.5) / 0.65),
        ((0.6, 0.4, NAN), (0.35 * 0.6 + 0.45 * 0.4) / 0.8),
        ((0.6, NAN, NAN), 0.6),
        ((NAN, 0.4, NAN), 0.4),
        ((NAN, NAN, NAN), 0.0),
    ],
)
def test_missing_parts_leave_their_weight_to_the_others(parts: tuple[float, float, float], expected: float) -> None:
    assert fused(*parts) == pytest.approx(expected)


@pytest.mark.req("R2.9")
@given(value=UNIT, there=st.lists(st.booleans(), min_size=3, max_size=3))
def test_parts_that_agree_give_the_same_whoever_is_missing(value: float, there: list[bool]) -> None:
    parts = [value if here else NAN for here in there]
    assert fused(*parts) == pytest.approx(value if any(there) else 0.0)


@pytest.mark.req("R2.8")
@given(parts=st.lists(UNIT | st.just(NAN), min_size=3, max_size=3), at=st.integers(0, 2), more=UNIT)
def test_relevance_lies_in_0_to_1_and_rises_with_every_part(parts: list[float], at: int, more: float) -> None:
    found = s_of(*parts)
    assert 0.0 < found < 1.0
    if not math.isnan(parts[at]):
        higher = [*parts]
        higher[at] = max(parts[at], more)
        assert s_of(*higher) >= found


@given(one_s=UNIT, other=UNIT)
def test_calibration_changes_no_ranking(one_s: float, other: float) -> None:
    low, high = calibrated(np.array([min(one_s, other), max(one_s, other)]), R)
    assert low <= high
