"""SPEC 2 and 4: how sharpness falls with time and rises with use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.lod.decay import US_PER_DAY, days_between, decay, faded_importance, frequency

DAYS = st.floats(0.0, 10_000.0)
COUNTS = st.integers(0, 1_000_000)
LAMBDAS = st.floats(0.0, 5.0)


def d(t: float, r: int, lambda_: float = 0.03) -> float:
    return float(decay(np.array([t]), np.array([r]), lambda_)[0])


def f(r: int) -> float:
    return float(frequency(np.array([r]))[0])


@pytest.mark.req("R2.1")
@pytest.mark.parametrize(
    ("t", "r", "lambda_", "expected"),
    [
        (0.0, 0, 0.03, 1.0),
        (100.0, 0, 0.03, 0.049787068),  # e^-3
        (100.0, 1, 0.03, 0.170018448),  # e^(-3 / 1.693147)
        (10.0, 0, 0.1, 0.367879441),  # e^-1
        (365.0, 50, 0.03, 0.108579447),  # e^(-10.95 / 4.931826)
        (123.0, 7, 0.0, 1.0),
    ],
)
def test_decay_by_hand(t: float, r: int, lambda_: float, expected: float) -> None:
    assert d(t, r, lambda_) == pytest.approx(expected, abs=1e-8)


@pytest.mark.req("R2.4")
def test_decay_keeps_the_promises_of_its_default() -> None:
    assert d(182.0, 0) < 0.01
    assert d(1.0, 1) > 0.95
    # Half-lives: fifty retrievals live longer than one, by the logarithm, far from fifty times.
    stretch = (1 + math.log(51)) / (1 + math.log(2))
    assert math.log(d(100, 1)) / math.log(d(100, 50)) == pytest.approx(stretch)
    assert 2 < stretch < 4


@pytest.mark.req("R2.1")
@given(t=DAYS, r=COUNTS, lambda_=LAMBDAS)
def test_decay_lies_in_0_to_1(t: float, r: int, lambda_: float) -> None:
    assert 0.0 <= d(t, r, lambda_) <= 1.0


@pytest.mark.req("R2.1")
@given(t=DAYS, later=DAYS, r=COUNTS, lambda_=LAMBDAS)
def test_decay_falls_with_time(t: float, later: float, r: int, lambda_: float) -> None:
    assert d(t + later, r, lambda_) <= d(t, r, lambda_)


@pytest.mark.req("R2.1")
@given(t=st.floats(0.01, 300.0), later=st.floats(0.01, 300.0), r=st.integers(0, 1000))
def test_decay_falls_strictly_where_numbers_can_tell(t: float, later: float, r: int) -> None:
    assert d(t + later, r) < d(t, r) < 1.0


@pytest.mark.req("R2.1")
@given(t=DAYS, r=COUNTS, more=st.integers(1, 1000), lambda_=LAMBDAS)
def test_decay_rises_with_use(t: float, r: int, more: int, lambda_: float) -> None:
    assert d(t, r + more, lambda_) >= d(t, r, lambda_)


@given(t=st.floats(0.1, 300.0), r=COUNTS, small=st.floats(0.001, 1.0), more=st.floats(0.001, 1.0))
def test_a_larger_lambda_forgets_sooner(t: float, r: int, small: float, more: float) -> None:
    assert d(t, r, small + more) < d(t, r, small) or d(t, r, small) == 0.0


@given(values=st.lists(st.tuples(DAYS, COUNTS), min_size=1, max_size=20))
def test_arrays_are_their_elements(values: list[tuple[float, int]]) -> None:
    t, r = np.array([v[0] for v in values]), np.array([v[1] for v in values])
    # SIMD may round the last bit otherwise than one at a time.
    np.testing.assert_allclose(decay(t, r, 0.03), [d(*v) for v in values], rtol=1e-13, atol=0)
    np.testing.assert_allclose(frequency(r), [f(v[1]) for v in values], rtol=1e-13, atol=0)


@pytest.mark.req("R2.3")
def test_days_are_counted_in_fractions_and_never_negative() -> None:
    now = 1_000 * US_PER_DAY
    earlier = np.array([now, now - US_PER_DAY, now - US_PER_DAY // 2, now + 5 * US_PER_DAY, 0, -US_PER_DAY])
    assert days_between(earlier, now).tolist() == [0.0, 1.0, 0.5, 0.0, 1000.0, 1001.0]


@pytest.mark.req("R4.1")
@pytest.mark.parametrize(("r", "expected"), [(0, 0.0), (1, 0.409384), (4, 0.616776), (50, 0.797235), (1_000_000, 0.932504)])
def test_frequency_by_hand(r: int, expected: float) -> None:
    assert f(r) == pytest.approx(expected, abs=1e-6)


@pytest.mark.req("R4.1")
@given(r=COUNTS, more=st.integers(1, 1000))
def test_frequency_lies_in_0_to_1_and_rises(r: int, more: int) -> None:
    assert 0.0 <= f(r) < f(r + more) < 1.0


@pytest.mark.req("R4.4")
def test_importance_fades_by_a_twentieth_a_day() -> None:
    found = faded_importance(np.array([1.0, 1.0, 0.5, 0.0, 0.8]), np.array([0.0, 1.0, 2.0, 3.0, 14.0]))
    assert found == pytest.approx([1.0, 0.95, 0.45125, 0.0, 0.8 * 0.95**14])


@pytest.mark.req("R4.4")
@given(importance=st.floats(0.0, 1.0), days=DAYS, later=DAYS)
def test_faded_importance_never_rises(importance: float, days: float, later: float) -> None:
    now, then = faded_importance(np.array([importance, importance]), np.array([days, days + later]))
    assert 0.0 <= then <= now <= importance


@given(t=st.floats(0.5, 300.0), r=st.integers(0, 1000))
def test_what_was_used_more_or_later_is_never_less_sharp(t: float, r: int) -> None:
    assert d(t / 2, r) > d(t, r)
    assert d(t, r + 1) > d(t, r)
