"""Where nothing can be written, everything can still be read, and a write says why not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from contract_kit import NOW, add, entry, prepared

from lodmem.errors import StoreReadOnly
from lodmem.model.memory import Tier
from lodmem.stores.sqlite import migrate
from lodmem.stores.sqlite.store import SqliteStore

Block = Callable[[], AbstractContextManager[None]]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")


def fill(path: Path) -> None:
    with SqliteStore.open(path, now_us=NOW) as store:
        add(store, prepared("one"), prepared("two"))


def looks_and_refuses(store: SqliteStore) -> None:
    assert store.read_only
    assert [memory.full for memory in store.get([1, 2])] == ["one", "two"]
    assert [row.id for row in store.rows()] == [1, 2]
    assert store.match_words(["two"], limit=1)[0][0] == 2
    assert store.last_change() == store.changes(0).last == 2
    assert store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=1) == []
    assert (store.stats().memories, store.check()) == (2, [])
    for write in (
        lambda: store.add([prepared("three")], now_us=NOW),
        lambda: store.record_use(now_us=NOW, retrieved=[1], shown={1: Tier.FULL}),
        lambda: store.forget([1], now_us=NOW, audit=entry()),
    ):
        with pytest.raises(StoreReadOnly) as caught:
            write()
        assert caught.value.hint


def test_asked_for_reading_only(path: Path) -> None:
    fill(path)
    before = path.read_bytes()
    with SqliteStore.open(path, read_only=True, now_us=NOW) as store:
        looks_and_refuses(store)
    assert path.read_bytes() == before


def test_a_reader_sees_what_a_writer_writes(path: Path) -> None:
    fill(path)
    with SqliteStore.open(path, read_only=True, now_us=NOW) as reader, SqliteStore.open(path, now_us=NOW) as writer:
        assert reader.last_change() == 2
        add(writer, prepared("three"))
        assert reader.last_change() == 3
        assert reader.get([3])[0].full == "three"


MODES = [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555)]


@pytest.mark.parametrize(("file", "folder"), MODES, ids=["nothing writable", "file not", "folder not"])
def test_permissions_that_forbid_writing(shared_folder: Path, unprivileged: Block, file: int, folder: int) -> None:
    path = shared_folder / "store.lod"
    fill(path)
    os.chmod(path, file)
    os.chmod(shared_folder, folder)
    with unprivileged(), SqliteStore.open(path, now_us=NOW) as store:
        looks_and_refuses(store)
    os.chmod(shared_folder, 0o755)


def test_a_folder_where_nothing_can_be_made(shared_folder: Path, unprivileged: Block) -> None:
    os.chmod(shared_folder, 0o555)
    with unprivileged():
        for path in (shared_folder / "store.lod", shared_folder / "new" / "store.lod"):
            with pytest.raises(StoreReadOnly) as caught:
                SqliteStore.open(path, now_us=NOW)
            assert caught.value.hint
    os.chmod(shared_folder, 0o755)
    assert list(shared_folder.iterdir()) == []


def test_a_folder_that_cannot_be_entered(shared_folder: Path, unprivileged: Block) -> None:
    path = shared_folder / "store.lod"
    fill(path)
    os.chmod(shared_folder, 0o000)
    with unprivileged(), pytest.raises(StoreReadOnly):
        SqliteStore.open(path, now_us=NOW)
    os.chmod(shared_folder, 0o755)


def test_writes_that_wait_in_the_log_are_never_silently_missing(shared_folder: Path, unprivileged: Block) -> None:
    """A copy of a store in use, log included, in a place where the log cannot be read with its index."""
    live, copy = shared_folder / "live.lod", shared_folder / "copy"
    copy.mkdir()
    with SqliteStore.open(live, now_us=NOW) as store:
        add(store, prepared("one"), prepared("two"))
        (copy / "store.lod").write_bytes(live.read_bytes())
        (copy / "store.lod-wal").write_bytes(live.with_name("live.lod-wal").read_bytes())
    os.chmod(copy, 0o555)
    with unprivileged(), pytest.raises(StoreReadOnly, match=r"store\.lod-wal") as caught:
        SqliteStore.open(copy / "store.lod", now_us=NOW)
    assert "copy both files" in caught.value.hint
    os.chmod(copy, 0o755)
    with SqliteStore.open(copy / "store.lod", now_us=NOW) as store:
        assert [memory.full for memory in store.get([1, 2])] == ["one", "two"]


def test_an_older_schema_cannot_be_read_without_upgrading_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path)
    known = (*migrate.migrations(), "SELECT 1")
    monkeypatch.setattr(migrate, "migrations", lambda: known)
    with pytest.raises(StoreReadOnly, match="older"):
        SqliteStore.open(path, read_only=True, now_us=NOW)
