"""Released migrations stay as they are; a store is brought up to date by those that follow, all or nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import apsw
import pytest
from contract_kit import NOW, add, prepared

from lodmem.errors import StoreCorrupt
from lodmem.stores.sqlite import migrate
from lodmem.stores.sqlite.store import SqliteStore

# SHA-256 of each released file. A new migration adds a line; no line ever changes.
RELEASED = {
    "0001_initial.sql": "1bc2eeae61ef352ccdc65201bc453704cb855bbae9e0a2a9d570ba8861fe270f",
    "0002_terms_version.sql": "222d6ba434692a9ca5b0c4a1031cef64bef9d0af98705a348de3e91be2011e1d",
    "0003_llm_calls.sql": "e662a6f1f18d331718bec922edf66eddbe8004f3f62bb3eea134ba81398a5fe2",
    "0004_judged_distilled_mapped.sql": "a86ae1321a22722ee337c4547b3b1ec4daa698fb6d6894358eaeac0127e8e770",
}


def files() -> dict[str, str]:
    folder = Path(migrate.__file__).with_name("migrations")
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.glob("*.sql"))}


def test_released_migrations_are_never_edited() -> None:
    assert files() == RELEASED


def test_they_are_numbered_without_a_gap() -> None:
    assert [int(name.split("_")[0]) for name in files()] == list(range(1, migrate.latest() + 1))


def add_migration(monkeypatch: pytest.MonkeyPatch, sql: str) -> None:
    known = (*migrate.migrations(), sql)
    monkeypatch.setattr(migrate, "migrations", lambda: known)


def test_an_older_store_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteStore.open(path, now_us=NOW) as store:
        add(store, prepared("one"))
    before = migrate.latest()
    add_migration(monkeypatch, "CREATE TABLE later (x INTEGER) STRICT; INSERT INTO later SELECT id FROM memory;")
    with SqliteStore.open(path, now_us=NOW) as store:
        assert store.stats().schema_version == before + 1
        assert store.get([1])[0].full == "one"
        assert add(store, prepared("two")) == [2]
    conn = apsw.Connection(str(path))
    assert list(conn.execute("SELECT x FROM later")) == [(1,)]
    conn.close()


def test_a_migration_that_fails_leaves_the_store_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteStore.open(path, now_us=NOW) as store:
        add(store, prepared("one"))
        version = store.stats().schema_version
    with monkeypatch.context() as broken:
        add_migration(broken, "CREATE TABLE half (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1);")
        with pytest.raises(StoreCorrupt, match="nowhere"):
            SqliteStore.open(path, now_us=NOW)
    with SqliteStore.open(path, now_us=NOW) as store:
        assert (store.stats().schema_version, store.check()) == (version, [])
    conn = apsw.Connection(str(path))
    assert list(conn.execute("SELECT name FROM sqlite_schema WHERE name = 'half'")) == []
    conn.close()
