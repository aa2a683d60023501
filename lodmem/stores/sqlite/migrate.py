"""The schema's versions: whose file this is, and the numbered migrations that bring it up to date.

A migration is released once and never edited; what it did is followed by the next number.
"""

from __future__ import annotations

import uuid
from functools import cache
from importlib import resources

import apsw

APPLICATION_ID = 0x4C4F444D  # "LODM"
PAGE_SIZE = 8192


@cache
def migrations() -> tuple[str, ...]:
    """The SQL of every migration in order; the first brings an empty file to version 1."""
    folder = resources.files("lodmem.stores.sqlite") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((folder / name).read_text(encoding="utf-8") for name in names)


def latest() -> int:
    """The schema version that this program reads and writes."""
    return len(migrations())


def identity(conn: apsw.Connection) -> tuple[int, int, bool]:
    """(application id, schema version, whether the file holds any table) of an open file. Raises apsw errors."""
    application_id = int(conn.execute("PRAGMA application_id").get)
    version = int(conn.execute("PRAGMA user_version").get)
    return application_id, version, bool(conn.execute("SELECT EXISTS (SELECT 1 FROM sqlite_schema)").get)


def prepare(conn: apsw.Connection) -> None:
    """Write-ahead logging for a file that holds nothing yet. Must stand outside a transaction."""
    conn.pragma("page_size", PAGE_SIZE)
    conn.pragma("journal_mode", "wal")


def migrate(conn: apsw.Connection, *, now_us: int) -> None:
    """Bring the file up to date, one transaction a version. Safe when several processes do it at once."""
    have = int(conn.execute("PRAGMA user_version").get)
    for number, sql in enumerate(migrations()[have:], start=have + 1):
        conn.execute("BEGIN IMMEDIATE")
        try:
            # Asked inside the transaction: another process may have been here first.
            if int(conn.execute("PRAGMA user_version").get) < number:
                conn.execute(sql)
                if number == 1:
                    conn.executemany(
                        "INSERT INTO meta VALUES (?, ?)", [("store", uuid.uuid4().hex), ("created_us", str(now_us))]
                    )
                conn.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number}")
            conn.execute("COMMIT")
        except BaseException:
            if conn.in_transaction:
                conn.execute("ROLLBACK")
            raise
