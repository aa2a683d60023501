"""Copying a store file while it is in use: one moment of it, page by page, checked before it gets its name.

It copies and checks; it knows nothing of what stands in the pages.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from lodmem.errors import BadParameter, StoreCorrupt, StoreFull, StorePathError
from lodmem.ports import Progress
from lodmem.stores.sqlite.disk import sync
from lodmem.stores.sqlite.errors import from_system, translated

PAGES_A_STEP = 512
BESIDE = ("-wal", "-shm", "-journal")


def backup(source: apsw.Connection, store: Path, target: Path, *, overwrite: bool, progress: Progress | None) -> int:
    """Copy the snapshot that `source` reads of `store` to `target`; its size in bytes. See Store.backup."""
    target = target.absolute()
    _check_target(store, target, overwrite=overwrite)
    with partial(target) as copy:
        copy_pages(source, copy, progress)
        check_pages(copy, name=store)
        size = copy.stat().st_size
        if not overwrite and target.exists():
            raise _there(target)
        put_in_place(copy, target)
    return size


def _check_target(store: Path, target: Path, *, overwrite: bool) -> None:
    try:
        if target.is_dir():
            raise StorePathError(f"{target} is a folder", hint=f"name a file in it, such as {target / 'memory.backup.db'}")
        if not target.parent.is_dir():
            raise StorePathError(f"there is no folder {target.parent}", hint="make it first")
        if target.exists():
            if target.samefile(store):
                raise BadParameter(f"{target} is the store itself", hint="name another file")
            if not overwrite:
                raise _there(target)
            if not target.is_file():
                raise StorePathError(f"{target} is not a regular file", hint="name a file")
    except OSError as error:
        raise from_system(error, target) from error
    # SQLite would read a log that belongs to the file replaced as part of the new one.
    if any(beside(target, ending).exists() for ending in BESIDE):
        raise BadParameter(f"{target} is in use by another program", hint="end it, or name another file")


def _there(target: Path) -> BadParameter:
    return BadParameter(f"{target} is there already", hint="name another file, or say that it may be replaced (--force)")


def beside(path: Path, ending: str) -> Path:
    """The file that SQLite keeps beside a database."""
    return path.with_name(path.name + ending)


@contextmanager
def partial(target: Path) -> Iterator[Path]:
    """An empty file in the target's folder that only its owner can read, gone at the end unless it was renamed."""
    try:
        number, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent)
        os.close(number)
    except OSError as error:
        raise from_system(error, target) from error
    path = Path(name)
    try:
        yield path
    finally:
        for left in (path, *(beside(path, ending) for ending in BESIDE)):
            left.unlink(missing_ok=True)


def copy_pages(source: apsw.Connection, target: Path, progress: Progress | None) -> None:
    """Every page that `source` sees, into an empty file. A source inside a read transaction gives one moment of the store,
    whatever others write meanwhile. Raises StoreFull before anything is written where the space is known not to do."""
    need = source.execute("PRAGMA page_count").get * source.execute("PRAGMA page_size").get
    _check_room(target, need)
    with translated(target):
        conn = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            conn.pragma("journal_mode", "off")  # nobody reads the copy before it is whole and synced
            conn.pragma("synchronous", "off")
            with conn.backup("main", source, "main") as copying:
                while not copying.done:
                    copying.step(PAGES_A_STEP)
                    if progress is not None:
                        progress(copying.page_count - copying.remaining, copying.page_count)
        finally:
            conn.close(True)


def _check_room(target: Path, need: int) -> None:
    free = shutil.disk_usage(target.parent).free
    if free < need:
        raise StoreFull(
            f"{target.parent}: a copy of the store needs {megabytes(need)} MB, {megabytes(free)} MB are free",
            hint="free some space there; the store is as it was",
        )


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f}"


def check_pages(copy: Path, *, name: Path) -> None:
    """Raises StoreCorrupt, naming `name`, unless SQLite finds the file sound."""
    conn = None
    try:
        # Immutable: nothing is made beside a file that nobody else knows.
        conn = apsw.Connection(copy.as_uri() + "?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        found = [line for (line,) in conn.execute("PRAGMA quick_check(1)")]
    except (apsw.CorruptError, apsw.NotADBError) as error:
        found = [str(error)]
    finally:
        if conn is not None:
            conn.close(True)
    if found != ["ok"]:
        raise StoreCorrupt(
            f"{name} is damaged: {found[0]}", hint="'lodmem doctor' says more; keep the file, and restore an older backup"
        )


def put_in_place(copy: Path, target: Path) -> None:
    """Make the copy durable and give it its name in one step."""
    try:
        sync(copy)
        os.replace(copy, target)
        sync(target.parent)
    except OSError as error:
        raise from_system(error, target) from error
