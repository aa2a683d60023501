"""txtai's hybrid search: its default vector index and its BM25, equal weights, texts kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from txtai import Embeddings

PACKAGES = ("txtai", "faiss-cpu", "torch")


def open_store(folder: Path, given: Any) -> TxtaiStore:
    return TxtaiStore(folder / "index", given)


class TxtaiStore:
    def __init__(self, path: Path, given: Any) -> None:
        def transform(texts: Any) -> Any:
            return np.array(given.embed([texts] if isinstance(texts, str) else list(texts)), np.float32)

        self._path = path
        self._pending: list[tuple[int, str]] = []
        self._embeddings = Embeddings(method="external", transform=transform, hybrid=True, content=True)
        if path.exists():
            self._embeddings.load(str(path), config={"transform": transform})

    def add(self, memories: list[dict[str, Any]], vectors: Any) -> None:
        """The index is built once: its kind of index is chosen by how many there are."""
        self._pending += [(memory["id"], memory["text"]) for memory in memories]

    def finish(self) -> None:
        self._embeddings.index(self._pending)
        self._embeddings.save(str(self._path))

    def calls(self) -> dict[str, Callable[[str, Any, int], list[int]]]:
        return {"hybrid": self.hybrid}

    def hybrid(self, text: str, vector: Any, k: int) -> list[int]:
        return [int(found["id"]) for found in self._embeddings.search(text, k)]

    def close(self) -> None:
        self._embeddings.close()
