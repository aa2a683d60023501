"""After forget no byte of the text is left in any file of the store."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from contract_kit import NOW, SMALL, add, embedding, entry, map_head, map_places, prepared

from lodmem.model.memory import Levels, Source, Tier
from lodmem.model.plane import Cluster
from lodmem.stores.sqlite.store import SqliteStore

WORDS = ("xylophonist", "quetzalcoatl", "brzeczyszczykiewicz")


def left(path: Path, *needles: bytes) -> list[str]:
    """Where any of the needles can still be read."""
    files = sorted(path.parent.glob(path.name + "*"))
    assert path in files
    return [f"{needle!r} in {file.name}" for file in files for needle in needles if needle in file.read_bytes()]


@pytest.mark.parametrize("size", [1, 40, 4000], ids=["short", "a page", "many pages"])
def test_no_level_passage_tag_source_or_index_entry_is_left(path: Path, store: SqliteStore, size: int) -> None:
    text = "before " + " ".join(WORDS * size) + " after"
    store.activate_model(SMALL, audit=entry())
    first = prepared("harmless", source=Source("notes-of-zebulon.md", "ignatius", 1))
    item = prepared(
        text,
        parts=1 if size == 1 else size // 8,
        tags=("wolpertinger",),
        meta={"key": "rumpelstiltskin"},
        source=Source("diary-of-melchior.md", "balthasar", 2),
    )
    ids = add(store, *(prepared(f"filler {n} with words") for n in range(50)), first, item)
    secret_id = ids[-1]
    given = embedding(secret_id, passages=len(item.passages))
    store.put_vectors(SMALL.key, [embedding(51), given])
    store.set_levels(secret_id, Levels("klabautermann sums up", "heinzelmann heads", "m", 9, 9, 9), audit=entry())
    store.record_use(now_us=NOW, retrieved=[secret_id], shown={secret_id: Tier.FULL})
    needles = (
        *(word.encode() for word in WORDS),
        *(b"wolpertinger", b"rumpelstiltskin", b"diary-of-melchior", b"balthasar", b"klabautermann", b"heinzelmann"),
        bytes.fromhex(item.content_hash),
        given.own[0].tobytes(),
        given.joint[0].tobytes(),
    )
    assert len(left(path, *needles)) >= len(needles), "the test must see what it looks for"
    store.forget([secret_id], now_us=NOW, audit=entry())
    assert left(path, *needles) == []
    assert left(path, b"summary of " + text[:40].encode()) == [], "nor the levels it had before"
    assert left(path, b"notes-of-zebulon") != []
    store.close()
    assert left(path, *needles) == []


def test_the_successors_joint_vector_goes_too(path: Path, store: SqliteStore) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one", source=Source("a", "", 1)), prepared("two", source=Source("a", "", 2)))
    joint = embedding(2).joint[0].tobytes()
    store.put_vectors(SMALL.key, [embedding(1), embedding(2)])
    assert left(path, joint)
    store.forget([1], now_us=NOW, audit=entry())
    assert left(path, joint) == []


def test_what_was_written_one_by_one_goes_too(path: Path, store: SqliteStore) -> None:
    """Many small index segments, merged on the way: none may keep a term."""
    for n in range(60):
        add(store, prepared(f"{WORDS[n % 3]} number{n} dozenal{n % 7}"))
    assert left(path, *(word.encode() for word in WORDS))
    store.forget(list(range(1, 61)), now_us=NOW, audit=entry())
    assert left(path, *(word.encode() for word in WORDS), b"number", b"dozen") == []
    assert store.check() == []


def test_names_of_regions_that_it_stood_in_go_too(path: Path, store: SqliteStore) -> None:
    add(store, prepared("one"), prepared("two"))
    store.begin_map(map_head(1), map_places(1, 2, landmark=True))
    named = [
        Cluster(coarse=coarse, number=n, group=0, label=f"{WORDS[n]} region", x=0.0, y=0.0, size=1)
        for coarse, n in ((True, 0), (False, 0), (False, 1))
    ]
    store.finish_map(1, named, near=0.5)
    assert len(left(path, WORDS[0].encode(), WORDS[1].encode())) >= 2
    store.forget([1], now_us=NOW, audit=entry())
    assert left(path, WORDS[0].encode()) == []
    assert left(path, WORDS[1].encode()) != []
    assert store.clusters(1)[-1].label.startswith(WORDS[1]), "no memory of that one was forgotten"


def test_a_reader_of_the_past_delays_it_only_until_the_next_write(path: Path, store: SqliteStore) -> None:
    add(store, *(prepared(f"{WORDS[0]} {n}") for n in range(30)))
    with SqliteStore.open(path, now_us=NOW) as other:
        rows = other.rows()
        next(rows)
        started = time.monotonic()
        assert store.forget(list(range(1, 31)), now_us=NOW, audit=entry()) == 30
        assert time.monotonic() - started < 10
        assert len(list(rows)) == 29, "the reader reads on undisturbed"
    add(store, prepared("the next write"))
    assert left(path, WORDS[0].encode()) == []


def test_closing_finishes_it(path: Path, store: SqliteStore) -> None:
    add(store, *(prepared(f"{WORDS[0]} {n}") for n in range(30)))
    with SqliteStore.open(path, now_us=NOW) as other:
        rows = other.rows()
        next(rows)
        store.forget(list(range(1, 31)), now_us=NOW, audit=entry())
        rows.close()
    store.close()
    assert left(path, WORDS[0].encode()) == []
