"""The map: one serves while another is made, places are kept exactly and never move, and what is forgotten leaves it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from contract_kit import NOW, OTHER, SMALL, add, embedding, entry, prepared
from contract_kit import map_head as head
from contract_kit import map_places as places

from lodmem.model.plane import Cluster, MapGrowth
from lodmem.ports import Store, Vectors
from lodmem.ports.mapped import Places


def cluster(number: int, *, coarse: bool = False, label: str = "tea, cups") -> Cluster:
    return Cluster(coarse=coarse, number=number, group=number // 2, label=label, x=0.5, y=-0.25, size=4)


def same(one: Places, two: Places) -> bool:
    return all(getattr(one, name).tobytes() == getattr(two, name).tobytes() for name in Places.__dataclass_fields__)


def remembered(store: Store, count: int = 6) -> list[int]:
    return add(store, *(prepared(f"text {n}") for n in range(count)))


def served(store: Store, *ids: int, version: int = 1) -> None:
    assert store.begin_map(head(version), places(*ids, landmark=True))
    assert store.finish_map(version, [cluster(0, coarse=True), *(cluster(n) for n in range(len(ids)))], near=0.5)


def test_a_store_starts_without_a_map(store: Store) -> None:
    assert (store.map_heads(), store.clusters(1), len(store.places(1)), len(store.places(1, landmarks=True))) == ([], [], 0, 0)
    assert store.map_growth(0, "") == MapGrowth(placed=0, late=0, late_near=0.0, waiting=0)
    assert store.unplaced(0, "", limit=9) == []


def test_places_come_back_exactly_by_rising_id(store: Store) -> None:
    remembered(store)
    assert store.begin_map(head(1), places(2, 4, landmark=True))
    assert store.put_places(1, places(1, 3, 6))
    found = store.places(1)
    assert found.ids.tolist() == [1, 2, 3, 4, 6]
    assert found.landmark.tolist() == [False, True, False, True, False]
    assert same(store.places(1, landmarks=True), places(2, 4, landmark=True))
    assert store.places(1, after=2).ids.tolist() == [3, 4, 6]
    assert store.places(1, after=2, landmarks=True).ids.tolist() == [4]
    given = places(1, 3, 6)
    for name in ("x", "y", "fine", "coarse", "near"):
        column = getattr(found, name)
        assert column.dtype == getattr(given, name).dtype
        assert column[[0, 2, 4]].tobytes() == getattr(given, name).tobytes()


def test_it_is_still_there_in_another_handle(open_store: Callable[[], Store]) -> None:
    one = open_store()
    remembered(one)
    served(one, 1, 2, 3)
    two = open_store()
    assert same(two.places(1), one.places(1))
    assert (two.map_heads(), two.clusters(1)) == (one.map_heads(), one.clusters(1))


@pytest.mark.req("R14.3")
def test_a_place_never_moves(store: Store) -> None:
    remembered(store)
    served(store, 1, 2, 3)
    before = store.places(1)
    assert store.put_places(1, places(1, 2, 3, 4, at=0.1))
    after = store.places(1)
    assert after.ids.tolist() == [1, 2, 3, 4]
    assert after.x[:3].tobytes() == before.x.tobytes()
    assert after.landmark.tolist() == [True, True, True, False]


def test_the_old_map_serves_until_the_new_one_is_finished(store: Store) -> None:
    remembered(store)
    served(store, 1, 2, 3)
    assert store.begin_map(head(2, memories=6), places(1, 4, landmark=True))
    assert [(h.version, h.ready) for h in store.map_heads()] == [(1, True), (2, False)]
    assert (len(store.places(1)), len(store.clusters(1)), len(store.clusters(2))) == (3, 4, 0)
    assert store.finish_map(2, [cluster(0)], near=0.75)
    assert store.map_heads() == [head(2, ready=True, memories=6, near=0.75)]
    assert (len(store.places(1)), store.clusters(1), store.clusters(2)) == (0, [], [cluster(0)])
    assert not store.put_places(1, places(5))
    assert not store.finish_map(1, [], near=0.0)
    assert len(store.places(1)) == 0


def test_one_map_at_a_time_is_made(store: Store) -> None:
    remembered(store)
    assert store.begin_map(head(1), places(1, 2, landmark=True))
    assert not store.begin_map(head(1), places(3, landmark=True))
    assert store.places(1).ids.tolist() == [1, 2]
    assert store.begin_map(head(2), places(3, landmark=True))
    assert [h.version for h in store.map_heads()] == [2]
    assert not store.put_places(1, places(4))
    assert len(store.places(1)) == 0


def test_memories_that_are_gone_are_passed_over(store: Store) -> None:
    remembered(store, 3)
    store.forget([2], now_us=NOW, audit=entry())
    assert store.begin_map(head(1), places(1, 2, 77, landmark=True))
    assert store.put_places(1, places(2, 3, 78))
    assert store.places(1).ids.tolist() == [1, 3]


def test_what_is_forgotten_leaves_the_map_and_its_clusters_lose_their_names(store: Store) -> None:
    remembered(store)
    served(store, 1, 2, 3, 4)
    store.begin_map(head(2), places(1, 2, landmark=True))
    store.forget([2], now_us=NOW, audit=entry())
    assert store.places(1).ids.tolist() == [1, 3, 4]
    assert store.places(2).ids.tolist() == [1]
    named = {(c.coarse, c.number): (c.label, c.size) for c in store.clusters(1)}
    assert named == {
        (True, 0): ("", 0),
        (False, 0): ("tea, cups", 4),
        (False, 1): ("", 0),
        (False, 2): ("tea, cups", 4),
        (False, 3): ("tea, cups", 4),
    }
    assert store.check() == []


def test_clusters_are_replaced_whole_and_stand_coarse_first(store: Store) -> None:
    remembered(store)
    served(store, 1, 2, 3)
    given = [cluster(1), cluster(0), cluster(1, coarse=True), cluster(0, coarse=True, label="")]
    store.put_clusters(1, given)
    assert store.clusters(1) == [given[3], given[2], given[1], given[0]]
    store.put_clusters(7, given)
    assert store.clusters(7) == []


def test_unplaced_by_words_is_everything(store: Store) -> None:
    remembered(store)
    served(store, 2, 5)
    assert store.unplaced(1, "", limit=9) == [1, 3, 4, 6]
    assert store.unplaced(1, "", limit=2) == [1, 3]
    assert store.unplaced(1, "", after=3, limit=9) == [4, 6]
    assert store.unplaced(0, "", limit=9) == [1, 2, 3, 4, 5, 6]


def test_unplaced_by_meaning_is_what_has_vectors(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    remembered(store)
    store.put_vectors(SMALL.key, [embedding(i) for i in (1, 2, 4)])
    store.put_vectors(OTHER.key, [embedding(3, dims=OTHER.dims)])
    assert store.begin_map(head(1, SMALL.key), places(2, landmark=True))
    assert store.unplaced(1, SMALL.key, limit=9) == [1, 4]
    assert store.unplaced(0, OTHER.key, limit=9) == [3]
    assert store.unplaced(0, "nobody@1/4", limit=9) == []


def test_growth_counts_what_came_late(store: Store) -> None:
    remembered(store, 9)
    store.begin_map(head(1), places(1, 2, landmark=True))
    store.put_places(1, places(3, near=0.9))
    assert store.map_growth(1, "") == MapGrowth(placed=3, late=0, late_near=0.0, waiting=6)
    store.finish_map(1, [], near=0.5)
    for memory_id, near in ((4, 0.25), (5, 0.125), (6, 0.75)):
        store.put_places(1, places(memory_id, near=near))
    assert store.map_growth(1, "") == MapGrowth(placed=6, late=3, late_near=0.25, waiting=3)
    assert (store.map_size(1), store.map_size(2)) == (6, 0)
    store.forget([4], now_us=NOW, audit=entry())
    assert store.map_growth(1, "").late == 2


def test_a_meaning_is_the_mean_of_a_memorys_own_vectors(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one two three", parts=3), prepared("alone"), prepared("not yet"))
    given = [embedding(1, passages=3), embedding(2)]
    store.put_vectors(SMALL.key, given)
    ids, rows = store.meanings([3, 2, 1, 99])
    assert (ids.tolist(), rows.dtype, rows.shape) == ([1, 2], np.float32, (2, SMALL.dims))
    mean = given[0].own.mean(axis=0)
    assert np.allclose(rows, [mean / np.linalg.norm(mean), given[1].own[0]], atol=1e-6)


def test_vectors_that_cancel_out_have_no_meaning(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one two", parts=2))
    own = np.array([[1, 0, 0, 0], [-1, 0, 0, 0]], np.float32)
    store.put_vectors(SMALL.key, [Vectors(id=1, own=own, joint=own)])
    ids, rows = store.meanings([1])
    assert (ids.tolist(), rows.shape) == ([], (0, SMALL.dims))


def test_no_model_no_meanings(store: Store) -> None:
    remembered(store)
    ids, rows = store.meanings([1, 2])
    assert (len(ids), len(rows)) == (0, 0)


def test_terms_of_all_passages_in_order(store: Store) -> None:
    add(store, prepared("red red fox", terms=["red", "red", "fox"]), prepared("none", terms=[]), prepared("aa bb", parts=2))
    assert store.term_lists([3, 1, 2, 42]) == {1: ["red", "red", "fox"], 2: [], 3: ["aa", "bb"]}


def test_of_a_long_text_terms_are_those_of_its_beginning(store: Store) -> None:
    add(store, prepared("word " * 40_000))
    assert 0 < len(store.term_lists([1])[1]) < 10_000
