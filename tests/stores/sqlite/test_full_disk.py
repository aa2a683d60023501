"""A full disk refuses the write, keeps what was there, and the store goes on once there is room."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from contract_kit import NOW, add, prepared

from lodmem.errors import StoreFull
from lodmem.model.memory import Prepared
from lodmem.stores.sqlite import migrate
from lodmem.stores.sqlite.store import SqliteStore


def big(n: int) -> Prepared:
    return prepared(f"{n} " + f"word{n} " * 30_000, terms=["word"], short=True)


@contextmanager
def file_of_at_most(pages: int) -> Iterator[None]:
    """New connections may not grow their file beyond `pages`: SQLite then says that the disk is full."""

    def limit(conn: apsw.Connection) -> None:
        conn.execute(f"PRAGMA max_page_count = {pages}")

    apsw.connection_hooks.append(limit)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(limit)


def overfill(store: SqliteStore) -> int:
    """Adds until the disk is full; returns how many were acknowledged."""
    for n in range(1000):
        try:
            add(store, big(n))
        except StoreFull:
            return n
    raise AssertionError("the disk never filled")


def test_a_full_file_keeps_what_was_acknowledged(path: Path) -> None:
    SqliteStore.open(path, now_us=NOW).close()
    with file_of_at_most(path.stat().st_size // migrate.PAGE_SIZE + 100), SqliteStore.open(path, now_us=NOW) as store:
        count = overfill(store)
        assert count >= 1
        last = store.last_change()
        with pytest.raises(StoreFull):
            store.add([prepared("small"), big(5000)], now_us=NOW)
        assert (store.stats().memories, store.last_change()) == (count, last)
        assert store.check() == []
        assert [memory.full for memory in store.get(range(1, count + 1))] == [big(n).draft.full for n in range(count)]


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of two megabytes."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root on Linux")
    folder = tmp_path / "tiny"
    folder.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, check=False
    ).returncode:
        pytest.skip("this machine allows no mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_real_full_disk(tiny_disk: Path) -> None:
    path = tiny_disk / "store.lod"
    with SqliteStore.open(path, now_us=NOW) as store:
        count = overfill(store)
        assert count >= 1
        assert [memory.full for memory in store.get(range(1, count + 1))] == [big(n).draft.full for n in range(count)]
        assert store.check() == []
        subprocess.run(["mount", "-o", "remount,size=8m", str(tiny_disk)], check=True)
        assert add(store, big(count)) == [count + 1]
    with SqliteStore.open(path, now_us=NOW) as store:
        assert store.stats().memories == count + 1
        assert store.check() == []


def test_no_room_for_a_new_store(tiny_disk: Path) -> None:
    (tiny_disk / "filler").write_bytes(bytes(2 * 1024 * 1024 - 8192))
    with pytest.raises(StoreFull) as caught:
        SqliteStore.open(tiny_disk / "store.lod", now_us=NOW)
    assert caught.value.hint
