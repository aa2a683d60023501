"""The schema's versions: whose file this is, and the numbered migrations that bring it up to date.

A migration is released once and never edited; what it did is followed by the next number. A store that holds something is
copied before (NAME.schema-1.bak), and the copy is deleted when the new version is written and checked.
"""

from __future__ import annotations

import uuid
from functools import cache
from importlib import resources
from pathlib import Path

import apsw

from lodmem.errors import StoreCorrupt, StoreFull
from lodmem.stores.sqlite import backup
from lodmem.stores.sqlite.connection import Place, connect
from lodmem.text.tokens import TERMS_VERSION

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


def migrate(conn: apsw.Connection, place: Place, *, now_us: int) -> None:
    """Bring the file up to date in one transaction. Safe when several processes do it at once: the others wait.

    Raises:
        StoreFull: there is no room for the copy; the store is as it was.
        StoreCorrupt: the upgraded file does not pass its check; the copy of the old one is kept.
    """
    if int(conn.execute("PRAGMA user_version").get) >= latest():
        return
    copy: Path | None = None
    conn.execute("BEGIN IMMEDIATE")
    try:
        # Asked inside the transaction: another process may have been here first.
        have = int(conn.execute("PRAGMA user_version").get)
        if 0 < have < latest():
            copy = _copy(place, have)
        _upgrade(conn, have, now_us=now_us)
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        if copy is not None:
            copy.unlink(missing_ok=True)  # nothing was committed: the store itself is the old one
        raise
    if copy is not None:
        _check(conn, place, copy)
        copy.unlink(missing_ok=True)


def _upgrade(conn: apsw.Connection, have: int, *, now_us: int) -> None:
    for number, sql in enumerate(migrations()[have:], start=have + 1):
        conn.execute(sql)
        if number == 1:
            conn.executemany("INSERT INTO meta VALUES (?, ?)", [("store", uuid.uuid4().hex), ("created_us", str(now_us))])
        conn.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number}")
    if have < latest():
        conn.execute(
            "UPDATE meta SET value = ? WHERE name = 'terms_version' AND NOT EXISTS (SELECT 1 FROM passage)",
            (str(TERMS_VERSION),),
        )


def copy_name(path: Path, version: int) -> Path:
    """Where the copy of a store stands while it is upgraded from this version."""
    return path.with_name(f"{path.name}.schema-{version}.bak")


def _copy(place: Place, version: int) -> Path:
    """A copy of the file as it is. The caller's transaction keeps writers out meanwhile."""
    target = copy_name(place.path, version)
    source = connect(place)
    try:
        source.execute("BEGIN")
        backup.backup(source, place.path, target, overwrite=True, progress=None)
    except StoreFull as error:
        raise StoreFull(
            f"{error.message}; it is made before the store is upgraded from schema {version} to {latest()}, and deleted after",
            hint="free some space beside the store, or move the store to a larger disk; nothing was changed",
        ) from error
    finally:
        source.close(True)
    return target


def _check(conn: apsw.Connection, place: Place, copy: Path) -> None:
    found = [line for (line,) in conn.execute("PRAGMA quick_check(1)")]
    if found != ["ok"]:
        raise StoreCorrupt(
            f"{place.path}: damaged after its upgrade: {found[0]}", hint=f"the store as it was before is {copy}; keep it"
        )
