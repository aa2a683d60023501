"""Stores written by earlier versions open, are upgraded with nothing lost, and answer as they did.

Each fixture was written by the version it is named for, with the embedder of tests/conftest.py: two dozen invented memories
with vectors, use, floors, a superseded and a forgotten one, a saved profile, an audit log. Beside it stands what that version
answered. Constants of relevance may change since; which memory answers best may not.
"""

from __future__ import annotations

import gzip
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from contract_kit import NOW

import lodmem
from lodmem.errors import StoreBusy, StoreCorrupt, StoreFull
from lodmem.stores.sqlite import backup, migrate
from lodmem.stores.sqlite.store import SqliteStore
from lodmem.text.tokens import TERMS_VERSION
from tests.conftest import FakeClock, FakeEmbedder

DATA = Path(__file__).with_name("data")
VERSIONS = [1, 2, 3]
TERMS = {1: 0, 2: 1, 3: 1}  # 0: not known


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def old(path: Path, version: int) -> Path:
    path.write_bytes(gzip.decompress((DATA / f"schema-{version}.db.gz").read_bytes()))
    return path


@pytest.fixture
def answers(version: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / f"schema-{version}.json").read_text(encoding="utf-8"))
    return found


def version_of(path: Path) -> int:
    conn = apsw.Connection(str(path))
    try:
        return int(conn.execute("PRAGMA user_version").get)
    finally:
        conn.close()


def dumped(path: Path) -> list[tuple[object, ...]]:
    """All rows of all tables that hold what cannot be derived."""
    tables = (
        "memory",
        "usage",
        "floor",
        "tag",
        "source",
        "vector",
        "audit",
        "question",
        "tombstone",
        "profile",
        "agent",
        "work",
    )
    conn = apsw.Connection(str(path))
    try:
        return [row for table in tables for row in conn.execute(f"SELECT * FROM {table} ORDER BY 1, 2")]
    finally:
        conn.close()


def test_there_is_a_fixture_for_every_version_but_the_newest() -> None:
    assert list(range(1, migrate.latest())) == VERSIONS


@pytest.mark.req("R16.12")
def test_it_opens_and_is_upgraded_with_nothing_lost(old: Path, version: int) -> None:
    before = dumped(old)
    assert version_of(old) == version
    with SqliteStore.open(old, now_us=NOW) as store:
        assert store.stats().schema_version == migrate.latest()
        assert store.check() == []
    assert dumped(old) == before
    assert os.listdir(old.parent) == [old.name]


def test_it_answers_as_it_did(old: Path, answers: dict[str, Any]) -> None:
    clock = FakeClock(datetime.fromisoformat(answers["now"]))
    with lodmem.open(old, embedder=FakeEmbedder(), clock=clock, background=False, agent="ada") as memory:
        kept = [
            [m.id, m.content_hash, m.status.value, m.superseded_by, m.retrieval_count, m.floor.label, sorted(m.tags)]
            for m in memory.expand(*(row[0] for row in answers["memories"]), touch=False)
        ]
        assert kept == answers["memories"]
        assert [[entry.seq, entry.verb] for entry in memory.audit_log()] == answers["audit"]
        with pytest.raises(lodmem.LodmemError, match="forgotten"):
            memory.expand(answers["forgotten"])
        for asked in answers["searches"]:
            found = memory.search(asked["query"], touch=False, **asked["with"])
            assert found.ids[0] == asked["views"][0][0], asked["query"]
            if "budget" not in asked["with"]:
                assert set(found.ids) == {view[0] for view in asked["views"]}, asked["query"]
            decay = {view[0]: view[3] for view in asked["views"]}
            assert {v.id: v.decay for v in found.views if v.id in decay} == {
                v.id: pytest.approx(decay[v.id]) for v in found.views if v.id in decay
            }


def test_where_its_index_terms_come_from(old: Path, version: int, tmp_path: Path) -> None:
    with SqliteStore.open(old, now_us=NOW) as store:
        assert store.terms().version == TERMS[version]
    with SqliteStore.open(tmp_path / "new.db", now_us=NOW) as store:
        assert store.terms().version == TERMS_VERSION


def failing(monkeypatch: pytest.MonkeyPatch, sql: str) -> None:
    known = (*migrate.migrations(), sql)
    monkeypatch.setattr(migrate, "migrations", lambda: known)


def test_a_copy_of_the_old_file_stands_beside_it_until_the_upgrade_is_done(
    old: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dumped(old)
    copy = migrate.copy_name(old, version)
    assert copy.name == f"store.lod.schema-{version}.bak"
    seen: list[list[tuple[object, ...]]] = []

    def upgrade(conn: apsw.Connection, have: int, *, now_us: int) -> None:
        seen.append(dumped(copy))
        assert version_of(copy) == version
        original(conn, have, now_us=now_us)

    original = migrate._upgrade
    monkeypatch.setattr(migrate, "_upgrade", upgrade)
    SqliteStore.open(old, now_us=NOW).close()
    assert seen == [before]
    assert not copy.exists()


def test_an_upgrade_that_fails_leaves_the_old_store(old: Path, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dumped(old)
    with monkeypatch.context() as broken:
        failing(broken, "CREATE TABLE half (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1);")
        with pytest.raises(StoreCorrupt, match="nowhere"):
            SqliteStore.open(old, now_us=NOW)
    assert (version_of(old), dumped(old)) == (version, before)
    assert os.listdir(old.parent) == [old.name]


def test_a_damage_seen_after_the_upgrade_keeps_the_copy(old: Path, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dumped(old)

    def damaged(conn: apsw.Connection, place: object, copy: Path) -> None:
        raise StoreCorrupt("damaged", hint=str(copy))

    monkeypatch.setattr(migrate, "_check", damaged)
    with pytest.raises(StoreCorrupt):
        SqliteStore.open(old, now_us=NOW)
    assert dumped(migrate.copy_name(old, version)) == before


def test_a_disk_without_room_for_the_copy_is_told_and_changes_nothing(
    old: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dumped(old)
    monkeypatch.setattr(backup.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1})())
    with pytest.raises(StoreFull, match="before the store is upgraded") as caught:
        SqliteStore.open(old, now_us=NOW)
    assert "nothing was changed" in caught.value.hint
    assert (version_of(old), dumped(old)) == (version, before)
    assert os.listdir(old.parent) == [old.name]


def test_a_copy_left_by_a_killed_upgrade_is_written_anew(old: Path, version: int) -> None:
    before = dumped(old)
    copy = migrate.copy_name(old, version)
    copy.write_bytes(b"half of a copy")
    SqliteStore.open(old, now_us=NOW).close()
    assert not copy.exists()
    assert dumped(old) == before


def test_a_second_process_waits_for_the_upgrade(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = migrate._upgrade

    def upgrade(conn: apsw.Connection, have: int, *, now_us: int) -> None:
        with monkeypatch.context() as inner:
            inner.setattr(migrate, "_upgrade", original)
            with pytest.raises(StoreBusy):
                SqliteStore.open(old, now_us=NOW, timeout_ms=10)
        original(conn, have, now_us=now_us)

    monkeypatch.setattr(migrate, "_upgrade", upgrade)
    SqliteStore.open(old, now_us=NOW).close()
    with SqliteStore.open(old, now_us=NOW) as store:
        assert store.check() == []
