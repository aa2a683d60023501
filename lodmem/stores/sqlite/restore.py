"""Putting a backup in a store's place. Nothing is lost on the way: the store that was there stays beside under a dated name.

The backup is copied, checked and upgraded under another name first. Then the old store is held alone: whoever has it open makes
that fail. What holds for ids and people is carried over: no id is given twice, and what was forgotten stays forgotten. The new
file takes the name in one step, so that the path is never empty.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import apsw

from lodmem.errors import BadParameter, LodmemError, StoreBusy, StoreCorrupt, UnknownPath
from lodmem.model.audit import AuditEntry
from lodmem.model.kept import Tombstone
from lodmem.model.memory import to_datetime
from lodmem.ports import Progress
from lodmem.stores.sqlite import backup as copies
from lodmem.stores.sqlite.connection import Place, connect
from lodmem.stores.sqlite.disk import sync
from lodmem.stores.sqlite.errors import from_system, translated
from lodmem.stores.sqlite.ids import existing
from lodmem.stores.sqlite.opening import check_ours, is_empty, look, make_folder, open_reading
from lodmem.stores.sqlite.store import SqliteStore

PATIENCE_MS = 2_000
READ_PATIENCE_MS = 30_000
# Further than any store's change numbers go: whoever remembers one of the file replaced reads everything again.
FAR = 1 << 40
LOCK_AT, LOCK_BYTES = 0x40000002, 510  # where SQLite's readers hold their lock: https://www.sqlite.org/lockingv3.html


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore did. `previous`: where the store that was there is now. `forgotten`: memories that the backup still held
    and that had been forgotten since."""

    memories: int
    previous: Path | None
    forgotten: int


@dataclass(frozen=True, slots=True)
class _Old:
    """What the new file takes over from the one that it replaces."""

    change: int
    ids: int
    tombstones: tuple[tuple[int, int], ...]


def restore(
    store: Path, source: Path, *, now_us: int, audit: AuditEntry, keep: bool = True, progress: Progress | None = None
) -> Restored:
    """Put the store in the file `source` where `store` is or was. `keep` False deletes the old one at the very end.

    Raises:
        UnknownPath, StorePathError, StoreCorrupt, StoreNewer: `source` is not a store that can be used; nothing was changed.
        StoreBusy: somebody has the store open; nothing was changed.
        BadParameter: both are the same file.
        StoreFull, StoreReadOnly: the file system refuses; nothing was changed.
    """
    store, source = store.absolute(), source.absolute()
    if not look(source):
        raise UnknownPath(f"there is no backup {source}", hint="check the path")
    there, readable = _look_at_old(store)
    if there and store.samefile(source):
        raise BadParameter(f"{source} is the store itself", hint="name a backup of it")
    make_folder(store)
    with copies.partial(store) as new:
        _copy(source, new, progress)
        SqliteStore.open(new, create=False, now_us=now_us).close()  # upgraded, if it was made by an earlier version
        with _held(store, there=there, readable=readable) as held:
            forgotten = _carry_over(held, new, now_us=now_us, audit=audit)
            previous = _swap(store, new, held if there else None, now_us=now_us)
    memories = _verified(store, previous, now_us=now_us)
    if previous is not None and not keep:
        for path in (previous, *(copies.beside(previous, ending) for ending in copies.BESIDE)):
            path.unlink(missing_ok=True)
        previous = None
    return Restored(memories=memories, previous=previous, forgotten=forgotten)


def _look_at_old(store: Path) -> tuple[bool, bool]:
    """Whether a file is there to be replaced, and whether SQLite may look at it. Raises StorePathError for a folder."""
    try:
        there = look(store)
        return there, there
    except StoreCorrupt:
        return True, False


def _copy(source: Path, new: Path, progress: Progress | None) -> None:
    with translated(source):
        place = open_reading(Place(source, READ_PATIENCE_MS, read_only=True), check_ours)
        conn = connect(place)
        try:
            conn.execute("BEGIN")
            copies.copy_pages(conn, new, progress)
        finally:
            conn.close(True)
    copies.check_pages(new, name=source)


@dataclass(slots=True)
class _Held:
    """The old store while nobody else has it. `conn` None: it cannot be read, or there is none."""

    conn: apsw.Connection | None = None
    old: _Old | None = None

    def close(self) -> None:
        if self.conn is not None:
            self.conn.close(True)
            self.conn = None


@contextmanager
def _held(store: Path, *, there: bool, readable: bool) -> Iterator[_Held]:
    """Nobody else has the store open within the block. Raises StoreBusy."""
    held = _Held()
    try:
        if readable:
            _hold(held, Place(store, PATIENCE_MS))
        if there and held.conn is None:
            with _locked(store):
                yield held
        else:
            yield held
    finally:
        held.close()


def _hold(held: _Held, place: Place) -> None:
    """Take the old store for this process alone and read what the new file takes over. A damaged one stays untaken."""
    with translated(place.path):
        try:
            held.conn = connect(place, write=True)
            held.conn.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # if this fails nothing was touched
            if not is_empty(held.conn, place):
                # Leaving the write-ahead log needs the file alone, puts what stands in the log into the file, and makes
                # a program that opened the path just now notice that another file has taken it.
                held.conn.pragma("journal_mode", "delete")
                held.conn.pragma("locking_mode", "exclusive")
                held.conn.execute("BEGIN EXCLUSIVE")
                held.old = _facts(held.conn)
        except (apsw.CorruptError, apsw.NotADBError):
            held.close()
        except (apsw.BusyError, apsw.LockedError):
            raise _in_use(place.path) from None


def _in_use(store: Path) -> StoreBusy:
    return StoreBusy(
        f"{store} is open in another program",
        hint="end it (an agent, a running 'lodmem mcp') and try again; nothing was changed",
    )


@contextmanager
def _locked(store: Path) -> Iterator[None]:
    """Hold a file that SQLite cannot read, where the system has such locks. Raises StoreBusy when somebody reads it."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with store.open("rb+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, LOCK_BYTES, LOCK_AT)
        except OSError:
            raise _in_use(store) from None
        yield


def _facts(conn: apsw.Connection) -> _Old:
    last = dict(conn.execute("SELECT name, seq FROM sqlite_sequence"))
    stones = tuple(conn.execute("SELECT memory_id, forgotten_us FROM tombstone ORDER BY memory_id"))
    return _Old(last.get("change", 0), last.get("memory", 0), stones)


def _carry_over(held: _Held, new: Path, *, now_us: int, audit: AuditEntry) -> int:
    """Make the new file the successor of the old one; how many memories were forgotten again."""
    place = Place(new, PATIENCE_MS)
    conn = connect(place, write=True)
    with translated(new):
        try:
            same = held.conn is not None and held.old is not None and _name(conn) == _name(held.conn)
            old = held.old if same else None
            conn.execute("BEGIN IMMEDIATE")
            last = dict(conn.execute("SELECT name, seq FROM sqlite_sequence"))
            change = (last.get("change", 0) + FAR) if old is None else max(old.change, last.get("change", 0)) + 1
            ids = max(last.get("memory", 0), 0 if old is None else old.ids)
            conn.execute("DELETE FROM change; DELETE FROM sqlite_sequence WHERE name IN ('change', 'memory')")
            conn.executemany("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [("change", change), ("memory", ids)])
            stones = () if old is None else old.tombstones
            back = existing(conn, [i for i, _ in stones])
            conn.execute("COMMIT")
        finally:
            conn.close(True)
    with SqliteStore.open(new, create=False, now_us=now_us) as store:
        if back:
            store.forget(back, now_us=now_us, audit=replace(audit, detail={**audit.detail, "ids": back}))
        else:
            store.audit(audit)
        store.load_tombstones([Tombstone(id=i, forgotten_us=us) for i, us in stones], last_id=ids)
    return len(back)


def _name(conn: apsw.Connection) -> str:
    """Which store this is, whatever file it stands in."""
    found: str = conn.execute("SELECT value FROM meta WHERE name = 'store'").get
    return found


def _swap(store: Path, new: Path, held: _Held | None, *, now_us: int) -> Path | None:
    """Keep the old file under a dated name and give the new one its own; where the old one is now."""
    try:
        previous = None
        if held is not None:
            previous = _free_name(store, now_us)
            logs = [ending for ending in copies.BESIDE if held.conn is None and copies.beside(store, ending).exists()]
            _keep(store, previous)
            for ending in logs:
                _keep(copies.beside(store, ending), copies.beside(previous, ending))
            if os.name == "nt":
                held.close()  # Windows renames no open file
            for ending in logs:
                copies.beside(store, ending).unlink(missing_ok=True)
        copies.put_in_place(new, store)
    except OSError as error:
        raise from_system(error, store) from error
    return previous


def _keep(path: Path, kept: Path) -> None:
    """A second name for a file, or a copy where the file system knows no such thing."""
    try:
        os.link(path, kept)
    except OSError:
        shutil.copy2(path, kept)
        sync(kept)


def _free_name(store: Path, now_us: int) -> Path:
    stem = f"{store.name}.before-restore-{to_datetime(now_us):%Y%m%dT%H%M%SZ}"
    names = (store.with_name(stem if n == 1 else f"{stem}-{n}") for n in range(1, 10_000))
    return next(name for name in names if not name.exists())


def _verified(store: Path, previous: Path | None, *, now_us: int) -> int:
    """How many memories the new store holds. One that does not open gives its place back to the old one."""
    try:
        with SqliteStore.open(store, create=False, now_us=now_us) as opened:
            return opened.stats().memories
    except LodmemError:
        if previous is not None:
            for ending in ("", *copies.BESIDE):
                copies.beside(store, ending).unlink(missing_ok=True)
                if copies.beside(previous, ending).exists():
                    os.replace(copies.beside(previous, ending), copies.beside(store, ending))
        raise
