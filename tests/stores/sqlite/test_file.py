"""How the file is kept: durable, strict, marked as ours, with an audit log that refuses to be rewritten."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from contract_kit import NOW, SMALL, add, embedding, entry, prepared, turns

from lodmem.errors import StoreBusy
from lodmem.model.memory import Levels, Source, Tier
from lodmem.stores.sqlite import connection, log, migrate, neighbours
from lodmem.stores.sqlite.connection import Place
from lodmem.stores.sqlite.store import SqliteStore


@contextmanager
def raw(path: Path) -> Iterator[apsw.Connection]:
    conn = apsw.Connection(str(path))
    try:
        yield conn
    finally:
        conn.close()


def test_a_write_is_on_the_disk_before_it_is_acknowledged(path: Path) -> None:
    SqliteStore.open(path, now_us=NOW).close()
    conn = connection.connect(Place(path, 100), write=True)
    settings = {
        name: conn.pragma(name) for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "temp_store")
    }
    conn.close()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1, "temp_store": 2}


def test_the_file_says_whose_it_is(path: Path) -> None:
    SqliteStore.open(path, now_us=NOW).close()
    with raw(path) as conn:
        assert conn.pragma("application_id") == migrate.APPLICATION_ID
        assert conn.pragma("user_version") == migrate.latest()
        facts = dict(conn.execute("SELECT name, value FROM meta"))
    assert facts["created_us"] == str(NOW)
    assert len(facts["store"]) == 32
    assert path.read_bytes()[68:72] == b"LODM"


@pytest.mark.usefixtures("store")
def test_every_table_is_strict_and_what_is_filtered_by_has_an_index(path: Path) -> None:
    with raw(path) as conn:
        loose = [name for (name,) in conn.execute("SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict")]
        indexed = {
            (table, column)
            for table, column in conn.execute(
                "SELECT m.tbl_name, i.name FROM sqlite_schema m, pragma_index_info(m.name) i"
                " WHERE m.type = 'index' AND i.seqno = 0"
            )
        }
    assert [name for name in loose if not name.startswith("sqlite_")] == []
    assert indexed >= {
        ("memory", "created_us"),
        ("memory", "source_id"),
        ("usage", "last_retrieved_us"),
        ("usage", "retrieval_count"),
        ("usage", "last_tier"),
        ("tag", "tag"),
    }


@pytest.mark.parametrize(
    "sql", ["UPDATE audit SET verb = 'nothing'", "DELETE FROM audit", "UPDATE audit SET detail = '{}' WHERE seq = 1"]
)
def test_the_audit_log_cannot_be_rewritten(path: Path, store: SqliteStore, sql: str) -> None:
    add(store, prepared("one"))
    with raw(path) as conn, pytest.raises(apsw.ConstraintError, match="append-only"):
        conn.execute(sql)
    assert [e.verb for e in store.audit_log()] == ["remember"]


def test_a_text_is_stored_once_where_it_is_its_own_summary(path: Path, store: SqliteStore) -> None:
    add(store, prepared("brief", short=True), prepared("long"))
    store.set_levels(2, Levels("long", "long", "source", 1, 1, 1), audit=entry())
    with raw(path) as conn:
        assert list(conn.execute("SELECT summary, headline FROM memory")) == [(None, None)] * 2


def test_a_locked_store_is_waited_for_and_then_reported(path: Path) -> None:
    with SqliteStore.open(path, timeout_ms=50, now_us=NOW) as store, raw(path) as other:
        add(store, prepared("one"))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy) as caught:
            add(store, prepared("two"))
        assert caught.value.hint
        assert [row.id for row in store.rows()] == [1], "reading goes on"
        other.execute("ROLLBACK")
        assert add(store, prepared("two")) == [2]


def test_a_lock_that_ends_in_time_is_only_a_delay(path: Path) -> None:
    with SqliteStore.open(path, timeout_ms=20_000, now_us=NOW) as store, raw(path) as other:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.2, lambda: other.execute("ROLLBACK"))
        timer.start()
        assert add(store, prepared("one")) == [1]
        timer.join()


def test_writes_of_many_threads_wait_for_each_other_without_an_error(path: Path) -> None:
    """Within one process the lock of the store orders them: no timeout is too short for that."""
    with SqliteStore.open(path, timeout_ms=0, now_us=NOW) as store, ThreadPoolExecutor(8) as pool:
        ids = [i for batch in pool.map(lambda n: add(store, prepared(f"text {n}")), range(40)) for i in batch]
    assert sorted(ids) == list(range(1, 41))


def test_the_oldest_changes_are_pruned_and_their_readers_told(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "KEEP_CHANGES", 10)
    monkeypatch.setattr(log, "PRUNE_EVERY", 20)
    add(store, *(prepared(f"text {n}") for n in range(15)))
    assert store.changes(0).complete
    add(store, *(prepared(f"more {n}") for n in range(10)))
    assert store.last_change() == 25
    assert not store.changes(0).complete
    assert not store.changes(14).complete
    assert store.changes(15).written == tuple(range(16, 26))
    assert store.changes(15).complete
    assert store.missing_vectors("m", limit=3) == [1, 2, 3]


def test_an_emptied_log_still_knows_its_number(path: Path, store: SqliteStore) -> None:
    add(store, prepared("one"), prepared("two"))
    with raw(path) as conn:
        conn.execute("DELETE FROM change")
    assert store.last_change() == 2
    assert (store.changes(2).complete, store.changes(1).complete) == (True, False)
    add(store, prepared("three"))
    assert store.changes(2).written == (3,)


def test_what_is_missing_is_found_even_when_the_log_forgot_why(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "KEEP_CHANGES", 3)
    monkeypatch.setattr(log, "PRUNE_EVERY", 5)
    ids = add(store, *turns(3), prepared("not embedded"))
    store.put_vectors(SMALL.key, [embedding(i) for i in ids[:3]])
    assert store.missing_vectors(SMALL.key, limit=9) == [4]
    store.forget([1], now_us=NOW, audit=entry())  # takes the vectors of its successor
    store.set_floor([4, 3, 4, 3], Tier.FULL, for_agent="", audit=entry())
    store.set_floor([4, 3, 4, 3], Tier.HEADLINE, for_agent="", audit=entry())
    assert not store.changes(4).complete
    assert store.missing_vectors(SMALL.key, limit=9) == [2, 4]


def test_a_snapshot_is_of_one_moment(path: Path, store: SqliteStore) -> None:
    readers = connection.Readers(Place(path, 100))
    count = "SELECT count(*) FROM memory"
    with readers.snapshot() as conn:
        assert conn.execute(count).get == 0
        add(store, prepared("one"))
        assert conn.execute(count).get == 0
    with readers.snapshot() as conn:
        assert conn.execute(count).get == 1
    readers.close()


@pytest.mark.parametrize("sql", [neighbours._SUCCESSOR, neighbours._PREDECESSOR])
def test_neighbours_are_found_by_index_alone(path: Path, store: SqliteStore, sql: str) -> None:
    add(store, *turns(3), *(prepared(f"same place {n}", source=Source("a")) for n in range(3)))
    with raw(path) as conn:
        plan = [row[3] for row in conn.execute("EXPLAIN QUERY PLAN " + sql, (1,))]
    assert not [step for step in plan if "SCAN" in step or "TEMP" in step]
    assert len([step for step in plan if "COVERING INDEX memory_source" in step]) == 2
