"""What one store gives away another takes in: every field, the same ids in an empty store, nothing twice in another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from contract_kit import NOW, OTHER, SMALL, Backend, add, comparable, embedding, entry, prepared, turns

from lodmem.model.audit import AuditEntry
from lodmem.model.kept import AgentProfile, Head, Kept, Piece, Tombstone
from lodmem.model.memory import Added, Kind, Priority, Source, Status, Tier
from lodmem.model.profile import PRESETS, Profile
from lodmem.ports import Store

IMPORT = entry("import")


@pytest.fixture
def other(backend: Backend, tmp_path: Path) -> Iterator[Store]:
    """A second empty store of the same back end."""
    folder = tmp_path / "other"
    folder.mkdir()
    store = type(backend)(folder).open()
    yield store
    store.close()


def fill(store: Store) -> None:
    """Five memories, #2 forgotten, #3 superseded by #4; use, floors, profiles."""
    store.activate_model(SMALL, audit=entry("model"))
    add(
        store,
        prepared("one", space="a/b", agent="ada", tags=("x", "y"), meta={"k": [1, "é"]}, created_us=NOW - 9, importance=0.25),
        prepared("two"),
        prepared("three long text", parts=3, kind=Kind.SEMANTIC, priority=Priority.HIGH, expires_us=NOW + 5),
        prepared("four", source=Source("u", "s", 4), valid_from_us=1, valid_to_us=2, short=True),
        prepared("five", source=Source("u", "s", 5)),
    )
    store.put_vectors(SMALL.key, [embedding(1), embedding(3, passages=3), embedding(4)])
    store.record_use(now_us=NOW + 1, retrieved=[1, 3], shown={1: Tier.FULL, 4: Tier.HEADLINE})
    store.set_floor([1], Tier.SUMMARY, for_agent="", audit=entry())
    store.set_floor([1, 4], Tier.FULL, for_agent="bo", audit=entry())
    store.set_status(3, Status.SUPERSEDED, superseded_by=4, valid_to_us=NOW, audit=entry())
    store.forget([2], now_us=NOW + 2, audit=entry("forget"))
    store.save_profile(Profile(name="mine", alpha=0.25), audit=entry())
    store.set_agent_profile("ada", "mine", audit=entry())
    store.set_calibration((0.125, 0.5), audit=entry())


def take(store: Store, pieces: Iterable[Piece], *, tasks: tuple[str, ...] = ("embed",)) -> list[Added]:
    kept = [piece for piece in pieces if isinstance(piece, Kept)]
    added = store.load(kept, now_us=NOW, audit=IMPORT, tasks=tasks)
    ids = {item.memory.id: outcome.id for item, outcome in zip(kept, added, strict=True)}
    links = {ids[k.memory.id]: ids[k.memory.superseded_by] for k in kept if k.memory.superseded_by in ids}
    store.load_links(list(links.items()))
    return added


def test_the_order_of_what_is_given(store: Store) -> None:
    fill(store)
    pieces = list(store.dump(vectors=True))
    assert [type(piece).__name__ for piece in pieces[:8]] == ["Head", "Profile", "AgentProfile", *["Kept"] * 4, "Tombstone"]
    assert {type(piece) for piece in pieces[8:]} == {AuditEntry}
    assert isinstance(pieces[0], Head)
    assert (pieces[0].last_id, pieces[0].model["name"], pieces[0].clip) == (5, "small", (0.125, 0.5))
    assert pieces[2] == AgentProfile(agent="ada", profile="mine")
    assert [piece.memory.id for piece in pieces if isinstance(piece, Kept)] == [1, 3, 4, 5]
    assert pieces[7] == Tombstone(id=2, forgotten_us=NOW + 2)
    assert pieces[8:] == store.audit_log()


def test_vectors_come_only_when_asked_for(store: Store) -> None:
    fill(store)
    assert [k.vectors for k in store.dump() if isinstance(k, Kept)] == [None] * 4
    given = {k.memory.id: k.vectors for k in store.dump(vectors=True) if isinstance(k, Kept)}
    assert given[5] is None
    assert given[3] is not None
    assert given[3].own == embedding(3, passages=3).own.tobytes()
    assert given[3].joint == embedding(3, passages=3).joint.tobytes()


def test_an_empty_store_becomes_the_same(store: Store, other: Store) -> None:
    fill(store)
    pieces = list(store.dump(vectors=True))
    rows = [comparable(row) for row in store.rows()]
    other.activate_model(SMALL, audit=entry())
    assert take(other, pieces) == [Added(i, True) for i in (1, 3, 4, 5)]
    assert [comparable(row) for row in other.rows()] == rows
    assert other.get([1, 3, 4, 5], agent="bo") == store.get([1, 3, 4, 5], agent="bo")
    assert other.get([1], agent="x")[0].floor is Tier.SUMMARY
    assert (other.backlog("embed"), other.missing_vectors(SMALL.key, limit=9)) == (1, [5])
    assert other.match_words(["three"], limit=9)[0][0] == 3
    other.load_tombstones([Tombstone(id=2, forgotten_us=NOW + 2)], last_id=5)
    kept = [piece for piece in pieces if isinstance(piece, (Kept, Tombstone))]
    assert [piece for piece in other.dump(vectors=True) if isinstance(piece, (Kept, Tombstone))] == kept
    assert other.check() == []
    assert other.audit_log()[1].verb == "import"
    assert other.audit_log()[1].detail["ids"] == [1, 3, 4, 5]


def test_taking_in_twice_changes_nothing(store: Store) -> None:
    fill(store)
    pieces = list(store.dump(vectors=True))
    last, log = store.last_change(), len(store.audit_log())
    assert take(store, pieces) == [Added(i, False) for i in (1, 3, 4, 5)]
    assert (store.last_change(), len(store.audit_log())) == (last, log)


def test_what_is_new_gets_the_next_id_and_links_follow(store: Store, other: Store) -> None:
    fill(store)
    pieces = list(store.dump())
    add(other, *(prepared(f"own {n}") for n in range(3)), prepared("five", source=Source("u", "s", 5)))
    assert take(other, pieces) == [Added(5, True), Added(6, True), Added(7, True), Added(4, False)]
    assert (other.get([6])[0].superseded_by, other.get([6])[0].status) == (7, Status.SUPERSEDED)
    assert add(other, prepared("next")) == [8]
    assert other.check() == []


def test_an_id_that_was_never_given_is_kept(store: Store) -> None:
    add(store, prepared("own"))
    (kept,) = [piece for piece in store.dump() if isinstance(piece, Kept)]
    other = replace(kept, memory=replace(kept.memory, id=50, full="else", content_hash="ab" * 32))
    low = replace(kept, memory=replace(kept.memory, id=20, full="third", content_hash="cd" * 32))
    assert store.load([other, low], now_us=NOW, audit=IMPORT) == [Added(50, True), Added(51, True)]


def test_the_same_twice_in_one_batch(store: Store) -> None:
    add(store, prepared("own"))
    (kept,) = [piece for piece in store.dump() if isinstance(piece, Kept)]
    twice = replace(kept, memory=replace(kept.memory, id=7, space="else"))
    assert store.load([twice, twice], now_us=NOW, audit=IMPORT) == [Added(7, True), Added(7, False)]


def test_a_predecessor_that_comes_later_makes_its_successor_embedded_again(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, *turns(1, first=2))
    store.put_vectors(SMALL.key, [embedding(1)])
    (kept,) = [piece for piece in store.dump() if isinstance(piece, Kept)]
    before = replace(kept, memory=replace(kept.memory, id=9, source=Source("chat.jsonl", "s", 1), content_hash="ab" * 32))
    store.load([before], now_us=NOW, audit=IMPORT)
    items = store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=9)
    assert sorted(item.memory_id or 0 for item in items) == [1, 9]


def test_vectors_that_do_not_fit_are_made_here(store: Store) -> None:
    fill(store)
    kept = [piece for piece in store.dump(vectors=True) if isinstance(piece, Kept) and piece.vectors]
    store.activate_model(OTHER, audit=entry())
    new = [replace(k, memory=replace(k.memory, id=0, space="else")) for k in kept]
    ids = [added.id for added in store.load(new, now_us=NOW, audit=IMPORT)]
    assert ids == [6, 7, 8]
    assert set(ids) <= set(store.missing_vectors(OTHER.key, limit=99))
    assert len(store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=99)) >= 3


def test_links_fill_only_what_is_missing(store: Store) -> None:
    add(store, prepared("one"), prepared("two"), prepared("three"))
    store.set_status(1, Status.SUPERSEDED, superseded_by=2, valid_to_us=None, audit=entry())
    assert store.load_links([(1, 3), (2, 3), (3, 99), (98, 1)]) == 1
    assert [memory.superseded_by for memory in store.get([1, 2, 3])] == [2, 3, None]


def test_tombstones_keep_ids_from_being_given_again(store: Store) -> None:
    add(store, prepared("one"))
    assert store.load_tombstones([Tombstone(id=1, forgotten_us=5), Tombstone(id=4, forgotten_us=6)], last_id=0) == 1
    assert store.load_tombstones([Tombstone(id=4, forgotten_us=9)], last_id=7) == 0
    assert [piece for piece in store.dump() if isinstance(piece, Tombstone)] == [Tombstone(id=4, forgotten_us=6)]
    assert add(store, prepared("next")) == [8]
    assert store.check() == []


def test_audit_entries_are_appended_as_they_are(store: Store) -> None:
    old = [AuditEntry(at_us=5, space="s", agent="a", verb="search", detail={"query": "q", "ids": [1], "mode": "search"})]
    store.load_audit(old)
    (found,) = store.audit_log()
    assert replace(found, seq=0) == old[0]


def test_agents_profiles_are_listed_and_presets_are_not_saved_ones(store: Store) -> None:
    store.set_agent_profile("zoe", "digest", audit=entry())
    store.set_agent_profile("ada", "seed", audit=entry())
    assert store.agent_profiles() == [AgentProfile(agent="ada", profile="seed"), AgentProfile(agent="zoe", profile="digest")]
    assert [piece for piece in store.dump() if isinstance(piece, Profile)] == []
    assert set(store.profiles()) == set(PRESETS)
