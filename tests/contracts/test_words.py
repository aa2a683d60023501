"""Matching by words: plain terms, best first."""

from __future__ import annotations

import pytest
from contract_kit import NOW, add, entry, prepared
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lodmem.ports import Store


def ids(found: list[tuple[int, float]]) -> list[int]:
    return [memory_id for memory_id, _ in found]


def test_any_of_the_terms_is_enough(store: Store) -> None:
    add(store, prepared("red fox"), prepared("blue whale"), prepared("green frog"))
    assert sorted(ids(store.match_words(["red", "blue", "nothing"], limit=9))) == [1, 2]
    assert store.match_words(["nothing"], limit=9) == []
    assert store.match_words([], limit=9) == []


def test_the_best_comes_first_and_scores_fall(store: Store) -> None:
    add(store, *(prepared(f"filler number {n} of many words here") for n in range(20)))
    add(store, prepared("fox in a very long tale of many other words that never ends"), prepared("red fox"), prepared("fox"))
    found = store.match_words(["red", "fox"], limit=9)
    assert ids(found) == [22, 23, 21]
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert all(score > 0 for _, score in found)


def test_ties_stand_by_id_and_the_limit_holds(store: Store) -> None:
    add(store, *(prepared(f"same{n} fox") for n in range(9)), *(prepared(f"other {n}") for n in range(30)))
    assert ids(store.match_words(["fox"], limit=4)) == [1, 2, 3, 4]


def test_a_memory_of_many_passages_stands_once(store: Store) -> None:
    add(store, prepared("fox owl fox owl ", parts=2), prepared("nothing here"), prepared("nor here"))
    assert ids(store.match_words(["fox"], limit=9)) == [1]


@pytest.mark.parametrize(
    "term",
    ["c++", "a.b", "x_y", "a-b", "/usr/bin", "@you", "it's", "#482", '"', "'", "日本", "né", "🙂", "*", "or", "(", "^a", "a:b"],
)
def test_terms_are_never_syntax(store: Store, term: str) -> None:
    add(store, prepared(f"this holds {term} too"), prepared("this holds or not and near"), prepared("c a b x y usr bin"))
    found = ids(store.match_words([term], limit=9))
    assert found == [1] if term != "or" else sorted(found) == [1, 2]


@pytest.mark.parametrize("term", ["", " ", "a b", "fo", "foxes", "\0", "fox\0", "FOXY"])
def test_what_is_no_term_of_a_memory_matches_nothing(store: Store, term: str) -> None:
    add(store, prepared("fox a b"))
    assert store.match_words([term], limit=9) == []


def test_thousands_of_terms_can_be_asked(store: Store) -> None:
    add(store, prepared("fox"), prepared("owl"))
    assert sorted(ids(store.match_words([*(f"t{n}" for n in range(5000)), "fox"], limit=9))) == [1]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1).filter(lambda t: t.split() == [t]))
def test_any_term_finds_its_memory(store: Store, term: str) -> None:
    (memory_id,) = add(store, prepared("text " + term, terms=["text", term]))
    assert memory_id in ids(store.match_words([term], limit=1000))
    assert next(store.rows([memory_id])).passages[0][0] == ("text", term)


def test_forgotten_memories_match_no_more(store: Store) -> None:
    add(store, prepared("red fox"), prepared("grey fox"))
    store.forget([1], now_us=NOW, audit=entry())
    assert ids(store.match_words(["red", "fox"], limit=9)) == [2]
