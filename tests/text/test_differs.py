"""In which exact things two texts differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.text.differs import Difference, differences
from tests.text.exact_cases import PAIRS, SAME


def test_there_are_enough_of_every_kind() -> None:
    assert len(set(PAIRS)) >= 200
    kinds = [what for what, _, _ in PAIRS]
    assert all(kinds.count(what) >= 25 for what in Difference)


@pytest.mark.parametrize(("what", "one", "other"), PAIRS)
def test_what_differs_is_seen_from_both_sides(what: Difference, one: str, other: str) -> None:
    found = differences(one, other)
    assert found, "nothing was found"
    assert found == differences(other, one)
    if what not in found:  # "noon" is no number: another kind may be seen instead, as long as it is one
        assert {what, *found} <= {Difference.NUMBER, Difference.DATE}


@pytest.mark.parametrize(("one", "other"), SAME)
def test_another_wording_of_the_same_is_no_difference(one: str, other: str) -> None:
    assert differences(one, other) == ()
    assert differences(other, one) == ()


@given(st.text(max_size=80), st.text(max_size=80))
def test_it_is_symmetric_and_never_fails(one: str, other: str) -> None:
    assert differences(one, other) == differences(other, one)
    assert differences(one, one) == ()


@given(st.integers(0, 9999), st.integers(0, 9999))
def test_two_numbers_are_never_one(one: int, other: int) -> None:
    found = differences(f"The crate holds {one} bolts.", f"The crate holds {other} bolts.")
    assert (Difference.NUMBER in found) == (one != other)


def test_a_long_text_takes_no_long_time() -> None:
    text = "The quick harbour pilot waits. " * 600
    assert differences(text, text + "Not today.") == (Difference.DATE, Difference.NEGATION)
