"""Index terms made anew: what changed is found by its new words, what was cut elsewhere is embedded again."""

from __future__ import annotations

from collections.abc import Callable

from contract_kit import NOW, SMALL, add, embedding, entry, prepared, turns

from lodmem.model.kept import TermsState
from lodmem.model.memory import Passage
from lodmem.ports import Store
from lodmem.text.tokens import TERMS_VERSION

STATE = TermsState(version=TERMS_VERSION)


def whole(text: str, *terms: str) -> tuple[Passage, ...]:
    return (Passage(0, len(text), terms),)


def words_of(store: Store, memory_id: int) -> list[tuple[str, ...]]:
    (row,) = store.rows([memory_id])
    return [terms for terms, _ in row.passages]


def test_a_new_store_has_the_current_version(store: Store) -> None:
    assert store.terms() == TermsState(version=TERMS_VERSION)


def test_terms_are_replaced_and_found(open_store: Callable[[], Store]) -> None:
    store, other = open_store(), open_store()
    add(store, prepared("old words"), prepared("stay here"))
    last = other.last_change()
    assert (
        store.put_terms({1: whole("old words", "new", "terms"), 2: whole("stay here", "stay", "here")}, STATE, now_us=NOW) == 1
    )
    assert (words_of(other, 1), words_of(other, 2)) == ([("new", "terms")], [("stay", "here")])
    assert [i for i, _ in store.match_words(["new"], limit=9)] == [1]
    assert store.match_words(["old"], limit=9) == []
    assert not other.changes(last).complete  # rows taken in again would keep the terms they had
    assert store.get([1])[0].full == "old words"
    assert store.check() == []


def test_vectors_stay_where_the_cut_is_the_same(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("some text"))
    store.put_vectors(SMALL.key, [embedding(1)])
    store.put_terms({1: whole("some text", "else")}, STATE, now_us=NOW)
    assert (store.backlog(), store.missing_vectors(SMALL.key, limit=9)) == (0, [])


def test_vectors_go_where_it_is_not_and_the_successor_is_embedded_again(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, *turns(3))
    store.put_vectors(SMALL.key, [embedding(i) for i in (1, 2, 3)])
    store.put_terms({1: (Passage(0, 4, ("a",)), Passage(4, 9, ("b",)))}, STATE, now_us=NOW)
    assert store.missing_vectors(SMALL.key, limit=9) == [1]
    items = store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=9)
    assert sorted(item.memory_id or 0 for item in items) == [1, 2]
    assert words_of(store, 1) == [("a",), ("b",)]
    assert store.check() == []


def test_the_state_of_a_repair_under_way_is_kept(open_store: Callable[[], Store]) -> None:
    store = open_store()
    add(store, prepared("one"))
    half = TermsState(version=0, making=7, upto=1)
    assert store.put_terms({}, half, now_us=NOW) == 0
    assert open_store().terms() == half


def test_memories_that_are_gone_are_passed_over(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    store.forget([1], now_us=NOW, audit=entry())
    assert store.put_terms({1: whole("one", "x"), 2: whole("two", "y"), 99: whole("no", "z")}, STATE, now_us=NOW) == 1
    assert store.check() == []


def test_memories_without_their_passages_are_found(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    store.put_terms({2: ()}, STATE, now_us=NOW)
    assert store.unindexed() == [2]
    assert any("#2: it has no passage" in problem for problem in store.check())
    store.put_terms({2: whole("two", "two")}, STATE, now_us=NOW)
    assert (store.unindexed(), store.check()) == ([], [])


def test_ids_come_in_pages(store: Store) -> None:
    add(store, *(prepared(f"text {n}") for n in range(5)))
    store.forget([3], now_us=NOW, audit=entry())
    assert (store.ids(limit=2), store.ids(after=2, limit=2), store.ids(after=5, limit=2)) == ([1, 2], [4, 5], [])
