"""What a store derives by itself is checked and made anew; texts, levels and statistics are not touched."""

from __future__ import annotations

import numpy as np
import pytest
from contract_kit import NOW, SMALL, add, comparable, embedding, entry, prepared

from lodmem.model.memory import Tier
from lodmem.ports import Floats, Store, Vectors


def own(*rows: list[float]) -> Floats:
    return np.array(rows, dtype=np.float32)


GOOD = own([1, 0, 0, 0])
BROKEN = {
    "not finite": Vectors(id=1, own=own([np.nan, 0, 0, 0]), joint=GOOD),
    "joint not finite": Vectors(id=1, own=GOOD, joint=own([np.inf, 0, 0, 0])),
    "length 2.000": Vectors(id=1, own=own([2, 0, 0, 0]), joint=GOOD),
    "length 0.000": Vectors(id=1, own=own([0, 0, 0, 0]), joint=GOOD),
    "5 numbers": Vectors(id=1, own=own([1, 0, 0, 0, 0]), joint=own([1, 0, 0, 0, 0])),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_vector_that_cannot_be_right_is_told_dropped_and_made_again(store: Store, what: str) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"), prepared("two"))
    store.put_vectors(SMALL.key, [BROKEN[what], embedding(2)])
    (problem,) = store.check()
    assert problem.startswith("memory #1: ")
    assert what.removeprefix("joint ") in problem
    assert store.repair(now_us=NOW) == ["vectors: broken ones of 1 memories dropped, 1 memories enqueued"]
    assert store.missing_vectors(SMALL.key, limit=9) == [1]
    (item,) = store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=9)
    store.put_vectors(SMALL.key, [embedding(1)], done=[item.id])
    assert store.check() == []
    assert store.repair(now_us=NOW) == []


def test_a_joint_vector_need_not_be_of_length_one(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"))
    store.put_vectors(SMALL.key, [Vectors(id=1, own=GOOD, joint=GOOD * np.float32(0.6))])
    assert store.check() == []


def test_missing_vectors_and_dead_work_are_taken_up_again(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"), prepared("two"))
    store.enqueue("embed", [1], now_us=NOW)
    (item,) = store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=9)
    store.release([item.id], error="model_bad_answer", retry_us=None)
    assert any("given up" in problem for problem in store.check())
    stages: list[str] = []
    assert store.repair(now_us=NOW, stage=stages.append) == [
        "vectors: 1 memories enqueued",
        "work: 1 items that were given up are tried again",
    ]
    assert stages == ["word index", "change log", "vectors", "dead work"]
    assert store.backlog("embed") == 2
    assert len(store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=9)) == 2
    assert store.check() == []


def test_a_sound_store_is_left_as_it_is(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one", tags=("t",)), prepared("two long", parts=2))
    store.put_vectors(SMALL.key, [embedding(1), embedding(2, passages=2)])
    store.record_use(now_us=NOW, retrieved=[1], shown={1: Tier.FULL, 2: Tier.HEADLINE})
    store.set_floor([1], Tier.SUMMARY, for_agent="ada", audit=entry())
    before, last = [comparable(row) for row in store.rows()], store.last_change()
    assert (store.check(), store.repair(now_us=NOW)) == ([], [])
    assert ([comparable(row) for row in store.rows()], store.last_change()) == (before, last)
