"""A copy of a store in use is whole, of one moment, and never stands under its name half made."""

from __future__ import annotations

import os
import stat
import threading
from collections import namedtuple
from pathlib import Path

import apsw
import pytest
from contract_kit import NOW, SMALL, add, comparable, embedding, entry, prepared

from lodmem.errors import BadParameter, StoreClosed, StoreCorrupt, StoreFull, StorePathError, StoreReadOnly
from lodmem.stores.sqlite import backup, migrate
from lodmem.stores.sqlite.store import SqliteStore


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "backups"
    folder.mkdir()
    return folder / "copy.db"


def fill(store: SqliteStore, count: int = 40) -> None:
    store.activate_model(SMALL, audit=entry())
    ids = add(store, *(prepared(f"text number {n} " * 60) for n in range(count)))
    store.put_vectors(SMALL.key, [embedding(i) for i in ids])


def test_the_copy_is_the_store(store: SqliteStore, target: Path) -> None:
    fill(store)
    seen: list[tuple[int, int]] = []
    size = store.backup(str(target), progress=lambda done, total: seen.append((done, total)))
    assert size == target.stat().st_size
    assert seen[-1][0] == seen[-1][1] > 0
    with SqliteStore.open(target, create=False, now_us=NOW) as copy:
        assert [comparable(row) for row in copy.rows()] == [comparable(row) for row in store.rows()]
        assert list(copy.dump(vectors=True)) == list(store.dump(vectors=True))
        assert copy.check() == []
    assert os.listdir(target.parent) == ["copy.db"]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
def test_only_its_owner_can_read_it(store: SqliteStore, target: Path) -> None:
    fill(store, 1)
    store.backup(str(target))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_it_is_of_one_moment_while_others_write(
    store: SqliteStore, path: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "PAGES_A_STEP", 16)
    fill(store, 400)
    written = 0

    def write(done: int, total: int) -> None:
        nonlocal written
        written += 1
        with SqliteStore.open(path, now_us=NOW) as other:
            add(other, prepared(f"meanwhile {written}"))

    store.backup(str(target), progress=write)
    assert written > 10
    assert store.stats().memories == 400 + written
    with SqliteStore.open(target, create=False, now_us=NOW) as copy:
        assert (copy.stats().memories, copy.check()) == (400, [])


def test_a_writer_in_another_thread_never_waits_for_it(store: SqliteStore, target: Path) -> None:
    fill(store, 200)
    begun, wrote = threading.Event(), threading.Event()

    def hold(done: int, total: int) -> None:
        begun.set()
        assert wrote.wait(30), "the writer waited for the copy"

    copying = threading.Thread(target=lambda: store.backup(str(target), progress=hold))
    copying.start()
    assert begun.wait(30)
    assert add(store, prepared("meanwhile")) == [201]
    wrote.set()
    copying.join()
    assert target.exists()


def test_what_is_there_is_not_replaced_unless_said(store: SqliteStore, target: Path) -> None:
    fill(store, 1)
    target.write_bytes(b"mine")
    with pytest.raises(BadParameter, match="there already") as caught:
        store.backup(str(target))
    assert "--force" in caught.value.hint
    assert target.read_bytes() == b"mine"
    store.backup(str(target), overwrite=True)
    assert target.read_bytes().startswith(b"SQLite format 3")
    assert os.listdir(target.parent) == ["copy.db"]


def test_the_store_itself_is_never_the_target(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    fill(store, 1)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(BadParameter, match="the store itself"):
            store.backup(str(name), overwrite=True)
    assert store.check() == []


def test_a_target_that_a_program_has_open_is_refused(store: SqliteStore, target: Path) -> None:
    fill(store, 1)
    with SqliteStore.open(target, now_us=NOW) as other:
        add(other, prepared("in use"))
        with pytest.raises(BadParameter, match="in use"):
            store.backup(str(target), overwrite=True)
        assert other.stats().memories == 1


def test_paths_that_cannot_be(store: SqliteStore, tmp_path: Path) -> None:
    fill(store, 1)
    with pytest.raises(StorePathError, match="is a folder"):
        store.backup(str(tmp_path))
    with pytest.raises(StorePathError, match="no folder"):
        store.backup(str(tmp_path / "no" / "copy.db"))
    with pytest.raises(StorePathError):
        store.backup("/dev/null", overwrite=True)


def test_a_disk_without_room_is_told_before_anything_is_written(
    store: SqliteStore, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, 1)
    usage = namedtuple("usage", "total used free")(10, 9, 1)
    monkeypatch.setattr(backup.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(StoreFull, match="MB are free"):
        store.backup(str(target))
    assert os.listdir(target.parent) == []


def test_a_disk_that_fills_up_leaves_nothing(store: SqliteStore, target: Path) -> None:
    fill(store, 40)

    def limit(conn: apsw.Connection) -> None:
        if "partial" in conn.filename:
            conn.execute("PRAGMA max_page_count = 3")

    apsw.connection_hooks.append(limit)
    try:
        with pytest.raises(StoreFull):
            store.backup(str(target))
    finally:
        apsw.connection_hooks.remove(limit)
    assert os.listdir(target.parent) == []


def test_a_damaged_store_gives_no_backup(path: Path, target: Path) -> None:
    with SqliteStore.open(path, now_us=NOW) as store:
        fill(store, 200)
    raw = bytearray(path.read_bytes())
    for page in range(20, 40):
        raw[page * migrate.PAGE_SIZE : page * migrate.PAGE_SIZE + 64] = b"\xff" * 64
    path.write_bytes(raw)
    with SqliteStore.open(path, now_us=NOW) as store, pytest.raises(StoreCorrupt, match="damaged") as caught:
        store.backup(str(target))
    assert str(path) in caught.value.message
    assert os.listdir(target.parent) == []


def test_an_error_in_the_middle_leaves_nothing(store: SqliteStore, target: Path) -> None:
    fill(store)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.backup(str(target), progress=interrupt)
    assert os.listdir(target.parent) == []
    assert add(store, prepared("goes on")) == [41]


def test_a_read_only_store_can_be_copied(path: Path, target: Path) -> None:
    with SqliteStore.open(path, now_us=NOW) as store:
        fill(store, 2)
    with SqliteStore.open(path, read_only=True, now_us=NOW) as store:
        store.backup(str(target))
        with pytest.raises(StoreReadOnly):
            store.repair(now_us=NOW)
    with SqliteStore.open(target, now_us=NOW) as copy:
        assert copy.stats().memories == 2
    with pytest.raises(StoreClosed):
        store.backup(str(target), overwrite=True)
