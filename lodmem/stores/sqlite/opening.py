"""From a path to an open store file: what may be there, and which error says what is wrong with it.

It decides between writing, reading and refusing. It never changes a file that is not ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import apsw

from lodmem.errors import StoreCorrupt, StoreMissing, StoreNewer, StorePathError, StoreReadOnly
from lodmem.stores.sqlite import migrate
from lodmem.stores.sqlite.connection import Place, connect
from lodmem.stores.sqlite.disk import sync
from lodmem.stores.sqlite.errors import CORRUPT_HINT, READ_ONLY_HINT, from_system, translated, understood

MAGIC = b"SQLite format 3\0"
SMALLEST = 512  # bytes; SQLite takes a shorter file for an empty one and would write over it
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
MISSING_HINT = "check the path, or let it be created"


def open_file(
    path: Path, *, create: bool, read_only: bool, timeout_ms: int, now_us: int
) -> tuple[Place, apsw.Connection | None]:
    """The place and its writing connection, None where the file can only be read. The schema is up to date.

    Raises:
        StorePathError: a folder, another program's database, or a path that cannot be opened.
        StoreMissing: nothing is there and nothing may be created.
        StoreCorrupt, StoreNewer, StoreReadOnly, StoreFull, StoreBusy
    """
    place = Place(path.absolute(), timeout_ms, read_only)
    exists = look(place.path)
    if not exists and (read_only or not create):
        raise StoreMissing(f"{place.path}: there is no store", hint=MISSING_HINT)
    with translated(place.path), understood(place.path):
        if not exists:
            _make(place.path)
        if not read_only:
            conn = _open_writer(place, create=create)
            if conn is not None:
                try:
                    migrate.migrate(conn, place, now_us=now_us)
                except BaseException:
                    conn.close(True)
                    raise
                return place, conn
        return open_reading(replace(place, read_only=True), _check_readable), None


def look(path: Path) -> bool:
    """Whether a file is there. Raises StorePathError or StoreCorrupt for what SQLite would make a database of, or wait for."""
    if "\0" in str(path):
        raise StorePathError("the path holds a NUL character", hint="check the path")
    try:
        if path.is_dir():
            raise StorePathError(f"{path} is a folder", hint=f"name a file in it, such as {path / 'memory.lod'}")
        if not path.exists():
            return False
        if not path.is_file():
            raise StorePathError(f"{path} is not a regular file", hint="name a file")
        with path.open("rb") as file:
            head = file.read(SMALLEST)
        ours = not head or (len(head) == SMALLEST and head.startswith(MAGIC)) or _was_being_made(path)
    except OSError as error:
        raise from_system(error, path) from error
    if not ours:
        raise StoreCorrupt(f"{path}: not a store, or damaged at its beginning", hint=CORRUPT_HINT)
    return True


def _was_being_made(path: Path) -> bool:
    """Whether the making of the file was interrupted: its journal says that it was empty, and SQLite will undo the rest."""
    journal = path.with_name(path.name + "-journal")
    if not journal.is_file():
        return False
    with journal.open("rb") as file:
        head = file.read(20)
    return len(head) == 20 and head.startswith(JOURNAL_MAGIC) and not any(head[16:])


def _make(path: Path) -> None:
    """An empty file that only its owner can read."""
    make_folder(path)
    try:
        path.touch(mode=0o600)
    except OSError as error:
        raise from_system(error, path) from error


def make_folder(path: Path) -> None:
    """The folder of a file, where it is missing, durable as the file in it will be."""
    made = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for folder in made:
            sync(folder.parent)
    except OSError as error:
        raise from_system(error, path) from error


def _open_writer(place: Place, *, create: bool) -> apsw.Connection | None:
    """The writing connection, or None where the file system allows only reading."""
    try:
        conn = connect(place, write=True)
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError):
        return None
    try:
        if not conn.readonly("main"):
            if is_empty(conn, place):
                if not create:
                    raise StoreMissing(f"{place.path}: the file is empty", hint=MISSING_HINT)
                migrate.prepare(conn)
            elif conn.pragma("journal_mode") != "wal":
                conn.pragma("journal_mode", "wal")  # a file that a restore put aside
            return conn
    except (apsw.ReadOnlyError, apsw.CantOpenError) as error:
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_READONLY_DBMOVED:  # a restore put another file here just now
            conn.close(True)
            return _open_writer(place, create=create)
        # Else the file may be written, but its log cannot be made beside it.
    except BaseException:
        conn.close(True)
        raise
    conn.close(True)
    return None


def open_reading(place: Place, check: Callable[[Place], None]) -> Place:
    """The place as it can be read: as it is, or immutable where the write-ahead log cannot be made. `check` looks at it."""
    try:
        check(place)
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        log = place.path.with_name(place.path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise StoreReadOnly(
                f"{place.path}: newer writes stand in {log.name}, and nothing can be written beside it to read them",
                hint="copy both files to a writable folder and open that copy",
            ) from None
        place = replace(place, immutable=True)
        check(place)
    return place


def check_ours(place: Place) -> None:
    """Raises StoreMissing, StorePathError or StoreNewer unless this is a store of this version or an older one."""
    conn = connect(place)
    try:
        if is_empty(conn, place):
            raise StoreMissing(f"{place.path}: the file is empty", hint=MISSING_HINT)
    finally:
        conn.close(True)


def _check_readable(place: Place) -> None:
    conn = connect(place)
    try:
        if is_empty(conn, place):
            raise StoreMissing(f"{place.path}: the file is empty", hint=MISSING_HINT)
        version = migrate.identity(conn)[1]
        if version < migrate.latest():
            raise StoreReadOnly(f"{place.path}: schema {version} is older and must be upgraded first", hint=READ_ONLY_HINT)
    finally:
        conn.close(True)


def is_empty(conn: apsw.Connection, place: Place) -> bool:
    """Whether the file is empty. Raises StorePathError for another program's database, StoreNewer for a later schema."""
    application_id, version, any_table = migrate.identity(conn)
    if application_id == migrate.APPLICATION_ID:
        if version > migrate.latest():
            raise StoreNewer(
                f"{place.path}: schema {version} was written by a newer lodmem, this one knows {migrate.latest()}",
                hint="upgrade: pip install --upgrade lodmem",
            )
        return False
    if any_table or application_id:
        raise StorePathError(f"{place.path} is another program's database", hint="choose another file for the store")
    return True
