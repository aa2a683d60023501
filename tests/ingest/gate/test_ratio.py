"""The ratio is SequenceMatcher's, and its bound is one."""

from __future__ import annotations

import random
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.ingest.gate import at_most, ratio


def expected(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


few_letters = st.text(alphabet="ab ", max_size=60)
any_text = st.text(max_size=60)


@given(few_letters, few_letters)
def test_equal_to_sequence_matcher_where_blocks_are_many(one: str, other: str) -> None:
    assert ratio(one, other) == expected(one, other)
    assert at_most(one, other) >= ratio(one, other)


@given(any_text, any_text)
def test_equal_to_sequence_matcher_on_any_text(one: str, other: str) -> None:
    assert ratio(one, other) == expected(one, other)
    assert at_most(one, other) >= ratio(one, other)


@given(st.text(alphabet="abcdefg ", min_size=150, max_size=400), st.data())
def test_equal_where_long_blocks_let_places_be_passed_over(text: str, data: st.DataObject) -> None:
    other = text
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(other)))
        other = other[:at] + data.draw(st.text(alphabet="abxyz", max_size=6)) + other[at + data.draw(st.integers(0, 8)) :]
    assert ratio(text, other) == expected(text, other)
    assert ratio(other, text) == expected(other, text)


@pytest.mark.parametrize("seed", range(20))
def test_equal_on_sentences_with_a_word_changed(seed: int) -> None:
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijklmno", k=chance.randint(2, 9))) for _ in range(chance.randint(20, 120))]
    changed = list(words)
    changed[chance.randrange(len(words))] = "zebra"
    del changed[chance.randrange(len(changed))]
    one, other = " ".join(words), " ".join(changed)
    assert ratio(one, other) == expected(one, other)
    assert ratio(one, other) > 0.9


def test_empty_texts_are_equal() -> None:
    assert (ratio("", ""), ratio("a", ""), at_most("", ""), at_most("a", "")) == (1.0, 0.0, 1.0, 0.0)
