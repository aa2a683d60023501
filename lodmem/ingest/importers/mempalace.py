"""The drawers of a MemPalace, in Chroma's chroma.sqlite3 or in its own sqlite_exact.sqlite3: one memory a drawer.

Chroma keeps a row an item (embeddings) and a row a field (embedding_metadata), the text under the key chroma:document. A drawer
knows its wing, room, source_file and chunk_index; the pieces of one file are neighbours. Its date is when it was written
(authored_at, content_date, date), else when it was filed. Closets are made from drawers and are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from lodmem.errors import InputError
from lodmem.ingest.importers.base import CALLERS, MAX_NAME, Meter, Streaming, clean, iso_us, word
from lodmem.ingest.importers.files import shown
from lodmem.ingest.importers.lines import size_of
from lodmem.ingest.importers.sqlite_file import Connection, columns, is_sqlite, reading, rows
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Source

CHROMA, EXACT = "chroma.sqlite3", "sqlite_exact.sqlite3"
CLOSETS = "mempalace_closets"
TEXT = "chroma:document"
_FIELDS = """
    SELECT e.id, e.embedding_id, c.name, m.key, coalesce(m.string_value, m.int_value, m.float_value)
    FROM embeddings e JOIN embedding_metadata m ON m.id = e.id
    LEFT JOIN segments s ON s.id = e.segment_id LEFT JOIN collections c ON c.id = s.collection
    ORDER BY e.id
"""
_DOCUMENTS = """
    SELECT d.rowid, d.id, c.name, d.document, d.metadata_json
    FROM documents d LEFT JOIN collections c ON c.id = d.collection_id ORDER BY d.rowid
"""
_DATES = ("authored_at", "content_date", "date", "filed_at")
_KEPT = ("wing", "room", "hall", "source_file", "added_by", "filed_at")


class MemPalaceImporter(Streaming):
    """A palace's folder, ~/.mempalace, or one of the files."""

    name = "mempalace"

    def recognises(self, path: Path) -> bool:
        """Files of these names and of this format."""
        return any(found.name in (CHROMA, EXACT) and is_sqlite(found) for found in _files(path))

    def size(self, path: Path) -> int:
        """Bytes of the files."""
        return sum(size_of(found) for found in _files(path))

    def stream(self, path: Path, meter: Meter) -> Iterator[Draft | Problem]:
        """Drawer by drawer, in the order they were filed. Raises UnknownPath, InputError."""
        found = _files(path)
        if not found:
            raise InputError(f"{shown(path)} holds no palace", hint=f"give a folder with {CHROMA} or {EXACT}")
        for file in found:
            end = meter.done + size_of(file)
            with reading(file) as connection:
                for number, name, collection, fields in _drawers(connection, file):
                    if collection == CLOSETS:
                        meter.skip("closets")
                    else:
                        yield _draft(number, name, fields, f"{shown(file)}: drawer {number}")
            meter.done = end


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return [found for folder in (path, path / "palace") for name in (CHROMA, EXACT) if (found := folder / name).is_file()]


def _drawers(connection: Connection, file: Path) -> Iterator[tuple[int, str, str, Mapping[str, Any]]]:
    """Number, id, collection and fields of each drawer."""
    if {"embedding_id", "segment_id"} <= columns(connection, "embeddings") and {"key", "string_value"} <= columns(
        connection, "embedding_metadata"
    ):
        for _, group in groupby(rows(connection, _FIELDS), key=lambda row: row[0]):
            first = next(group)
            fields = {str(row[3]): row[4] for row in (first, *group)}
            yield first[0], str(first[1]), word(first[2]), fields
    elif {"document", "metadata_json", "collection_id"} <= columns(connection, "documents"):
        for number, name, collection, text, metadata in rows(connection, _DOCUMENTS):
            yield number, str(name), word(collection), {**_object(metadata), TEXT: text}
    else:
        raise InputError(f"{shown(file)} is not made as a palace is", hint=f"give {CHROMA} or {EXACT}")


def _object(text: object) -> dict[str, Any]:
    try:
        value = json.loads(word(text))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _draft(number: int, name: str, fields: Mapping[str, Any], where: str) -> Draft | Problem:
    text = word(fields.get(TEXT))
    if not text.strip():
        return Problem(where, "it has no text")
    origin, chunk = word(fields.get("source_file")), fields.get("chunk_index")
    wing, room = word(fields.get("wing")), word(fields.get("room"))
    dates = [(key, us) for key in _DATES if (us := iso_us(word(fields.get(key)))) is not None]
    meta = {key: clean(fields[key], MAX_NAME) for key in _KEPT if isinstance(fields.get(key), str) and fields[key]}
    meta |= {"drawer": clean(name, MAX_NAME)} | ({"date": dates[0][0]} if dates else {})
    sequence = chunk if isinstance(chunk, int) and origin and abs(chunk) < 2**63 else number
    return Draft(
        full=clean(text),
        space=CALLERS,
        agent=CALLERS,
        created_us=dates[0][1] if dates else None,
        source=Source(clean(f"mempalace:{origin or f'{wing}/{room}'}", MAX_NAME), "", sequence),
        tags=("mempalace",),
        meta=meta,
    )
