"""What hardly ever changes and every search asks for: profiles, the active model, its calibration. Read once, then remembered.

Whoever writes one of them counts it in the file, so that every process notices.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import apsw

from lodmem.stores.sqlite.connection import Readers, Watcher

Answer = TypeVar("Answer")


def changed(conn: apsw.Connection) -> None:
    """To be said in the transaction that changes a profile, an agent's profile, the active model or its calibration."""
    conn.execute(
        "INSERT INTO meta VALUES ('settings', '1') ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
    )


class Settings:
    """Answers by name, good until anybody changes a setting. Safe from several threads."""

    def __init__(self, watcher: Watcher, readers: Readers) -> None:
        self._watcher, self._readers = watcher, readers
        self._lock = threading.Lock()
        self._version = -1
        self._known: dict[str, object] = {}

    def get(self, name: str, read: Callable[[apsw.Connection], Answer]) -> Answer:
        """The answer of that name; it is shared, so nobody may change it."""
        version = self._watcher.settings()  # before it is read: what is read later is as new or newer
        with self._lock:
            if version != self._version:
                self._known.clear()
                self._version = version
            elif name in self._known:
                return self._known[name]  # type: ignore[return-value]  # kept under the name of its reader
        with self._readers.snapshot() as conn:
            found = read(conn)
        with self._lock:
            if version == self._version:
                self._known[name] = found
        return found
