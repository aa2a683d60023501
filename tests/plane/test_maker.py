"""The map over a store's life: made, grown, killed and resumed, made anew, forgotten from, by words and by meaning."""

from __future__ import annotations

import numpy as np
import pytest
from plane_kit import MODEL, NOW, Clock, about, embed, entry, islands, remember, unit

from lodmem.model.plane import MapHead
from lodmem.plane import maker as making
from lodmem.plane.layout import EPOCHS
from lodmem.plane.maker import MapMaker, MapState, placer, state_of
from lodmem.plane.read import positions
from lodmem.ports.mapped import Places
from lodmem.stores.sqlite.store import SqliteStore

FEW = 60


def maker(store: SqliteStore, **more: object) -> MapMaker:
    return MapMaker(store, Clock(), landmarks=FEW, **more)  # type: ignore[arg-type]


def filled(store: SqliteStore, count: int = 200, *, first: int = 0, kinds: int = 6, noise: float = 0.08) -> list[int]:
    """So many more memories in islands, embedded."""
    rows, kind = islands(first + count, kinds, noise=noise)
    ids = remember(store, [about(k, first + n) for n, k in enumerate(kind[first:].tolist())])
    embed(store, ids, rows[first:])
    return ids


def same(one: Places, two: Places) -> bool:
    return all(getattr(one, name).tobytes() == getattr(two, name).tobytes() for name in Places.__dataclass_fields__)


def served(store: SqliteStore) -> MapHead:
    head = state_of(store).head
    assert head is not None
    return head


class Killed(BaseException):
    """As if the process ended here."""


def test_an_empty_store_has_no_map_and_needs_none(store: SqliteStore) -> None:
    state = maker(store).run()
    assert (state.head, state.due) == (None, "")
    assert (len(positions(store)), positions(store).version) == (0, 0)
    assert maker(store).run(rebuild=True).growth.placed == 0


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_few_memories_have_a_map(store: SqliteStore, count: int) -> None:
    filled(store, count)
    state = maker(store).run()
    assert (state.growth.placed, state.growth.waiting, state.due) == (count, 0, "")
    assert len(positions(store)) == count


def test_every_memory_gets_a_place_a_cluster_and_a_name(store: SqliteStore) -> None:
    ids = filled(store)
    told: list[tuple[int, int]] = []
    state = maker(store).run(lambda done, total: told.append((done, total)))
    found = positions(store)
    assert found.ids.tolist() == ids
    assert (found.version, state.growth.placed, state.growth.waiting) == (1, 200, 0)
    assert told[0] == (0, 200)
    assert told[-1] == (200, 200)
    assert {c.number for c in found.fine} == set(found.cluster_fine.tolist())
    assert {c.number for c in found.coarse} == set(found.cluster_coarse.tolist())
    assert sum(c.size for c in found.fine) == sum(c.size for c in found.coarse) == 200
    assert all(c.label for c in found.coarse)
    group = dict(zip(found.cluster_fine.tolist(), found.cluster_coarse.tolist(), strict=True))
    assert {c.number: c.group for c in found.fine} == group


def test_two_stores_alike_have_the_same_map(store: SqliteStore, tmp_path) -> None:  # type: ignore[no-untyped-def]
    filled(store)
    maker(store).run()
    with SqliteStore.open(tmp_path / "other.db", now_us=NOW) as other:
        filled(other)
        maker(other).run()
        assert same(store.places(1), other.places(1))
        assert store.clusters(1) == other.clusters(1)


@pytest.mark.req("R14.3")
def test_old_places_stay_bit_by_bit_when_new_memories_come(store: SqliteStore) -> None:
    filled(store, 200)
    maker(store).run()
    before = store.places(1)
    for n in range(5):
        filled(store, 30, first=200 + 30 * n)
        state = maker(store).run()
    after = store.places(1)
    assert (state.head is not None and state.head.version, len(after)) == (1, 350)
    assert state.growth.late == 150
    for name in Places.__dataclass_fields__:
        assert getattr(after, name)[:200].tobytes() == getattr(before, name).tobytes()


def test_nothing_to_do_is_nothing_written(store: SqliteStore) -> None:
    filled(store, 50)
    maker(store).run()
    clusters = store.clusters(1)
    assert maker(store).run() == state_of(store)
    assert store.clusters(1) == clusters


def test_newcomers_stand_among_their_kind(store: SqliteStore) -> None:
    filled(store, 200)
    maker(store).run()
    filled(store, 100, first=200)
    maker(store).run()
    _, kind = islands(300, 6)
    found = positions(store)
    square = (found.x[200:, None] - found.x[:200]) ** 2 + (found.y[200:, None] - found.y[:200]) ** 2
    assert (kind[square.argmin(axis=1)] == kind[200:]).mean() > 0.97


# -- killed and resumed ---------------------------------------------------------------------------------------------------


@pytest.mark.req("R14.5")
@pytest.mark.parametrize("at", [1, EPOCHS + 1, EPOCHS + 4])  # in the layout, after the first batch, before the last
def test_a_killed_run_is_taken_up_and_ends_the_same(
    store: SqliteStore,
    tmp_path,
    monkeypatch: pytest.MonkeyPatch,
    at: int,  # type: ignore[no-untyped-def]
) -> None:
    monkeypatch.setattr(making, "BATCH", 32)
    filled(store)
    calls = 0

    def killed(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == at:
            raise Killed

    with pytest.raises(Killed):
        maker(store).run(killed)
    assert len(positions(store)) == 0, "an unfinished map does not serve"
    with SqliteStore.open(store.path, now_us=NOW) as elsewhere:
        state = maker(elsewhere).run()
        assert (state.growth.placed, state.making, served(elsewhere).version) == (200, None, 1)
    with SqliteStore.open(tmp_path / "whole.db", now_us=NOW) as whole:
        filled(whole)
        maker(whole).run()
        assert same(store.places(1), whole.places(1))
        assert store.clusters(1) == whole.clusters(1)


def test_stopped_early_the_old_map_serves_and_the_next_run_goes_on(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "BATCH", 32)
    filled(store)
    maker(store).run()
    before = positions(store)
    asked = iter([False, True])
    state = maker(store).run(rebuild=True, stop=lambda: next(asked))
    assert state.making is not None
    assert (state.making[0].version, state.making[1]) == (2, FEW + 32)
    assert positions(store).x.tobytes() == before.x.tobytes()
    assert maker(store).run().making is None
    assert positions(store).version == 2


def test_two_that_make_it_at_once_end_with_one_map(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "BATCH", 32)
    filled(store)
    done: list[MapState] = []

    def meanwhile(count: int, total: int) -> None:
        if count > FEW and not done:
            with SqliteStore.open(store.path, now_us=NOW) as other:
                done.append(maker(other).run())

    state = maker(store).run(meanwhile)
    assert done[0].head == state.head
    assert [(head.version, head.ready) for head in store.map_heads()] == [(1, True)]
    assert len(positions(store)) == 200


def test_a_map_that_is_dropped_meanwhile_is_begun_again(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "BATCH", 32)
    filled(store)
    dropped = []

    def meanwhile(count: int, total: int) -> None:
        if count > FEW and not dropped:
            (head,) = store.map_heads()
            dropped.append(store.begin_map(MapHead(**{**head_fields(head), "version": 7, "method": "other"}), no_places()))

    state = maker(store).run(meanwhile)
    assert (served(store).version, state.growth.placed) == (8, 200)


def head_fields(head: MapHead) -> dict[str, object]:
    return {name: getattr(head, name) for name in MapHead.__dataclass_fields__}


def no_places() -> Places:
    none = np.empty(0, np.float32)
    numbers = np.empty(0, np.uint16)
    return Places(
        ids=np.empty(0, np.int64), x=none, y=none, fine=numbers, coarse=numbers, near=none, landmark=np.empty(0, np.bool_)
    )


# -- made anew ------------------------------------------------------------------------------------------------------------


def test_on_command_a_new_map_is_made_and_the_old_one_goes(store: SqliteStore) -> None:
    filled(store)
    maker(store).run()
    before = positions(store)
    state = maker(store).run(rebuild=True)
    after = positions(store)
    assert (after.version, len(store.places(1)), state.due) == (2, 0, "")
    assert np.median(np.hypot(after.x - before.x, after.y - before.y)) < 0.2, "turned like the one before"


def test_twice_as_many_memories_make_a_new_map_due(store: SqliteStore) -> None:
    filled(store, 40)
    maker(store).run()
    filled(store, 39, first=40)
    assert maker(store).run().due == ""
    assert served(store).version == 1
    filled(store, 1, first=79)
    assert "40" in state_of(store).due
    assert (maker(store).run().due, served(store).version) == ("", 2)


def test_what_is_unlike_the_map_makes_a_new_one_due(store: SqliteStore) -> None:
    filled(store, 300, kinds=3)
    maker(store).run()
    strange = unit(np.random.default_rng(8).standard_normal((60, MODEL.dims)))
    embed(store, remember(store, [f"strange thing {n}" for n in range(60)]), strange)
    state = maker(store).run()
    assert (state.growth.placed, served(store).version) == (360, 1)
    assert "unlike" in state.due
    assert maker(store).run().due == ""
    assert served(store).version == 2


def test_another_embedding_model_makes_a_new_map_due(store: SqliteStore) -> None:
    ids = remember(store, [about(n % 6, n) for n in range(80)])
    maker(store).run()
    assert served(store).basis == ""
    embed(store, ids, islands(80, 6)[0])
    assert "words" in state_of(store).due
    maker(store).run()
    assert (served(store).basis, served(store).version, len(positions(store))) == (MODEL.key, 2, 80)


# -- forgotten ------------------------------------------------------------------------------------------------------------


def test_what_is_forgotten_leaves_the_map_and_names_are_made_anew(store: SqliteStore) -> None:
    ids = filled(store, 120)
    maker(store).run()
    store.forget(ids[:3], now_us=NOW, audit=entry())
    assert positions(store).ids.tolist() == ids[3:]
    assert any(cluster.size == 0 for cluster in store.clusters(1))
    state = maker(store).run()
    assert all(cluster.size and cluster.label for cluster in store.clusters(1) if cluster.coarse)
    assert (served(store).version, state.growth.placed) == (1, 117)


def test_when_all_landmarks_are_forgotten_a_new_map_is_made(store: SqliteStore) -> None:
    filled(store, 120)
    maker(store).run()
    store.forget(store.places(1, landmarks=True).ids.tolist(), now_us=NOW, audit=entry())
    filled(store, 5, first=120)
    state = maker(store).run()
    assert (state.growth.placed, state.growth.waiting, served(store).version) == (65, 0, 2)


def test_when_all_is_forgotten_nothing_is_left(store: SqliteStore) -> None:
    ids = filled(store, 10)
    maker(store).run()
    store.forget(ids, now_us=NOW, audit=entry())
    assert maker(store).run().growth.placed == 0
    assert len(positions(store)) == 0


# -- by words, by others' eyes ---------------------------------------------------------------------------------------------


@pytest.mark.req("R14.5")
def test_words_alone_make_a_map(store: SqliteStore) -> None:
    ids = remember(store, [about(n % 6, n) for n in range(120)])
    maker(store).run()
    found = positions(store)
    assert found.ids.tolist() == ids
    square = (found.x[:, None] - found.x) ** 2 + (found.y[:, None] - found.y) ** 2
    np.fill_diagonal(square, np.inf)
    topic = np.arange(120) % 6
    assert (topic[np.argsort(square, axis=1)[:, :5]] == topic[:, None]).mean() > 0.9


def test_what_is_not_embedded_yet_waits(store: SqliteStore) -> None:
    filled(store, 50)
    late = remember(store, ["not embedded yet"])
    state = maker(store).run()
    assert (state.growth.placed, state.growth.waiting) == (50, 0)
    embed(store, late, islands(51, 6)[0][50:])
    assert state_of(store).growth.waiting == 1
    assert maker(store).run().growth.placed == 51


def test_somebody_who_may_see_some_gets_names_of_those_alone(store: SqliteStore) -> None:
    ids = remember(store, [f"secretword{n % 2} shared topic" for n in range(80)])
    maker(store).run()
    mine = ids[::2]
    found = positions(store, only=mine)
    assert found.ids.tolist() == mine
    assert all("secretword1" not in cluster.label for cluster in (*found.fine, *found.coarse))
    assert sum(cluster.size for cluster in found.coarse) == 40


def test_places_are_found_in_another_process(store: SqliteStore) -> None:
    filled(store)
    maker(store).run()
    rows, _ = islands(200, 6)
    with SqliteStore.open(store.path, now_us=NOW) as elsewhere:
        there, here = placer(elsewhere, served(elsewhere)), placer(store, served(store))
        assert there is not None
        assert here is not None
        assert there.placer.point(rows[5]) == here.placer.point(rows[5]) is not None
