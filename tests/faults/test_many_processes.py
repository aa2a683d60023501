"""Eight processes on one store: no write is lost, nobody hears of a lock, and everybody sees what is acknowledged."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from contract_kit import NOW, add, prepared
from processes import nursery
from soak import SOAK

import lodmem
from lodmem.model.memory import Tier
from lodmem.stores.sqlite.store import SqliteStore

PROCESSES = 8
STEPS = 100 if SOAK else 20


@pytest.mark.req("R16.2")
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_eight_processes_write_and_search(folder: Path, record_property: pytest.RecordProperty) -> None:
    with nursery(folder) as nest:
        with SqliteStore.open(nest.store, now_us=NOW) as store:
            add(store, prepared("the shared one"))
        for n in range(PROCESSES):
            nest.start(f"p{n}", seed=n, steps=STEPS)
        ends = [nest.next_end()[1] for _ in range(PROCESSES)]
        assert ends == [0] * PROCESSES, nest.errors.read_text()
        assert nest.errors.read_text() == ""
        texts, uses = nest.texts(), nest.uses()[1]
        with lodmem.open(nest.store, embedder="none", background=False) as engine:
            assert engine.check() == []
            assert engine.stats().memories == 1 + len(texts)
            assert {memory.id: memory.full for memory in engine.expand(*texts, touch=False)} == texts
            assert engine.expand(1, touch=False)[0].retrieval_count == uses
        record_property("eight processes: memories, uses", f"{len(texts)}, {uses}")
        record_property("eight processes: longest step, seconds", nest.longest())


def test_a_reader_never_blocks_a_writer(folder: Path) -> None:
    """A snapshot stays open while others write; nobody waits, for nobody is allowed to."""
    path = folder / "store.lod"
    with SqliteStore.open(path, now_us=NOW) as reader, SqliteStore.open(path, timeout_ms=0, now_us=NOW) as writer:
        add(writer, *(prepared(f"before {n}") for n in range(20)))
        rows = reader.rows()
        assert next(rows).id == 1
        for n in range(150):  # enough for the log to be moved into the file, or tried to
            add(writer, prepared(f"meanwhile {n} " + "word " * 400))
            writer.record_use(now_us=NOW, retrieved=[1], shown={1: Tier.FULL})
        assert [row.id for row in rows] == list(range(2, 21)), "the snapshot saw what was written after it"
        assert reader.stats().memories == 170
        assert reader.usage([1])[0].retrieval_count == 150


def test_a_writer_never_blocks_a_reader(folder: Path) -> None:
    path = folder / "store.lod"
    with SqliteStore.open(path, now_us=NOW) as writer, SqliteStore.open(path, timeout_ms=0, now_us=NOW) as reader:
        add(writer, prepared("one"))
        with writer._writer.transaction() as conn:
            conn.execute("UPDATE memory SET importance = 1")
            assert reader.get([1])[0].importance == 0.5
            assert reader.last_change() == 1
        assert reader.get([1])[0].importance == 1.0


def test_a_search_sees_every_write_acknowledged_before_it(folder: Path) -> None:
    """Many engines in turn, each with columns of its own that are older than the last write."""
    path = folder / "store.lod"
    engines = [lodmem.open(path, embedder="none", background=False, agent=f"a{n}") for n in range(4)]
    try:
        for turn in range(12):
            writer, reader = engines[turn % 4], engines[(turn * 3 + 1) % 4]
            added = writer.remember(f"turn{turn} was written by somebody else")
            assert added.id in [view.id for view in reader.search(f"turn{turn}", touch=False).views]
            reader.promote(added.id, to="full")
            (view,) = [v for v in writer.search(f"turn{turn}", touch=False).views if v.id == added.id]
            assert view.tier is Tier.FULL
            if turn == 5:
                writer.forget(added.id)
                assert added.id not in [view.id for view in reader.search("turn5", touch=False).views]
    finally:
        for engine in engines:
            engine.close()


def test_uses_counted_at_once_add_up(folder: Path) -> None:
    path = folder / "store.lod"
    with SqliteStore.open(path, now_us=NOW) as one, SqliteStore.open(path, now_us=NOW) as two:
        add(one, prepared("shared"), prepared("other"))

        def use(n: int) -> None:
            (one, two)[n % 2].record_use(now_us=NOW + n, retrieved=[1, 2] if n % 3 == 0 else [1], shown={1: Tier.FULL})

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(use, range(60)))
        assert [row.retrieval_count for row in one.usage([1, 2])] == [60, 20]
        assert one.usage([1])[0].last_retrieved_us == NOW + 59
