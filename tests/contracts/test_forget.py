"""Forgetting takes everything with it and leaves a number that is never used again."""

from __future__ import annotations

import pytest
from contract_kit import DAY, NOW, SMALL, add, embedding, entry, prepared, turns

from lodmem.errors import UnknownMemory
from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Source, Status, Tier
from lodmem.ports import Store


def test_it_counts_what_was_there(store: Store) -> None:
    add(store, prepared("one"), prepared("two"), prepared("three"))
    assert store.forget([1, 3, 3], now_us=NOW, audit=entry()) == 2
    assert store.forget([1, 2], now_us=NOW, audit=entry()) == 1
    assert store.forget([1], now_us=NOW, audit=entry()) == 0
    assert store.stats().memories == 0


def test_everything_goes(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    item = prepared("secret plan", tags=("hidden",), source=Source("private.md", "x", 1))
    store.add([item, prepared("other")], now_us=NOW, tasks=("embed", "levels"))
    store.put_vectors(SMALL.key, [embedding(1)])
    store.record_use(now_us=NOW, retrieved=[1], shown={1: Tier.FULL})
    store.set_floor([1], Tier.FULL, for_agent="ann", audit=entry())
    store.forget([1], now_us=NOW, audit=entry())
    with pytest.raises(UnknownMemory):
        store.get([1])
    assert store.texts([1], Tier.FULL) == {}
    assert [row.id for row in store.rows()] == [2]
    assert store.usage([1]) == []
    assert store.match_words(["secret"], limit=9) == []
    assert store.embed_inputs([1]) == []
    assert store.backlog() == 2
    assert (store.stats().passages, store.stats().embedded_passages) == (1, 0)
    assert store.check() == []


def test_a_forgotten_memory_is_named_so(store: Store) -> None:
    add(store, prepared("one"))
    store.forget([1], now_us=NOW, audit=entry())
    with pytest.raises(UnknownMemory, match="#1 was forgotten on 2023-11-14"):
        store.get([1])


def test_what_never_was_is_refused_and_nothing_goes(store: Store) -> None:
    add(store, prepared("one"))
    before = store.last_change()
    for never in (7, 2**70):
        with pytest.raises(UnknownMemory, match=f"no memory #{never}"):
            store.forget([1, never], now_us=NOW, audit=entry())
    assert (store.stats().memories, store.last_change(), len(store.audit_log())) == (1, before, 1)


def test_it_is_audited(store: Store) -> None:
    add(store, prepared("one"))
    store.forget([1], now_us=NOW, audit=entry("forget", ids=[1]))
    assert [(e.verb, e.detail) for e in store.audit_log(after=1)] == [("forget", {"ids": [1]})]


def test_the_same_text_may_be_remembered_again(store: Store) -> None:
    item = prepared("again", source=Source("a", "b", 1))
    add(store, item)
    store.forget([1], now_us=NOW, audit=entry())
    assert store.add([item], now_us=NOW)[0].created
    assert store.get([2])[0].full == "again"


def test_what_it_superseded_points_nowhere(store: Store) -> None:
    add(store, prepared("old"), prepared("new"))
    store.set_status(1, Status.SUPERSEDED, superseded_by=2, valid_to_us=NOW, audit=entry())
    since = store.last_change()
    store.forget([2], now_us=NOW, audit=entry())
    assert store.get([1])[0].superseded_by is None
    assert (store.changes(since).written, store.changes(since).gone) == ((1,), (2,))


def test_the_successor_is_embedded_again(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    ids = add(store, *turns(4), *turns(1, session="t"))
    store.put_vectors(SMALL.key, [embedding(i) for i in ids])
    since = store.last_change()
    store.forget([2], now_us=NOW, audit=entry())
    assert store.missing_vectors(SMALL.key, limit=9) == [3]
    assert [item.memory_id for item in store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=9)] == [3]
    assert next(store.rows([3])).passages[0][1] is None
    assert store.changes(since).written == (3,)


def test_a_run_of_forgotten_ones_has_one_successor(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    ids = add(store, *turns(5))
    store.put_vectors(SMALL.key, [embedding(i) for i in ids])
    store.forget([2, 3], now_us=NOW, audit=entry())
    assert store.missing_vectors(SMALL.key, limit=9) == [4]
    assert store.embed_inputs([4])[0].predecessor == "turn 0 of chat.jsonl s"


def test_a_successor_in_work_is_done_once_more(store: Store) -> None:
    store.add(turns(2), now_us=NOW)
    items = store.claim("embed", worker="w", now_us=NOW, lease_us=DAY, limit=9)
    store.forget([1], now_us=NOW, audit=entry())
    store.put_vectors(SMALL.key, [embedding(1), embedding(2)], done=[item.id for item in items])
    assert [item.memory_id for item in store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=9)] == [2]


def test_what_was_asked_goes_with_what_it_showed(store: Store) -> None:
    first, second = add(store, prepared("the harbour key"), prepared("the mill"))
    for n, shown in enumerate(([first], [second], [first, second])):
        asked = AuditEntry(
            at_us=NOW + n, space="main", agent="ada", verb="search", detail={"query": f"question {n}", "ids": shown}
        )
        store.record_use(now_us=NOW, retrieved=(), shown={}, audit=asked)

    def questions() -> list[object]:
        return [logged.detail.get("query") for logged in store.audit_log() if logged.verb == "search"]

    assert questions() == ["question 0", "question 1", "question 2"]
    store.forget([first], now_us=NOW, audit=entry())
    assert questions() == [None, "question 1", None]
