"""Statistics of use add up, whoever counts."""

from __future__ import annotations

from collections.abc import Callable

from contract_kit import NOW, SECOND, add, entry, prepared

from lodmem.model.memory import Tier
from lodmem.ports import Store, Usage


def usage(store: Store, memory_id: int) -> Usage:
    (found,) = store.usage([memory_id])
    return found


def test_a_retrieval_counts_and_sets_the_time(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    store.record_use(now_us=NOW, retrieved=[1], shown={1: Tier.FULL})
    assert usage(store, 1) == Usage(id=1, last_retrieved_us=NOW, retrieval_count=1, last_tier=Tier.FULL)
    assert usage(store, 2) == Usage(id=2, last_retrieved_us=None, retrieval_count=0, last_tier=None)
    store.record_use(now_us=NOW + SECOND, retrieved=[1], shown={})
    assert usage(store, 1) == Usage(id=1, last_retrieved_us=NOW + SECOND, retrieval_count=2, last_tier=Tier.FULL)


def test_an_earlier_time_never_replaces_a_later_one(store: Store) -> None:
    add(store, prepared("one"))
    store.record_use(now_us=NOW, retrieved=[1], shown={})
    store.record_use(now_us=NOW - SECOND, retrieved=[1], shown={})
    assert usage(store, 1) == Usage(id=1, last_retrieved_us=NOW, retrieval_count=2, last_tier=None)


def test_shown_is_not_retrieved(store: Store) -> None:
    add(store, prepared("one"))
    store.record_use(now_us=NOW, retrieved=[], shown={1: Tier.HEADLINE})
    assert usage(store, 1) == Usage(id=1, last_retrieved_us=None, retrieval_count=0, last_tier=Tier.HEADLINE)
    store.record_use(now_us=NOW, retrieved=[1], shown={})
    assert usage(store, 1) == Usage(id=1, last_retrieved_us=NOW, retrieval_count=1, last_tier=Tier.HEADLINE)


def test_an_id_named_twice_counts_once(store: Store) -> None:
    add(store, prepared("one"))
    store.record_use(now_us=NOW, retrieved=[1, 1], shown={})
    assert usage(store, 1).retrieval_count == 1


def test_ids_that_are_gone_are_passed_over(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    store.forget([1], now_us=NOW, audit=entry())
    store.record_use(now_us=NOW, retrieved=[1, 2, 99], shown={1: Tier.FULL, 98: Tier.FULL})
    assert [u.id for u in store.usage([1, 2, 98, 99])] == [2]
    assert usage(store, 2).retrieval_count == 1


def test_two_handles_add_up(open_store: Callable[[], Store]) -> None:
    one, two = open_store(), open_store()
    add(one, prepared("shared"))
    for n in range(5):
        one.record_use(now_us=NOW + n, retrieved=[1], shown={})
        two.record_use(now_us=NOW + 100 - n, retrieved=[1], shown={1: Tier.SUMMARY})
    for store in (one, two):
        assert usage(store, 1) == Usage(id=1, last_retrieved_us=NOW + 100, retrieval_count=10, last_tier=Tier.SUMMARY)


def test_its_audit_entry_is_written_with_it(store: Store) -> None:
    add(store, prepared("one"))
    store.record_use(now_us=NOW, retrieved=[1], shown={}, audit=entry("search", ids=[1]))
    assert [(e.verb, e.detail) for e in store.audit_log(after=1)] == [("search", {"ids": [1]})]


def test_usage_shows_in_memory_and_row(store: Store) -> None:
    add(store, prepared("one"))
    store.record_use(now_us=NOW, retrieved=[1], shown={1: Tier.SUMMARY})
    for found in (store.get([1])[0], *store.rows()):
        assert (found.last_retrieved_us, found.retrieval_count, found.last_tier) == (NOW, 1, Tier.SUMMARY)
