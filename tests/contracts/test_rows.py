"""Rows are memories as columns need them: the same facts as `get`, terms and vectors, one snapshot."""

from __future__ import annotations

from collections.abc import Callable

from contract_kit import DAY, NOW, SMALL, add, comparable, embedding, entry, prepared, turns

from lodmem.model.memory import Kind, Priority, Source, Status, Tier
from lodmem.ports import Row, Store

SHARED = (
    "id",
    "space",
    "agent",
    "kind",
    "status",
    "created_us",
    "created_given",
    "ingested_us",
    "valid_from_us",
    "valid_to_us",
    "expires_us",
    "last_retrieved_us",
    "retrieval_count",
    "last_tier",
    "importance",
    "priority",
    "superseded_by",
    "source",
    "tags",
)


def fill(store: Store) -> list[int]:
    store.activate_model(SMALL, audit=entry())
    ids = add(
        store,
        prepared("plain"),
        prepared("tagged and dated", tags=("z", "a"), created_us=NOW - DAY, agent="ann", space="a/b"),
        prepared("long text of three parts", parts=3, source=Source("f.md", "", 4), kind=Kind.SEMANTIC),
        prepared("short", short=True, priority=Priority.LOW, expires_us=NOW + DAY, importance=1.0),
        prepared("held then", valid_from_us=NOW - 2 * DAY, valid_to_us=NOW - DAY),
        *turns(3),
    )
    store.put_vectors(SMALL.key, [embedding(1), embedding(3, passages=3), embedding(6)])
    store.record_use(now_us=NOW, retrieved=[2, 3], shown={3: Tier.FULL, 4: Tier.HEADLINE})
    store.set_floor([1, 3], Tier.SUMMARY, for_agent="", audit=entry())
    store.set_floor([3], Tier.FULL, for_agent="ann", audit=entry())
    store.set_status(5, Status.SUPERSEDED, superseded_by=6, valid_to_us=NOW, audit=entry())
    return ids


def test_rows_equal_get(store: Store) -> None:
    ids = fill(store)
    rows = list(store.rows())
    assert [row.id for row in rows] == ids
    for row, memory in zip(rows, store.get(ids), strict=True):
        for name in SHARED:
            assert getattr(row, name) == getattr(memory, name), name
        assert row.short == memory.is_short
        assert row.tokens == (memory.tokens_full, memory.tokens_summary, memory.tokens_headline)
        assert row.floors.get("", Tier.HORIZON) == memory.floor
    assert dict(rows[2].floors) == {"": Tier.SUMMARY, "ann": Tier.FULL}


def test_some_rows_equal_all_rows(store: Store) -> None:
    ids = fill(store)
    everything = {row.id: comparable(row) for row in store.rows()}
    for some in ([3], [8, 1, 3, 3], [99, 2, -1], [], ids):
        found = [comparable(row) for row in store.rows(some)]
        assert found == [everything[i] for i in sorted(set(some)) if i in everything]


def test_passages_carry_their_terms_in_order_with_repeats(store: Store) -> None:
    add(store, prepared("to be or not to be"), prepared("c++ a.b_c-d @you it's #1 /x/ 日本", parts=1), prepared("..", terms=[]))
    terms = [[t for t, _ in row.passages] for row in store.rows()]
    assert terms == [
        [("to", "be", "or", "not", "to", "be")],
        [("c++", "a.b_c-d", "@you", "it's", "#1", "/x/", "日本")],
        [()],
    ]


def test_an_empty_store_has_no_rows(store: Store) -> None:
    assert list(store.rows()) == []


def test_a_call_sees_one_moment(open_store: Callable[[], Store]) -> None:
    one, two = open_store(), open_store()
    add(one, *(prepared(f"text {n}") for n in range(50)))
    rows = one.rows()
    seen = [next(rows)]
    for store in (one, two):
        add(store, prepared(f"later {id(store)}"))
        store.record_use(now_us=NOW, retrieved=list(range(1, 51)), shown={})
        store.set_floor([40], Tier.FULL, for_agent="", audit=entry())
    seen.extend(rows)
    assert [row.id for row in seen] == list(range(1, 51))
    assert {row.retrieval_count for row in seen} == {0}
    assert all(not row.floors for row in seen)
    assert len(list(one.rows())) == 52


def test_rows_may_be_left_early(store: Store) -> None:
    add(store, *(prepared(f"text {n}") for n in range(50)))
    for _ in range(20):
        first: Row = next(iter(store.rows()))
        assert first.id == 1
    assert add(store, prepared("still writable")) == [51]
