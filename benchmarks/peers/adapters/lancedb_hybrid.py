"""LanceDB's hybrid search: flat exact vectors and its own full-text index, fused by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa

PACKAGES = ("lancedb", "pyarrow")


def open_store(folder: Path, given: Any) -> LanceStore:
    return LanceStore(folder, given.dims)


class LanceStore:
    def __init__(self, folder: Path, dims: int) -> None:
        self._db = lancedb.connect(str(folder))
        self._schema = pa.schema(
            [pa.field("id", pa.int64()), pa.field("text", pa.string()), pa.field("vector", pa.list_(pa.float32(), dims))]
        )
        self._table = self._db.create_table("memories", schema=self._schema, exist_ok=True)

    def add(self, memories: list[dict[str, Any]], vectors: Any) -> None:
        flat = pa.array(np.ascontiguousarray(vectors, np.float32).ravel())
        rows = pa.table(
            [
                pa.array([memory["id"] for memory in memories], pa.int64()),
                pa.array([memory["text"] for memory in memories]),
                pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
            ],
            schema=self._schema,
        )
        self._table.add(rows)

    def finish(self) -> None:
        self._table.create_fts_index("text")
        self._table.optimize()

    def calls(self) -> dict[str, Callable[[str, Any, int], list[int]]]:
        return {"hybrid": self.hybrid, "vector": self.vector}

    def hybrid(self, text: str, vector: Any, k: int) -> list[int]:
        asked = self._table.search(query_type="hybrid").vector(vector).text(text).distance_type("cosine")
        return [int(row["id"]) for row in asked.limit(k).select(["id", "text"]).to_list()]

    def vector(self, text: str, vector: Any, k: int) -> list[int]:
        asked = self._table.search(vector).distance_type("cosine")
        return [int(row["id"]) for row in asked.limit(k).select(["id", "text"]).to_list()]

    def close(self) -> None: ...
