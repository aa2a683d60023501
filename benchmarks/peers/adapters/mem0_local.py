"""Mem0 without inference: texts as they are, in its default local store, embedded Qdrant.

Its keyword search and entity links want models that are fetched at run time, so this is what it does without them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mem0 import Memory

PACKAGES = ("mem0ai", "qdrant-client")
USER = "benchmark"


def open_store(folder: Path, given: Any) -> Mem0Store:
    return Mem0Store(folder, given)


class Lookup:
    """Stands where Mem0's embedder stands."""

    def __init__(self, given: Any) -> None:
        self._given = given

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        found: list[float] = self._given.embed([text])[0].tolist()
        return found

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


class Mem0Store:
    def __init__(self, folder: Path, given: Any) -> None:
        self._names_path = folder / "names.json"
        # The clients of language model and embedder are made at once, and never called here.
        nobody = {"provider": "openai", "config": {"api_key": "none"}}
        place = {"path": str(folder / "qdrant"), "embedding_model_dims": given.dims}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": place},
                "history_db_path": str(folder / "history.db"),
                "llm": nobody,
                "embedder": nobody,
            }
        )
        self._memory.embedding_model = Lookup(given)
        known = json.loads(self._names_path.read_text()) if self._names_path.exists() else []
        self._names: dict[str, int] = {name: number for number, name in enumerate(known)}

    def add(self, memories: list[dict[str, Any]], vectors: Any) -> None:
        turns = [{"role": "user", "content": memory["text"]} for memory in memories]
        for kept in self._memory.add(turns, user_id=USER, infer=False)["results"]:
            self._names[kept["id"]] = len(self._names)

    def finish(self) -> None:
        self._names_path.write_text(json.dumps(list(self._names)))

    def calls(self) -> dict[str, Callable[[str, Any, int], list[int]]]:
        return {"search": self.search}

    def search(self, text: str, vector: Any, k: int) -> list[int]:
        found = self._memory.search(text, filters={"user_id": USER}, top_k=k, threshold=0.0)
        return [self._names[one["id"]] for one in found["results"]]

    def close(self) -> None:
        self._memory.vector_store.client.close()
