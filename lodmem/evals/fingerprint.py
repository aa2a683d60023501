"""Says whether something that was kept was made by the same code, so that nothing stale is ever measured."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

# What decides which bytes a store holds.
WRITING = ("ingest", "model", "models", "retrieval", "scan", "stores", "text")


@cache
def of_code(*parts: str) -> str:
    """SHA-256 over the Python and SQL files of these folders of the package, of all of it when none is named."""
    total = hashlib.sha256()
    for folder in [PACKAGE / part for part in parts] or [PACKAGE]:
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".sql")):
            total.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
