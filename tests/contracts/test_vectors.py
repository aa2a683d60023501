"""Embeddings: kept exactly, replaced whole, served for the active model only."""

from __future__ import annotations

import numpy as np
import pytest
from contract_kit import NOW, OTHER, SMALL, add, embedding, entry, prepared, turns

from lodmem.errors import BadParameter
from lodmem.model.memory import Source
from lodmem.ports import Floats, Store


def joint(store: Store, memory_id: int) -> list[Floats | None]:
    return [vector for _, vector in next(store.rows([memory_id])).passages]


def test_a_store_starts_without_a_model(store: Store) -> None:
    assert store.active_model() == ""
    assert store.stats().embedder == ""


def test_the_joint_vector_comes_back_exactly(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one two three", parts=3))
    given = embedding(1, passages=3)
    assert joint(store, 1) == [None, None, None]
    store.put_vectors(SMALL.key, [given])
    found = joint(store, 1)
    for n in range(3):
        vector = found[n]
        assert vector is not None
        assert (vector.dtype, vector.shape) == (np.float32, (SMALL.dims,))
        assert vector.tobytes() == given.joint[n].tobytes()


def test_a_joint_vector_equal_to_its_own_comes_back(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"))
    own = embedding(1).own
    store.put_vectors(SMALL.key, [type(embedding(1))(id=1, own=own, joint=own)])
    (found,) = joint(store, 1)
    assert found is not None
    assert found.tobytes() == own.tobytes()


def test_new_vectors_replace_old_ones(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"))
    store.put_vectors(SMALL.key, [embedding(1, seed=1)])
    store.put_vectors(SMALL.key, [embedding(1, seed=2)])
    (found,) = joint(store, 1)
    assert found is not None
    assert found.tobytes() == embedding(1, seed=2).joint[0].tobytes()
    assert store.stats().embedded_passages == 1


def test_memories_that_are_gone_are_passed_over(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"), prepared("two"))
    store.forget([1], now_us=NOW, audit=entry())
    store.put_vectors(SMALL.key, [embedding(1), embedding(2), embedding(77)])
    assert store.stats().embedded_passages == 1


def test_items_are_completed_with_them(store: Store) -> None:
    store.add([prepared("one"), prepared("two")], now_us=NOW)
    items = store.claim("embed", worker="w", now_us=NOW, lease_us=1000, limit=9)
    store.put_vectors(SMALL.key, [embedding(1)], done=[items[0].id])
    assert store.backlog("embed") == 1


def test_a_wrong_number_of_passages_changes_nothing(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    store.add([prepared("one"), prepared("two words", parts=2)], now_us=NOW)
    items = store.claim("embed", worker="w", now_us=NOW, lease_us=1000, limit=9)
    since = store.last_change()
    with pytest.raises(BadParameter, match="#2"):
        store.put_vectors(SMALL.key, [embedding(1), embedding(2, passages=1)], done=[item.id for item in items])
    assert (store.stats().embedded_passages, store.backlog(), store.last_change()) == (0, 2, since)


def test_only_the_active_model_is_a_change(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"))
    since = store.last_change()
    store.put_vectors(OTHER.key, [embedding(1, dims=OTHER.dims)])
    assert store.last_change() == since
    assert joint(store, 1) == [None]
    store.put_vectors(SMALL.key, [embedding(1)])
    assert store.changes(since).written == (1,)


def test_the_old_index_serves_until_the_new_one_is_active(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    ids = add(store, *(prepared(f"text {n}") for n in range(5)))
    store.put_vectors(SMALL.key, [embedding(i) for i in ids])
    while missing := store.missing_vectors(OTHER.key, limit=2):
        assert len(missing) <= 2
        store.put_vectors(OTHER.key, [embedding(i, dims=OTHER.dims) for i in missing])
        assert [vector.shape for i in ids for vector in joint(store, i) if vector is not None] == [(SMALL.dims,)] * 5
    since = store.last_change()
    store.activate_model(OTHER, audit=entry("reindex"))
    assert store.active_model() == OTHER.key == store.stats().embedder
    assert [vector.shape for i in ids for vector in joint(store, i) if vector is not None] == [(OTHER.dims,)] * 5
    assert store.changes(since).written == tuple(ids)
    assert store.missing_vectors(SMALL.key, limit=99) == ids
    assert store.stats().embedded_passages == 5
    assert store.audit_log()[-1].verb == "reindex"


def test_no_model_drops_all_vectors(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"))
    store.put_vectors(SMALL.key, [embedding(1)])
    store.activate_model(None, audit=entry())
    assert (store.active_model(), joint(store, 1)) == ("", [None])
    assert store.missing_vectors(SMALL.key, limit=1) == [1]


def test_missing_vectors_rise_and_stop_at_the_limit(store: Store) -> None:
    assert store.missing_vectors(SMALL.key, limit=9) == []
    add(store, *(prepared(f"text {n}") for n in range(6)))
    store.put_vectors(SMALL.key, [embedding(2), embedding(4)])
    assert store.missing_vectors(SMALL.key, limit=9) == [1, 3, 5, 6]
    assert store.missing_vectors(SMALL.key, limit=3) == [1, 3, 5]
    assert store.missing_vectors(OTHER.key, limit=2) == [1, 2]


def test_missing_vectors_sees_what_is_taken_away_later(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    ids = add(store, *turns(4))
    store.put_vectors(SMALL.key, [embedding(i) for i in ids[:3]])
    assert store.missing_vectors(SMALL.key, limit=9) == [4]
    store.forget([1], now_us=NOW, audit=entry())  # takes the vectors of its successor
    assert store.missing_vectors(SMALL.key, limit=9) == [2, 4]
    store.activate_model(OTHER, audit=entry())
    assert store.missing_vectors(SMALL.key, limit=9) == [2, 3, 4]


def inputs(store: Store, memory_id: int) -> tuple[tuple[str, ...], str | None]:
    (found,) = store.embed_inputs([memory_id])
    assert found.id == memory_id
    return found.passages, found.predecessor


def test_embedding_needs_the_passages_in_order(store: Store) -> None:
    add(store, prepared("abc日本🙂xyz\0", parts=3))
    assert inputs(store, 1) == (("abc日", "本🙂xy", "z\0"), None)


def test_and_the_predecessor_in_the_source(store: Store) -> None:
    add(store, *reversed(turns(3)), prepared("elsewhere", source=Source("chat.jsonl", "other", 1)), prepared("nowhere"))
    texts = [f"turn {n} of chat.jsonl s" for n in range(3)]
    assert [inputs(store, i)[1] for i in (3, 2, 1)] == [None, texts[0], texts[1]]
    assert [inputs(store, i)[1] for i in (4, 5)] == [None, None]


def test_within_one_sequence_number_the_id_decides(store: Store) -> None:
    add(store, prepared("a", source=Source("u")), prepared("b", source=Source("u")), prepared("c", source=Source("u")))
    assert [inputs(store, i)[1] for i in (1, 2, 3)] == [None, "a", "b"]


def test_another_space_is_another_source(store: Store) -> None:
    add(store, prepared("a", source=Source("u", "", 1)), prepared("b", source=Source("u", "", 2), space="x"))
    assert inputs(store, 2)[1] is None


def test_long_memories_are_embedded_alone(store: Store) -> None:
    add(
        store,
        prepared("first", source=Source("u", "", 1)),
        prepared("long text", source=Source("u", "", 2), parts=2),
        prepared("after it", source=Source("u", "", 3)),
    )
    assert inputs(store, 2)[1] is None
    assert inputs(store, 3)[1] is None


def test_inputs_stand_in_the_order_asked_without_those_not_there(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    assert [found.id for found in store.embed_inputs([2, 9, 1])] == [2, 1]
