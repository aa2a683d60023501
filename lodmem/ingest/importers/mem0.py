"""Memories of Mem0: its Qdrant folder (collection/*/storage.sqlite), or its log of changes (history.db). One memory each.

The folder holds pickled points with a payload {data, user_id, agent_id, run_id, created_at, ...}; they are read without being
unpickled. The log has what each memory last said, without the user. Deleted memories stay deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lodmem.errors import InputError
from lodmem.ingest.importers.base import CALLERS, MAX_NAME, Meter, Streaming, clean, iso_us, word
from lodmem.ingest.importers.files import shown
from lodmem.ingest.importers.inert_pickle import PickleError, plain
from lodmem.ingest.importers.lines import size_of
from lodmem.ingest.importers.sqlite_file import Connection, columns, is_sqlite, reading, rows
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Kind, Source

POINTS, LOG = "storage.sqlite", "history.db"
_NEEDED = {"memory_id", "new_memory", "event", "created_at"}
_LAST = """
    SELECT memory_id, new_memory, event, {deleted}, began, {actor}, {role}
    FROM history JOIN (
        SELECT max(rowid) AS last, min(rowid) AS first, min(created_at) AS began FROM history GROUP BY memory_id
    ) ON history.rowid = last ORDER BY first
"""
_KEPT = ("user_id", "agent_id", "run_id", "actor_id", "role", "attributed_to", "updated_at", "expiration_date")


class Mem0Importer(Streaming):
    """A history.db, a storage.sqlite, or a folder that has them: ~/.mem0, the folder of a local Qdrant."""

    name = "mem0"

    def recognises(self, path: Path) -> bool:
        """Files of these names and formats."""
        return any(found.name in (POINTS, LOG) and is_sqlite(found) for found in _files(path))

    def size(self, path: Path) -> int:
        """Bytes of the files."""
        return sum(size_of(found) for found in _files(path))

    def stream(self, path: Path, meter: Meter) -> Iterator[Draft | Problem]:
        """Points first, since they say whose they are; then what only the log has. Raises UnknownPath, InputError."""
        found = _files(path)
        if not found:
            raise InputError(f"{shown(path)} holds nothing of Mem0", hint=f"give a folder with {LOG} or collection/*/{POINTS}")
        seen: set[str] = set()
        for file in found:
            end = meter.done + size_of(file)
            with reading(file) as connection:
                if {"id", "point"} <= columns(connection, "points"):
                    yield from _points(connection, file, seen, meter)
                elif columns(connection, "history") >= _NEEDED:
                    yield from _log(connection, seen, meter)
                else:
                    yield Problem(shown(file), "neither Mem0's history nor points of Qdrant")
            meter.done = end


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    patterns = (POINTS, f"collection/*/{POINTS}", f"*/collection/*/{POINTS}")
    points = [found for pattern in patterns for found in path.glob(pattern)]
    return sorted(file for file in points if not file.is_symlink()) + [path / LOG] * (path / LOG).is_file()


def _points(connection: Connection, file: Path, seen: set[str], meter: Meter) -> Iterator[Draft | Problem]:
    for rowid, raw in rows(connection, "SELECT rowid, point FROM points ORDER BY rowid"):
        where = f"{shown(file)}: point {rowid}"
        if not isinstance(raw, bytes):
            yield Problem(where, "it is not stored as bytes")
            continue
        try:
            point = plain(raw)
        except PickleError as error:
            yield Problem(where, str(error))
            continue
        payload = point.get("payload") if isinstance(point, dict) else None
        if not isinstance(payload, dict) or not isinstance(point.get("id"), (str, int)):
            yield Problem(where, "a point without an id or a payload")
        elif "linked_memory_ids" in payload or not isinstance(payload.get("data"), str):
            meter.skip("points that are no memories")
        else:
            name = str(point.get("id"))
            seen.add(name)
            told = {key: payload[key] for key in _KEPT if isinstance(payload.get(key), str)}
            yield _draft(name, payload["data"], word(payload.get("created_at")), told)


def _log(connection: Connection, seen: set[str], meter: Meter) -> Iterator[Draft | Problem]:
    there = columns(connection, "history")
    names = {"deleted": "is_deleted", "actor": "actor_id", "role": "role"}
    query = _LAST.format(**{key: name if name in there else "NULL" for key, name in names.items()})
    for name, text, event, deleted, created, actor, role in rows(connection, query):
        if deleted or word(event).upper() == "DELETE":
            meter.skip("deleted memories")
        elif str(name) in seen:
            meter.skip("memories that a collection has too")
        elif not word(text).strip():
            yield Problem(f"memory {name}", "it has no text")
        else:
            told = {key: value for key, value in (("actor_id", actor), ("role", role)) if isinstance(value, str)}
            yield _draft(str(name), text, word(created), told)


def _draft(name: str, text: str, created: str, told: Mapping[str, Any]) -> Draft:
    return Draft(
        full=clean(text),
        space=CALLERS,
        agent=CALLERS,
        kind=Kind.SEMANTIC,
        created_us=iso_us(created),
        source=Source(clean(f"mem0:{name}", MAX_NAME)),
        tags=("mem0",),
        meta={key: clean(value, MAX_NAME) for key, value in told.items() if value},
    )
