"""Chroma in its embedded form: HNSW over the given vectors, one thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings

PACKAGES = ("chromadb",)


def open_store(folder: Path, given: Any) -> ChromaStore:
    return ChromaStore(folder)


class ChromaStore:
    def __init__(self, folder: Path) -> None:
        self._client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._memories = self._client.get_or_create_collection(
            "memories", embedding_function=None, configuration={"hnsw": {"space": "cosine", "num_threads": 1}}
        )

    def add(self, memories: list[dict[str, Any]], vectors: Any) -> None:
        self._memories.add(
            ids=[str(memory["id"]) for memory in memories],
            documents=[memory["text"] for memory in memories],
            embeddings=vectors,
        )

    def finish(self) -> None: ...

    def calls(self) -> dict[str, Callable[[str, Any, int], list[int]]]:
        return {"search": self.search}

    def search(self, text: str, vector: Any, k: int) -> list[int]:
        found = self._memories.query(query_embeddings=[vector], n_results=k, include=["documents", "distances"])
        return [int(name) for name in found["ids"][0]]

    def close(self) -> None:
        self._client.close()
