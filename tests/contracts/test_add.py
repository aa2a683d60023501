"""Adding: outcomes, ids, what counts as the same, what a new memory brings with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from contract_kit import DAY, NOW, SMALL, add, embedding, entry, prepared, turns

from lodmem.errors import BadEncoding, BadParameter
from lodmem.model.memory import Added, Kind, Priority, Source, Status, Tier
from lodmem.ports import Store


def test_one_outcome_each_in_order_with_rising_ids(store: Store) -> None:
    outcomes = store.add([prepared("one"), prepared("two"), prepared("three")], now_us=NOW)
    assert outcomes == [Added(1, True), Added(2, True), Added(3, True)]
    assert [memory.full for memory in store.get([1, 2, 3])] == ["one", "two", "three"]


def test_an_empty_batch_changes_nothing(store: Store) -> None:
    assert store.add([], now_us=NOW) == []
    assert store.last_change() == 0


def test_the_same_again_changes_nothing(store: Store) -> None:
    item = prepared("once", source=Source("a.md", "s", 3), tags=("x",))
    first = store.add([item], now_us=NOW)
    before = (store.last_change(), store.backlog(), len(store.audit_log()), store.get([1]))
    assert store.add([item], now_us=NOW + DAY) == [Added(first[0].id, False)]
    assert (store.last_change(), store.backlog(), len(store.audit_log()), store.get([1])) == before


def test_the_same_twice_in_one_batch_is_one(store: Store) -> None:
    outcomes = store.add([prepared("a"), prepared("b"), prepared("a")], now_us=NOW)
    assert outcomes == [Added(1, True), Added(2, True), Added(1, False)]
    assert store.stats().memories == 2


def test_what_is_known_is_told_and_nothing_changes(store: Store) -> None:
    here = Source("a.md", "s", 3)
    kept = [prepared("one"), prepared("two", source=here), prepared("three", space="elsewhere")]
    ids = add(store, *kept)
    before = (store.last_change(), store.backlog(), len(store.audit_log()), store.stats())
    others = [
        prepared("another"),
        prepared("one", source=here),
        prepared("two"),
        prepared("two", source=Source("a.md", "s", 4)),
        prepared("two", source=Source("a.md", "never seen", 3)),
        prepared("three"),
        prepared("one", space="nowhere"),
        prepared("two", space="nowhere", source=here),
    ]
    assert store.known([item.identity for item in (*kept, *others)]) == [*ids, *[None] * len(others)]
    assert store.known([]) == []
    assert (store.last_change(), store.backlog(), len(store.audit_log()), store.stats()) == before


def test_a_batch_may_hold_old_and_new(store: Store) -> None:
    add(store, prepared("old"))
    assert store.add([prepared("new"), prepared("old")], now_us=NOW) == [Added(2, True), Added(1, False)]


@pytest.mark.parametrize(
    "other",
    [
        {"space": "elsewhere"},
        {"source": Source("a", "s", 1)},
        {"source": Source("", "", 0)},
    ],
    ids=["another space", "a source", "a source of empty names"],
)
def test_the_same_text_from_another_place_is_another_memory(store: Store, other: dict[str, object]) -> None:
    assert add(store, prepared("text"), prepared("text", **other)) == [1, 2]
    assert add(store, prepared("text"), prepared("text", **other)) == [1, 2]


@pytest.mark.parametrize("other", [Source("b", "s", 1), Source("a", "t", 1), Source("a", "s", 2)])
def test_each_part_of_a_source_counts(store: Store, other: Source) -> None:
    assert add(store, prepared("text", source=Source("a", "s", 1)), prepared("text", source=other)) == [1, 2]


def test_two_texts_may_share_one_place(store: Store) -> None:
    assert add(store, prepared("this", source=Source("a")), prepared("that", source=Source("a"))) == [1, 2]


def test_who_wrote_it_and_when_do_not_make_it_another(store: Store) -> None:
    add(store, prepared("text", agent="a", created_us=NOW))
    assert add(store, prepared("text", agent="b", created_us=NOW + 1, kind=Kind.SEMANTIC)) == [1]


def test_ids_are_never_used_again(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    store.forget([2], now_us=NOW, audit=entry())
    assert add(store, prepared("three")) == [3]
    store.forget([1, 3], now_us=NOW, audit=entry())
    assert add(store, prepared("one")) == [4]


def test_ids_stay_unused_after_opening_again(open_store: Callable[[], Store]) -> None:
    first = open_store()
    add(first, prepared("one"))
    first.forget([1], now_us=NOW, audit=entry())
    first.close()
    assert add(open_store(), prepared("two")) == [2]


def test_a_new_memory_enqueues_its_tasks(store: Store) -> None:
    store.add([prepared("one"), prepared("two")], now_us=NOW, tasks=("embed", "levels"))
    assert (store.backlog("embed"), store.backlog("levels"), store.backlog()) == (2, 2, 4)
    items = store.claim("levels", worker="w", now_us=NOW, lease_us=1, limit=9)
    assert [(item.task, item.memory_id) for item in items] == [("levels", 1), ("levels", 2)]


def test_embedding_is_the_task_when_none_is_named(store: Store) -> None:
    store.add([prepared("one")], now_us=NOW)
    assert store.backlog("embed") == store.backlog() == 1


def test_a_new_memory_leaves_an_audit_entry_without_its_text(store: Store) -> None:
    store.add([prepared("hush", space="acme", agent="ann"), prepared("hush", space="acme", agent="ann")], now_us=NOW)
    (written,) = store.audit_log()
    assert (written.verb, written.space, written.agent, written.at_us) == ("remember", "acme", "ann", NOW)
    assert written.detail["id"] == 1
    assert "hush" not in repr(written)


def test_a_new_memory_is_a_change(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    assert store.changes(0).written == (1, 2)


def test_every_field_comes_back(store: Store) -> None:
    item = prepared(
        "what was said",
        space="acme/research",
        agent="ann",
        kind=Kind.PROCEDURAL,
        created_us=NOW - DAY,
        valid_from_us=NOW - 2 * DAY,
        valid_to_us=NOW + DAY,
        source=Source("file:///a b.md", "ß", 7),
        importance=0.25,
        priority=Priority.HIGH,
        expires_us=NOW + 9 * DAY,
        tags=("b", "a", "ünï"),
        meta={"n": 1, "deep": {"list": [1, None, "x"]}},
    )
    add(store, item, now_us=NOW)
    (memory,) = store.get([1])
    draft = item.draft
    for name in ("space", "agent", "kind", "full", "created_us", "valid_from_us", "valid_to_us", "source", "importance"):
        assert getattr(memory, name) == getattr(draft, name), name
    assert (memory.priority, memory.expires_us, memory.meta) == (draft.priority, draft.expires_us, draft.meta)
    assert memory.tags == ("a", "b", "ünï")
    assert (memory.summary, memory.headline, memory.written_by) == (
        "summary of what was said",
        "headline of what was said",
        "extractive",
    )
    assert (memory.tokens_full, memory.tokens_summary, memory.tokens_headline) == (4, 6, 5)
    assert (memory.created_given, memory.ingested_us, memory.last_verified_us) == (True, NOW, None)
    assert (memory.last_retrieved_us, memory.retrieval_count, memory.last_tier) == (None, 0, None)
    assert (memory.evidence_count, memory.floor, memory.status) == (1, Tier.HORIZON, Status.ACTIVE)
    assert (memory.superseded_by, memory.episode_class) == (None, None)
    assert memory.content_hash == item.content_hash


def test_a_memory_without_a_time_of_its_own_says_so(store: Store) -> None:
    add(store, prepared("one"), now_us=NOW)
    (memory,) = store.get([1])
    assert (memory.created_us, memory.created_given) == (NOW, False)


def test_a_short_memory_is_its_own_summary_and_headline(store: Store) -> None:
    add(store, prepared("brief", short=True))
    (memory,) = store.get([1])
    assert (memory.summary, memory.headline, memory.is_short) == ("brief", "brief", True)


def test_a_tag_given_twice_counts_once(store: Store) -> None:
    add(store, prepared("one", tags=("x", "x")))
    assert store.get([1])[0].tags == ("x",)


def test_a_batch_that_fails_changes_nothing(store: Store) -> None:
    add(store, prepared("one"))
    before = (store.last_change(), store.stats().memories, store.backlog(), len(store.audit_log()))
    bad = prepared("good text", agent="half a pair: \ud800")
    with pytest.raises(BadEncoding):
        store.add([prepared("two"), bad], now_us=NOW)
    with pytest.raises(BadParameter):
        store.add([prepared("three"), prepared("four", terms=["a term"])], now_us=NOW)
    assert (store.last_change(), store.stats().memories, store.backlog(), len(store.audit_log())) == before
    assert add(store, prepared("two")) == [2]


def embedded(store: Store, count: int = 2) -> list[int]:
    store.activate_model(SMALL, audit=entry())
    ids = add(store, *(item for n, item in enumerate(turns(count * 2)) if n % 2))  # sequence 1, 3, 5...
    store.put_vectors(SMALL.key, [embedding(i) for i in ids])
    return ids


def queued(store: Store) -> list[int | None]:
    """Memories waiting to be embedded; asking takes them off."""
    items = store.claim("embed", worker="w", now_us=NOW + DAY, lease_us=1, limit=99)
    store.complete([item.id for item in items])
    return [item.memory_id for item in items]


def test_an_embedded_successor_is_embedded_again(store: Store) -> None:
    first, second = embedded(store)
    add(store, turns(1, first=2)[0])
    assert queued(store) == [second]
    add(store, turns(1, first=0)[0])
    assert queued(store) == [first]


def test_only_the_next_one_is(store: Store) -> None:
    first, _ = embedded(store)
    add(store, turns(1, first=0)[0])
    assert queued(store) == [first]


def test_a_new_end_moves_nobody(store: Store) -> None:
    embedded(store)
    add(store, turns(1, first=9)[0])
    assert queued(store) == []


def test_another_source_moves_nobody(store: Store) -> None:
    embedded(store)
    add(store, turns(1, first=0, session="t")[0], turns(1, first=0, uri="x")[0], prepared("no source"))
    add(store, prepared("turn", source=turns(1)[0].draft.source, space="elsewhere"))
    assert queued(store) == []


def test_a_successor_that_is_not_embedded_yet_is_not_enqueued_twice(store: Store) -> None:
    store.add(turns(1, first=1), now_us=NOW)
    store.add(turns(1, first=0), now_us=NOW)
    assert queued(store) == [1, 2]


def test_a_successor_that_is_being_embedded_is_embedded_again(store: Store) -> None:
    store.add(turns(1, first=1), now_us=NOW)
    (item,) = store.claim("embed", worker="w", now_us=NOW, lease_us=DAY, limit=1)
    add(store, *turns(1, first=0))
    store.put_vectors(SMALL.key, [embedding(1)], done=[item.id])
    assert store.backlog("embed") == 1


def test_the_next_one_may_share_the_sequence_number(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    here = Source("a", "s", 5)
    ids = add(store, prepared("first", source=here), prepared("last", source=Source("a", "s", 6)))
    store.put_vectors(SMALL.key, [embedding(i) for i in ids])
    add(store, prepared("second", source=here))  # stands between the two: same sequence, higher id
    assert queued(store) == [2]


def test_a_class_and_work_of_its_own(store: Store) -> None:
    plain, marked = prepared("one"), replace(prepared("two"), episode_class="noise", tasks=("other", "embed"))
    add(store, plain, marked)
    assert [memory.episode_class for memory in store.get([1, 2])] == [None, "noise"]
    assert (store.backlog("embed"), store.backlog("other"), store.backlog()) == (1, 1, 2)
