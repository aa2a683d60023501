"""Every way a path can be wrong has its own error, and no file that is not ours is ever changed."""

from __future__ import annotations

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest
from contract_kit import NOW, add, prepared

from lodmem.errors import StoreCorrupt, StoreMissing, StoreNewer, StorePathError
from lodmem.stores.sqlite import migrate
from lodmem.stores.sqlite.store import SqliteStore


def open_(path: Path, *, create: bool = True, read_only: bool = False) -> SqliteStore:
    return SqliteStore.open(path, create=create, read_only=read_only, now_us=NOW)


def filled(path: Path, count: int = 200) -> bytes:
    with open_(path) as store:
        add(store, *(prepared(f"text number {n} " * 40) for n in range(count)))
    return path.read_bytes()


def read_all(path: Path) -> None:
    with open_(path) as store:
        store.get([row.id for row in store.rows()])
        store.match_words(["number"], limit=9)


def test_a_new_store_is_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "not" / "yet" / "there.lod"
    with open_(path) as store:
        assert add(store, prepared("one")) == [1]
        assert (store.path, store.read_only) == (path, False)
        assert store.stats().path == str(path)
    with SqliteStore.open(str(path), now_us=NOW) as store:
        assert store.get([1])[0].full == "one"


@pytest.mark.parametrize(
    "name",
    ["with space", "50%25", "a?b#c&d", "file:x", "ünï 日本.lod", "-dash", "semi;colon'quote\"", os.fsdecode(b"not-utf8-\xff")],
)
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    with open_(tmp_path / name) as store:
        add(store, prepared("one"))
    assert (tmp_path / name).stat().st_size > 0
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_only_its_owner_can_read_a_new_store(path: Path) -> None:
    with open_(path) as store:
        add(store, prepared("one"))
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(("store.lod", "store.lod-wal", "store.lod-shm"), 0o600)


def test_a_relative_path_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_(Path("here.lod")) as store:
        monkeypatch.chdir("/")
        add(store, prepared("one"))
        assert [row.id for row in store.rows()] == [1]
    assert (tmp_path / "here.lod").exists()


@pytest.mark.parametrize("options", [{"create": False}, {"read_only": True}])
def test_what_is_missing_and_may_not_be_made(path: Path, options: dict[str, bool]) -> None:
    with pytest.raises(StoreMissing) as caught:
        open_(path, **options)
    assert caught.value.hint
    assert not path.exists()


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StorePathError, match="is a folder") as caught:
        open_(tmp_path)
    assert "memory.lod" in caught.value.hint


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    with pytest.raises(StorePathError) as caught:
        open_(tmp_path / "file" / "store.lod")
    assert caught.value.hint


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_no_store(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(StorePathError, match="not a regular file"):
        open_(path)


def test_a_path_cannot_hold_nul(tmp_path: Path) -> None:
    with pytest.raises(StorePathError):
        open_(tmp_path / "a\0b")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_store_only_if_it_may(path: Path) -> None:
    path.touch()
    for options in ({"create": False}, {"read_only": True}):
        with pytest.raises(StoreMissing):
            open_(path, **options)
        assert path.read_bytes() == b""
    with open_(path) as store:
        assert add(store, prepared("one")) == [1]


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "content",
    [b"x", b"SQLite format 3\0", b"not a database at all\n" * 500, bytes(5000), b"SQLite format 3\0" + b"\xff" * 5000],
)
def test_what_is_no_database_is_left_as_it_is(path: Path, content: bytes, read_only: bool) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt) as caught:
        open_(path, read_only=read_only)
    assert caught.value.hint
    assert path.read_bytes() == content


@pytest.mark.parametrize("read_only", [False, True])
def test_another_programs_database_is_left_as_it_is(path: Path, read_only: bool) -> None:
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE bookmark (url TEXT); INSERT INTO bookmark VALUES ('x')")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StorePathError, match="another program's database") as caught:
        open_(path, read_only=read_only)
    assert caught.value.hint
    assert path.read_bytes() == before


def test_another_programs_empty_database_is_left_as_it_is(path: Path) -> None:
    other = apsw.Connection(str(path))
    other.execute("PRAGMA application_id = 77")
    other.close()
    with pytest.raises(StorePathError, match="another program's database"):
        open_(path)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_store_is_refused_and_left_as_it_is(path: Path, read_only: bool) -> None:
    filled(path, 3)
    conn = apsw.Connection(str(path))
    conn.execute(f"PRAGMA user_version = {migrate.latest() + 1}")
    conn.close()
    before = path.read_bytes()
    with pytest.raises(StoreNewer) as caught:
        open_(path, read_only=read_only)
    assert "upgrade" in caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize("keep", [0.9, 0.5, 0.1])
def test_a_cut_off_file_is_reported(path: Path, keep: float) -> None:
    whole = filled(path)
    cut = whole[: int(len(whole) * keep) // 8192 * 8192]
    path.write_bytes(cut)
    with pytest.raises(StoreCorrupt) as caught:
        read_all(path)
    assert caught.value.hint
    assert path.read_bytes()[: len(cut)] == cut


def test_garbage_in_the_middle_is_reported(path: Path) -> None:
    content = bytearray(filled(path))
    for start in range(8192 * 3, len(content), 8192):
        content[start : start + 512] = os.urandom(512)
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt):
        read_all(path)


def test_check_says_in_words_whose_text_is_damaged(path: Path) -> None:
    with open_(path) as store:
        add(store, prepared("a healthy one"), prepared("unmistakable", terms=["x"]))
    path.write_bytes(path.read_bytes().replace(b"unmistakable", b"unmistakeable"[:12]))
    with open_(path) as store:
        assert store.check() == ["memory #2: its text is not the one that was written"]


def test_check_says_that_the_word_index_is_damaged(path: Path) -> None:
    with open_(path) as store:
        add(store, prepared("text", terms=["unmistakable"]))
    conn = apsw.Connection(str(path))
    conn.execute("UPDATE passage SET terms = 'another'")
    conn.close()
    with open_(path) as store:
        assert store.check() == ["words: the index does not fit the texts"]


def test_check_survives_a_damaged_file(path: Path) -> None:
    content = bytearray(filled(path))
    for start in range(8192 * 100, len(content), 8192):  # behind the first pages of all tables
        content[start : start + 512] = bytes(512)
    path.write_bytes(content)
    with open_(path) as store:
        problems = store.check()
    assert problems
    assert all(isinstance(problem, str) for problem in problems)


def test_many_may_make_the_same_store_at_once(path: Path) -> None:
    def make(n: int) -> list[int]:
        with open_(path) as store:
            return add(store, prepared(f"from {n}"))

    with ThreadPoolExecutor(8) as pool:
        ids = [memory_id for batch in pool.map(make, range(8)) for memory_id in batch]
    assert sorted(ids) == list(range(1, 9))
    with open_(path) as store:
        assert store.check() == []
