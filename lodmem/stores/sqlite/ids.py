"""Sets of memory ids inside SQL, and the one way to say that a memory is not there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import apsw

from lodmem.errors import UnknownMemory
from lodmem.model.memory import to_datetime

# Bound to as_json(ids). A join keeps no limit on how many ids there are.
IN_IDS = "IN (SELECT value FROM json_each(?1))"


def as_json(ids: Iterable[int]) -> str:
    """The ids as SQL takes them: rising, each once."""
    return json.dumps(sorted(set(ids)))


def existing(conn: apsw.Connection, ids: Iterable[int]) -> list[int]:
    """Those of `ids` that are there, rising."""
    return [i for (i,) in conn.execute(f"SELECT id FROM memory WHERE id {IN_IDS} ORDER BY id", (as_json(ids),))]


def require(conn: apsw.Connection, ids: Sequence[int]) -> None:
    """Raises UnknownMemory unless every id is there."""
    missing = set(ids).difference(existing(conn, ids))
    if missing:
        raise unknown(conn, min(missing))


def forgotten_us(conn: apsw.Connection, memory_id: int) -> int | None:
    """When a memory was forgotten, None if it never was."""
    # Through JSON, because a number of any size may be asked about.
    when: int | None = conn.execute(f"SELECT forgotten_us FROM tombstone WHERE memory_id {IN_IDS}", (as_json([memory_id]),)).get
    return when


def unknown(conn: apsw.Connection, memory_id: int) -> UnknownMemory:
    """The error for an id that is not there; a forgotten one says so."""
    forgotten = forgotten_us(conn, memory_id)
    if forgotten is not None:
        return UnknownMemory(
            f"memory #{memory_id} was forgotten on {to_datetime(forgotten):%Y-%m-%d}", hint="it is gone for good"
        )
    return UnknownMemory(f"there is no memory #{memory_id}", hint="ids are shown as #N by search, recent and window")
