"""What the tests of importers share: where the sample files lie, and reading them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from lodmem.ingest.importers import find
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, to_us

DATA = Path(__file__).parent / "data"


def us(text: str) -> int:
    """Microseconds of an ISO 8601 time with its zone."""
    return to_us(datetime.fromisoformat(text))


def read(path: Path, name: str | None = None) -> tuple[list[Draft], list[Problem]]:
    """What the importer of that name, or the one that recognises the path, gives."""
    items = list(find(path, name).read(path))
    return [item for item in items if isinstance(item, Draft)], [item for item in items if isinstance(item, Problem)]


def write_rows(path: Path, *rows: object) -> Path:
    """A file of JSON rows; texts and bytes are written as they are."""
    lines = [row if isinstance(row, bytes) else (row if isinstance(row, str) else json.dumps(row)).encode() for row in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path
