"""Names of clusters: words that stand out there, readable, and none that everybody has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.plane.labels import LONGEST, labels

KILN = [
    "Ada fires the glass kiln overnight · annealing",
    "The glass kiln cracked two vases",
    "Ada: the kiln needs new bricks",
    "Glass kiln temperatures were logged",
]
BOAT = [
    "Ada: the steam ferry was late again",
    "Steam ferry timetable changes in June",
    "Tickets for the steam ferry cost more",
    "Ada likes the harbour at dawn",
]


@pytest.mark.req("R14.4")
def test_a_cluster_is_named_by_what_others_lack() -> None:
    fine, coarse = labels({0: KILN, 1: BOAT}, {0: 0, 1: 0})
    assert "kiln" in fine[0].casefold()
    assert "ferry" in fine[1].casefold()
    assert not any("Ada" in name for name in fine.values()), "everybody has that one"
    assert set(coarse) == {0}


def test_a_pair_of_words_stands_where_it_says_more() -> None:
    fine, _ = labels({0: KILN, 1: BOAT}, {0: 0, 1: 1})
    assert "steam ferry" in fine[1].casefold()


def test_names_are_words_not_stems() -> None:
    fine, _ = labels({0: ["Batteries were charged", "Charging batteries", "The batteries leak"], 1: BOAT}, {0: 0, 1: 1})
    assert "batteries" in fine[0].casefold()


def test_stop_words_numbers_and_clipped_words_are_no_names() -> None:
    fine, coarse = labels({0: ["the 42 and 43", "don't we'll 2024", "is of the"] * 3}, {0: 0})
    assert (fine, coarse) == ({0: ""}, {0: ""})


def test_two_clusters_alike_have_two_names() -> None:
    fine, _ = labels({0: KILN, 1: [*KILN, "Vases of blown glass vases", "Blown vases"], 2: BOAT}, {0: 0, 1: 0, 2: 1})
    assert len({name.casefold() for name in fine.values()}) == 3


def test_other_scripts_have_names_too() -> None:
    fine, _ = labels({0: ["Печь для стекла", "Новая печь", "Печь остыла"], 1: BOAT}, {0: 0, 1: 1})
    assert "печь" in fine[0].casefold()


@given(st.dictionaries(st.integers(0, 9), st.lists(st.text(max_size=60), max_size=6), max_size=5))
def test_any_text_gives_short_harmless_names(headlines: dict[int, list[str]]) -> None:
    fine, coarse = labels(headlines, {number: number // 3 for number in headlines})
    assert set(fine) == set(headlines)
    for name in (*fine.values(), *coarse.values()):
        assert len(name) <= LONGEST
        assert not any(ord(char) < 32 or char in "<>&" for char in name)
