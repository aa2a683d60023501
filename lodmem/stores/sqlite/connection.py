"""Connections to one store file: how each is set up, the pool of readers, the one writer, the watcher.

It knows SQLite's locking and durability; of tables it knows only the change log's counter.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import apsw

from lodmem.errors import StoreClosed, StoreError, StoreReadOnly
from lodmem.stores.sqlite.errors import READ_ONLY_HINT, translate, translated, understood

IDLE_READERS = 4


@dataclass(frozen=True, slots=True)
class Place:
    """A store file and how it may be opened. `immutable`: on a file system where not even a lock can be taken."""

    path: Path
    timeout_ms: int
    read_only: bool = False
    immutable: bool = False


def connect(place: Place, *, write: bool = False) -> apsw.Connection:
    """A connection that is set up. Raises apsw errors: the caller knows what they mean at that moment."""
    flags = apsw.SQLITE_OPEN_URI | (apsw.SQLITE_OPEN_READWRITE if write else apsw.SQLITE_OPEN_READONLY)
    conn = apsw.Connection(place.path.as_uri() + ("?immutable=1" if place.immutable else ""), flags=flags)
    try:
        conn.set_busy_timeout(place.timeout_ms)
        conn.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
        conn.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
        conn.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        conn.pragma("temp_store", "memory")  # sorting must not leave texts in temporary files
        if write:
            conn.pragma("foreign_keys", "on")
            conn.pragma("synchronous", "full")
            # On macOS only this reaches the disk; elsewhere it says nothing.
            conn.pragma("fullfsync", "on")
            conn.pragma("checkpoint_fullfsync", "on")
            conn.pragma("secure_delete", "on")
            conn.pragma("cache_size", -16_000)
            # Frames behind the end of a restarted log would keep what was forgotten.
            conn.pragma("journal_size_limit", 0)
    except BaseException:
        conn.close(True)
        raise
    return conn


def _closed(place: Place) -> StoreClosed:
    return StoreClosed(f"{place.path}: the store is closed", hint="open it again")


class Readers:
    """A pool of connections, each lent to one reader at a time. Lock-free, so that a generator may end anywhere."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._idle: deque[apsw.Connection] = deque()
        self._closed = threading.Event()

    @contextmanager
    def snapshot(self, *, fresh: bool = False) -> Iterator[apsw.Connection]:
        """A connection inside a read transaction: everything read in the block is of one moment. `fresh`: a new one."""
        if self._closed.is_set():
            raise _closed(self._place)
        with translated(self._place.path), understood(self._place.path):
            conn = connect(self._place) if fresh else self._take()
            try:
                conn.execute("BEGIN")
                yield conn
            finally:
                self._give(conn)

    def _take(self) -> apsw.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return connect(self._place)

    def _give(self, conn: apsw.Connection) -> None:
        if self._closed.is_set() or len(self._idle) >= IDLE_READERS:
            conn.close(True)
            return
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        self._idle.append(conn)
        if self._closed.is_set():  # closed between the question and the append
            self.close()

    def close(self) -> None:
        """Close what is idle now and the rest as it comes back. Idempotent."""
        self._closed.set()
        while self._idle:
            try:
                conn = self._idle.pop()
            except IndexError:
                return
            conn.close(True)


class Writer:
    """The one writing connection, under a lock."""

    def __init__(self, place: Place, conn: apsw.Connection | None) -> None:
        self._place = place
        self._conn = conn
        self._lock = threading.Lock()
        self._closed = False
        self._truncate = False

    @contextmanager
    def transaction(self) -> Iterator[apsw.Connection]:
        """A connection inside BEGIN IMMEDIATE: all of the block is durable at its end, or none of it after an error."""
        with self._lock:
            conn = self._usable()
            with translated(self._place.path), understood(self._place.path):
                conn.execute("BEGIN IMMEDIATE")
                try:
                    yield conn
                    conn.execute("COMMIT")
                except BaseException:
                    if conn.in_transaction:
                        conn.execute("ROLLBACK")
                    raise
            if self._truncate:
                # The block's writes are durable and must not seem to have failed: the next write tries the log once more.
                with suppress(StoreError):
                    self._empty_log(conn, tries=1)

    def empty_log(self) -> None:
        """Move the write-ahead log into the file and cut it to nothing; while readers forbid that, after a later write."""
        with self._lock:
            self._empty_log(self._usable(), tries=20)

    def _empty_log(self, conn: apsw.Connection, *, tries: int) -> None:
        conn.set_busy_timeout(50 if tries > 1 else 0)
        self._truncate = True
        try:
            for _ in range(tries):
                try:
                    conn.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                except (apsw.BusyError, apsw.LockedError):
                    continue
                self._truncate = False
                return
        except apsw.Error as error:
            raise translate(error, self._place.path) from error
        finally:
            conn.set_busy_timeout(self._place.timeout_ms)

    def _usable(self) -> apsw.Connection:
        if self._closed:
            raise _closed(self._place)
        if self._conn is None:
            raise StoreReadOnly(f"{self._place.path}: the store is open for reading only", hint=READ_ONLY_HINT)
        return self._conn

    def close(self) -> None:
        """Wait for the write at work, then close. Idempotent."""
        with self._lock:
            self._closed = True
            if self._conn is not None:
                self._conn.close(True)
                self._conn = None


_STATE = """
    SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change'), 0),
        coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'settings'), 0)
"""


class Watcher:
    """Knows the newest change number, and how often a setting was changed, without reading them each time.

    A connection that never writes sees every commit, of this process and of others, in PRAGMA data_version.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._conn: apsw.Connection | None = connect(place)
        self._version = -1
        self._last = self._settings = 0

    def last_change(self) -> int:
        with self._lock:
            self._look()
            return self._last

    def settings(self) -> int:
        """How often a setting was changed."""
        with self._lock:
            self._look()
            return self._settings

    def _look(self) -> None:
        conn = self._conn
        if conn is None:
            raise _closed(self._place)
        with translated(self._place.path), understood(self._place.path):
            version = conn.execute("PRAGMA data_version").get
            if version != self._version:
                # Asked after the version: a commit in between is seen now and asked for once more.
                self._last, self._settings = conn.execute(_STATE).get
                self._version = version

    def close(self) -> None:
        with self._lock:
            if self._conn is not None:
                self._conn.close(True)
                self._conn = None


def last_change(conn: apsw.Connection) -> int:
    """Number of the newest change ever logged, pruned or not."""
    last: int | None = conn.execute("SELECT seq FROM sqlite_sequence WHERE name = 'change'").get
    return last or 0
