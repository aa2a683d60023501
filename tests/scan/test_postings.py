"""The inverted index against a plain dictionary, however often it is folded or put into a block."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.scan import postings as module
from lodmem.scan.postings import Postings

TERMS = st.sampled_from(["tea", "coffee", "東京", "c++", "x" * 300, "café"])
PASSAGES = st.lists(st.lists(TERMS, max_size=8), max_size=12)
STEPS = st.lists(st.tuples(PASSAGES, st.sampled_from(["one by one", "bulk", "fold", "block"])), max_size=6)


def grown(steps: list[tuple[list[list[str]], str]]) -> tuple[Postings, list[list[str]]]:
    postings, passages = Postings(), list[list[str]]()
    for more, way in steps:
        if way == "bulk":
            postings.extend_in_bulk(len(passages), more)
            postings.fold()
        else:
            postings.extend(len(passages), more)
        if way == "fold":
            postings.fold()
        if way == "block":
            postings = Postings(postings.block())
        passages += more
    return postings, passages


@given(steps=STEPS)
def test_it_finds_what_a_dictionary_finds(steps: list[tuple[list[list[str]], str]]) -> None:
    postings, passages = grown(steps)
    for term in ["tea", "coffee", "東京", "c++", "x" * 300, "café", "never"]:
        rows, counts = postings.find(term)
        held = {row: Counter(terms)[term] for row, terms in enumerate(passages) if term in terms}
        assert dict(zip(rows.tolist(), counts.tolist(), strict=True)) == held
        assert rows.tolist() == sorted(held)
    assert len(postings) == len({term for terms in passages for term in terms})


def test_it_folds_by_itself_when_the_lists_have_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOLD_AT", 10)
    postings = Postings()
    for row in range(30):
        postings.extend(row, [[f"w{row % 3}", f"w{row % 5}x"]])
        assert postings._recent_size <= 12
    assert postings.find("w1")[0].tolist() == list(range(1, 30, 3))


def test_terms_with_equal_hashes_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_hash", lambda term: 7)
    postings = Postings()
    postings.extend(0, [["tea"], ["coffee", "tea"], ["milk"]])
    mapped = Postings(postings.block())
    assert [mapped.find(term)[0].tolist() for term in ("tea", "coffee", "milk", "sugar")] == [[0, 1], [1], [2], []]


def test_a_count_beyond_its_room_stays_at_the_most() -> None:
    postings = Postings()
    postings.extend(0, [["tea"] * 70_000])
    postings.extend_in_bulk(1, [["tea"] * 70_000])
    postings.fold()
    assert postings.find("tea")[1].tolist() == [65_535, 65_535]
