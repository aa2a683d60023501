"""MemPalace with its default back end: drawers in Chroma, candidates by vector, reordered with BM25 among them.

Its own embedder is fetched at run time; the given vectors stand in for it. Nothing is mined, so there are no closets.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mempalace import embedding
from mempalace.palace import get_collection
from mempalace.searcher import search_memories

PACKAGES = ("mempalace", "chromadb")


def open_store(folder: Path, given: Any) -> PalaceStore:
    lookup = Lookup(given)
    embedding.get_embedding_function = lambda device=None, model=None: lookup
    return PalaceStore(folder)


class Lookup:
    """Stands where MemPalace's embedding function stands, under the name that its collections record."""

    def __init__(self, given: Any) -> None:
        self._given = given

    def __call__(self, input: list[str]) -> list[Any]:  # noqa: A002  # the name Chroma calls it by
        return list(self._given.embed(input))

    def embed_query(self, input: list[str]) -> list[Any]:  # noqa: A002
        return self(input)

    @staticmethod
    def name() -> str:
        return "default"

    @staticmethod
    def is_legacy() -> bool:
        return True

    def get_config(self) -> dict[str, Any]:
        return {}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> None: ...

    @staticmethod
    def default_space() -> str:
        return "cosine"

    @staticmethod
    def supported_spaces() -> list[str]:
        return ["cosine"]


class PalaceStore:
    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._drawers = get_collection(self._folder)

    def add(self, memories: list[dict[str, Any]], vectors: Any) -> None:
        self._drawers.upsert(
            ids=[str(memory["id"]) for memory in memories],
            documents=[memory["text"] for memory in memories],
            metadatas=[
                {
                    "wing": "benchmark",
                    "room": "turns",
                    "source_file": memory["session"],
                    "chunk_index": memory["sequence"],
                    "filed_at": memory["created_at"],
                }
                for memory in memories
            ],
        )

    def finish(self) -> None: ...

    def calls(self) -> dict[str, Callable[[str, Any, int], list[int]]]:
        return {"search": self.search}

    def search(self, text: str, vector: Any, k: int) -> list[int]:
        found = search_memories(text, self._folder, n_results=k)
        if "error" in found:
            raise RuntimeError(found["error"])
        return [int(hit["drawer_id"]) for hit in found["results"]]

    def close(self) -> None: ...
