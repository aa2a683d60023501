"""A backup takes a store's place, and nothing that was there is lost on the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from contract_kit import NOW, add, comparable, entry, prepared

from lodmem.errors import (
    BadParameter,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreNewer,
    StorePathError,
    StoreReadOnly,
    UnknownPath,
)
from lodmem.model.kept import Tombstone
from lodmem.stores.sqlite import migrate, restore
from lodmem.stores.sqlite.restore import Restored
from lodmem.stores.sqlite.store import SqliteStore

AUDIT = replace(entry("restore"), detail={"from": "copy.db"})
DATED = "store.lod.before-restore-20231114T221320Z"


def open_(path: Path) -> SqliteStore:
    return SqliteStore.open(path, create=False, now_us=NOW)


def texts(path: Path) -> list[str]:
    with open_(path) as store:
        return [memory.full for memory in store.get(store.ids(limit=99))]


def put_back(path: Path, source: Path, *, keep: bool = True) -> Restored:
    return restore.restore(path, source, now_us=NOW, audit=AUDIT, keep=keep)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restore, "PATIENCE_MS", 50)


@pytest.fixture
def backed_up(path: Path, tmp_path: Path) -> Path:
    """A backup of two memories; the store has a third one since, and has forgotten the first."""
    source = tmp_path / "copy.db"
    with SqliteStore.open(path, now_us=NOW) as store:
        add(store, prepared("one secret"), prepared("two"))
        store.backup(str(source))
        add(store, prepared("three"))
        store.forget([1], now_us=NOW, audit=entry("forget"))
    return source


def names(path: Path) -> set[str]:
    there = {name for name in os.listdir(path.parent) if name.startswith(("store.lod", ".store.lod"))}
    return {name for name in there if not name.endswith(("-wal", "-shm"))}


def test_the_backup_is_in_place_and_the_old_store_beside_it(path: Path, backed_up: Path) -> None:
    done = put_back(path, backed_up)
    assert done == Restored(memories=1, previous=path.with_name(DATED), forgotten=1)
    assert names(path) == {"store.lod", DATED}
    assert texts(path) == ["two"]
    assert texts(path.with_name(DATED)) == ["two", "three"]
    assert backed_up.exists()


def test_what_was_forgotten_stays_forgotten_and_no_id_is_given_twice(path: Path, backed_up: Path) -> None:
    put_back(path, backed_up)
    with open_(path) as store:
        assert [stone.id for stone in store.dump() if isinstance(stone, Tombstone)] == [1]
        assert add(store, prepared("next")) == [4]
        last = store.audit_log()[-2]
        assert (last.verb, last.detail) == ("restore", {"from": "copy.db", "ids": [1]})
        assert store.check() == []
    assert (b"one secret" in backed_up.read_bytes(), b"one secret" in path.read_bytes()) == (True, False)


def test_whoever_remembers_the_old_store_reads_everything_again(path: Path, backed_up: Path) -> None:
    with open_(path) as store:
        last = store.last_change()
    put_back(path, backed_up)
    with open_(path) as store:
        assert store.last_change() > last
        assert not store.changes(last).complete


def test_another_store_may_take_the_place(path: Path, backed_up: Path, tmp_path: Path) -> None:
    with SqliteStore.open(tmp_path / "else.db", now_us=NOW) as other:
        add(other, prepared("from elsewhere"), prepared("second"))
        other.backup(str(tmp_path / "else.copy"))
    assert put_back(path, tmp_path / "else.copy").forgotten == 0
    assert texts(path) == ["from elsewhere", "second"], "its #1 is not the #1 that was forgotten here"
    with open_(path) as store:
        assert store.last_change() > 1000


def test_a_store_that_is_gone_comes_back(path: Path, backed_up: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "new" / "folder" / "store.lod"
    assert put_back(elsewhere, backed_up) == Restored(memories=2, previous=None, forgotten=0)
    assert texts(elsewhere) == ["one secret", "two"]


def test_a_damaged_store_is_kept_with_its_log(path: Path, backed_up: Path) -> None:
    path.write_bytes(b"no store any more" * 1000)
    log = path.with_name("store.lod-wal")
    log.write_bytes(b"writes that could still be read")
    done = put_back(path, backed_up)
    assert texts(path) == ["one secret", "two"]
    assert done.previous is not None
    assert done.previous.read_bytes().startswith(b"no store")
    assert done.previous.with_name(DATED + "-wal").read_bytes() == b"writes that could still be read"
    with open_(path) as store:
        assert store.check() == []


def test_two_restores_in_one_second_keep_both(path: Path, backed_up: Path) -> None:
    first, second = put_back(path, backed_up), put_back(path, backed_up)
    assert first.previous != second.previous
    assert {first.previous, second.previous} == {path.with_name(DATED), path.with_name(DATED + "-2")}


def test_the_old_one_goes_when_nobody_wants_it(path: Path, backed_up: Path) -> None:
    assert put_back(path, backed_up, keep=False).previous is None
    assert names(path) == {"store.lod"}


def test_writes_in_the_log_are_kept_too(path: Path, backed_up: Path) -> None:
    """A killed process leaves its last writes in the log beside the file."""
    script = (
        "import os, sys\nsys.path[:0] = sys.argv[2:]\nfrom contract_kit import *\n"
        "store = SqliteStore.open(sys.argv[1], now_us=NOW)\nadd(store, prepared('written last'))\nos._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, str(path), str(Path(__file__).parents[2] / "contracts")], check=True)
    assert path.with_name("store.lod-wal").stat().st_size > 0
    put_back(path, backed_up)
    assert texts(path.with_name(DATED)) == ["two", "three", "written last"]


def test_a_backup_from_a_killed_program_is_read_with_its_log(path: Path, backed_up: Path, tmp_path: Path) -> None:
    with open_(path) as store:
        add(store, prepared("still in the log"))
        shutil.copy(path, tmp_path / "raw.db")
        shutil.copy(path.with_name("store.lod-wal"), tmp_path / "raw.db-wal")
    put_back(path, tmp_path / "raw.db")
    assert texts(path) == ["two", "three", "still in the log"]


@pytest.mark.parametrize("busy", ["reading", "idle"])
def test_a_store_that_somebody_has_open_is_not_replaced(path: Path, backed_up: Path, busy: str) -> None:
    before = names(path)
    with SqliteStore.open(path, read_only=busy == "reading", now_us=NOW) as other:
        assert other.stats().memories == 2
        with pytest.raises(StoreBusy, match="open in another program") as caught:
            put_back(path, backed_up)
        assert caught.value.hint
        if busy == "idle":
            add(other, prepared("goes on"))
    assert names(path) == before
    assert texts(path)[:2] == ["two", "three"]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX locks")
def test_a_damaged_store_that_another_process_has_open_is_not_replaced(path: Path, backed_up: Path) -> None:
    script = (
        "import sys\nsys.path[:0] = sys.argv[2:]\nfrom contract_kit import *\n"
        "store = SqliteStore.open(sys.argv[1], now_us=NOW)\nprint(store.stats().memories, flush=True)\nsys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(path), str(Path(__file__).parents[2] / "contracts")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with path.open("r+b") as file:
            file.write(b"damaged from here on")
        with pytest.raises(StoreBusy):
            put_back(path, backed_up)
        other.kill()
    put_back(path, backed_up)
    assert texts(path) == ["one secret", "two"]


def test_a_program_that_comes_in_the_middle_gets_the_new_store(
    path: Path, backed_up: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has opened the path before the exchange and reads and writes after it: nothing it writes may end in the old file."""
    late = apsw.Connection(str(path))
    late.set_busy_timeout(0)
    original = restore._swap

    def swap(*args: object, **kwargs: object) -> Path | None:
        with pytest.raises(apsw.BusyError):
            late.execute("SELECT count(*) FROM memory").get  # noqa: B018
        return original(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(restore, "_swap", swap)
    put_back(path, backed_up)
    with pytest.raises(apsw.ReadOnlyError):
        late.execute("INSERT INTO meta VALUES ('late', 'write')")
    with pytest.raises(apsw.ReadOnlyError):
        late.pragma("journal_mode", "wal")
    late.close()
    assert texts(path.with_name(DATED)) == ["two", "three"]


def test_a_backup_that_cannot_be_used_changes_nothing(path: Path, backed_up: Path, tmp_path: Path) -> None:
    before, bytes_ = names(path), path.read_bytes()
    wrong: dict[str, type[Exception]] = {}
    (tmp_path / "text").write_text("no store " * 100)
    wrong["text"] = StoreCorrupt
    (tmp_path / "empty").touch()
    wrong["empty"] = StoreError
    raw = bytearray(backed_up.read_bytes())
    raw[3 * migrate.PAGE_SIZE : 9 * migrate.PAGE_SIZE] = b"\xff" * (6 * migrate.PAGE_SIZE)
    (tmp_path / "damaged").write_bytes(raw)
    wrong["damaged"] = StoreCorrupt
    other = apsw.Connection(str(tmp_path / "foreign"))
    other.execute("CREATE TABLE t (x)")
    other.close()
    wrong["foreign"] = StorePathError
    shutil.copy(backed_up, tmp_path / "newer")
    newer = apsw.Connection(str(tmp_path / "newer"))
    newer.execute("PRAGMA user_version = 9999")
    newer.close()
    wrong["newer"] = StoreNewer
    wrong["missing"] = UnknownPath
    wrong["store.lod"] = BadParameter
    for name, error in wrong.items():
        with pytest.raises(error) as caught:
            put_back(path, tmp_path / name)
        assert getattr(caught.value, "hint", ""), name
    assert (names(path), path.read_bytes()) == (before, bytes_)


def test_another_programs_database_is_not_replaced(path: Path, backed_up: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    conn = apsw.Connection(str(foreign))
    conn.execute("CREATE TABLE t (x)")
    conn.close()
    before = foreign.read_bytes()
    with pytest.raises(StorePathError, match="another program"):
        put_back(foreign, backed_up)
    with pytest.raises(StorePathError, match="folder"):
        put_back(tmp_path, backed_up)
    assert foreign.read_bytes() == before


def test_a_new_file_that_does_not_open_gives_its_place_back(
    path: Path, backed_up: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = restore._swap

    def swap(store: Path, *args: object, **kwargs: object) -> Path | None:
        previous = original(store, *args, **kwargs)  # type: ignore[arg-type]
        store.write_bytes(b"the disk lost it " * 100)
        return previous

    monkeypatch.setattr(restore, "_swap", swap)
    with pytest.raises(StoreCorrupt):
        put_back(path, backed_up)
    assert names(path) == {"store.lod"}
    assert texts(path) == ["two", "three"]


def test_without_hard_links_the_old_store_is_copied(path: Path, backed_up: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    put_back(path, backed_up)
    assert texts(path.with_name(DATED)) == ["two", "three"]


def test_a_folder_that_cannot_be_written(path: Path, backed_up: Path, shared_folder: Path, unprivileged: object) -> None:
    shutil.copy(path, shared_folder / "store.lod")
    shutil.copy(backed_up, shared_folder / "copy.db")
    for file in shared_folder.iterdir():
        os.chmod(file, 0o644)
    os.chmod(shared_folder, 0o555)
    with unprivileged(), pytest.raises(StoreReadOnly):  # type: ignore[operator]
        put_back(shared_folder / "store.lod", shared_folder / "copy.db")
    assert sorted(os.listdir(shared_folder)) == ["copy.db", "store.lod"]


def test_the_rows_are_those_of_the_backup(path: Path, tmp_path: Path) -> None:
    with SqliteStore.open(path, now_us=NOW) as store:
        add(store, *(prepared(f"text {n}", tags=("t",)) for n in range(20)))
        rows = [comparable(row) for row in store.rows()]
        store.backup(str(tmp_path / "copy.db"))
    put_back(path, tmp_path / "copy.db")
    with open_(path) as store:
        assert [comparable(row) for row in store.rows()] == rows
        assert store.check() == []


CRASH = """
import os, sys
sys.path[:0] = [sys.argv[4]]
from contract_kit import *
from pathlib import Path
from lodmem.stores.sqlite import backup, restore
name, times = sys.argv[3].split(":")
module = {"link": os, "replace": os, "sync": backup, "_carry_over": restore, "_swap": restore, "_verified": restore}[name]
original, left = getattr(module, name), [int(times)]

def crash(*args, **kwargs):
    if not left[0]:
        os._exit(9)
    left[0] -= 1
    return original(*args, **kwargs)

setattr(module, name, crash)
restore.restore(Path(sys.argv[1]), Path(sys.argv[2]), now_us=NOW, audit=entry("restore"))
"""


@pytest.mark.parametrize("point", ["_carry_over:0", "_swap:0", "link:0", "sync:0", "replace:0", "sync:1", "_verified:0"])
@pytest.mark.parametrize("state", ["sound", "damaged"])
def test_a_power_cut_at_any_point_loses_neither(path: Path, backed_up: Path, point: str, state: str) -> None:
    if state == "damaged":
        path.write_bytes(b"no store any more" * 1000)
        path.with_name("store.lod-wal").write_bytes(b"log")
    command = [sys.executable, "-c", CRASH, str(path), str(backed_up), point, str(Path(__file__).parents[2] / "contracts")]
    assert subprocess.run(command, check=False).returncode == 9
    old = {"sound": ["two", "three"], "damaged": None}[state]
    new = {"sound": ["two"], "damaged": ["one secret", "two"]}[state]
    kept = [
        name for name in path.parent.iterdir() if "before-restore" in name.name and not name.name.endswith(("-wal", "-shm"))
    ]
    try:
        found = texts(path)
    except StoreCorrupt:
        found = None
    assert found in (old, new)
    if found == new:
        assert len(kept) == 1
        if state == "damaged":
            assert kept[0].read_bytes().startswith(b"no store")
            assert kept[0].with_name(kept[0].name + "-wal").read_bytes() == b"log"
        else:
            assert texts(kept[0]) == old
    assert texts(backed_up) == ["one secret", "two"]
    put_back(path, backed_up)
    assert texts(path) == new
