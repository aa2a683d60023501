"""LangGraph's SqliteStore: exact cosines by sqlite-vec in a SQLite file."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    # Some Pythons are built without loading of extensions, which sqlite-vec is; the same module from PyPI has it.
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

PACKAGES = ("langgraph-checkpoint-sqlite", "sqlite-vec")
SPACE = ("memories",)


def open_store(folder: Path, given: Any) -> LangGraphStore:
    return LangGraphStore(folder / "store.db", given)


class LangGraphStore:
    def __init__(self, path: Path, given: Any) -> None:
        def embed(texts: Any) -> list[list[float]]:
            return [vector.tolist() for vector in given.embed(list(texts))]

        self._opening = SqliteStore.from_conn_string(str(path), index={"dims": given.dims, "embed": embed})
        self._store = self._opening.__enter__()
        self._store.setup()

    def add(self, memories: list[dict[str, Any]], vectors: Any) -> None:
        # `index` a put: this store passes over the `fields` of its configuration and would embed the whole value as JSON.
        self._store.batch([PutOp(SPACE, str(memory["id"]), {"text": memory["text"]}, index=["text"]) for memory in memories])

    def finish(self) -> None: ...

    def calls(self) -> dict[str, Callable[[str, Any, int], list[int]]]:
        return {"search": self.search}

    def search(self, text: str, vector: Any, k: int) -> list[int]:
        return [int(found.key) for found in self._store.search(SPACE, query=text, limit=k)]

    def close(self) -> None:
        self._opening.__exit__(None, None, None)
