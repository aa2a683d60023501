"""SQLite files of other programs, opened to be read: nothing is written, and nothing that a file may define is run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lodmem.errors import InputError, UnknownPath
from lodmem.ingest.importers.files import shown

Connection = sqlite3.Connection
_MAX_VALUE_BYTES = 64 * 1024 * 1024
_SIGN = b"SQLite format 3\0"


def is_sqlite(path: Path) -> bool:
    """Whether the file begins as one."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SIGN)) == _SIGN
    except OSError:
        return False


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """A connection that cannot write. Raises UnknownPath, InputError, also for what goes wrong while it is used."""
    if not path.is_file():
        raise UnknownPath(f"there is no file {shown(path)}", hint="check the path")
    # A log beside it holds the newest rows and has to be read with it; without one the file is taken as it is, so that
    # not even a lock is put beside it.
    log = path.with_name(path.name + "-wal")
    still = "" if log.exists() and log.stat().st_size else "&immutable=1"
    connection = None
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{still}", uri=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA mmap_size = 0")
        yield connection
    except sqlite3.Error as error:
        raise InputError(f"{shown(path)} cannot be read: {error}", hint="is it whole, and a SQLite file?") from None
    finally:
        if connection is not None:
            connection.close()


def columns(connection: Connection, table: str) -> set[str]:
    """The names of a table's columns, none where there is no such table; a view, which would run what it says, is none."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone():
        return set()
    return {str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def rows(connection: Connection, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, one at a time."""
    yield from connection.execute(query)
