"""The product, through its public verbs. Looking promotes nothing; the clock stands still at the time of the questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

import lodmem
from lodmem.model.memory import to_us
from lodmem.ports import EmbedderIdentity, Floats

PACKAGES = ("lodmem", "numpy")
STORE = "memory.db"


def open_store(folder: Path, given: Any) -> LodmemStore:
    return LodmemStore(folder / STORE, given)


class Lookup:
    """Stands where the product's embedder stands."""

    def __init__(self, given: Any) -> None:
        self._given = given
        self.identity = EmbedderIdentity(**given.options["embedder"])

    def embed(self, texts: Sequence[str]) -> Floats:
        return np.array(self._given.embed(texts), np.float32).reshape(len(texts), self.identity.dims)


class Clock:
    def __init__(self, at_us: int) -> None:
        self._at_us = at_us

    def now_us(self) -> int:
        return self._at_us


class LodmemStore:
    def __init__(self, path: Path, given: Any) -> None:
        now_us = to_us(datetime.fromisoformat(given.options["now"]))
        self._engine = lodmem.open(path, embedder=Lookup(given), clock=Clock(now_us), background=False)
        self._names: list[int] = []

    def add(self, memories: list[dict[str, Any]], vectors: Any) -> None:
        """Ids start at 1 in a new store and rise by one: nothing is forgotten and no two memories are the same."""
        added = self._engine.remember_many(draft(memory) for memory in memories)
        if [one.id for one in added] != [memory["id"] + 1 for memory in memories]:
            raise RuntimeError("memories of the data are not distinct")

    def finish(self) -> None:
        self._engine.work(tasks=["embed"])  # as the others: stored and found; what is judged later is background work

    def calls(self) -> dict[str, Callable[[str, Any, int], list[int]]]:
        return {"landscape": self.landscape, "rank": self.rank, "relevance": self.relevance}

    def landscape(self, text: str, vector: Any, k: int) -> list[int]:
        """k views with their texts and a rendering for a language model; nothing stays on the horizon."""
        return [view.id - 1 for view in self._engine.search(text, k=k, theta3=0.0, touch=False).views]

    def rank(self, text: str, vector: Any, k: int) -> list[int]:
        """k ids with S and LOD, by the default profile."""
        return [memory_id - 1 for memory_id, _, _ in self._engine.rank(text, k=k)]

    def relevance(self, text: str, vector: Any, k: int) -> list[int]:
        """k ids by relevance alone, age left out."""
        return [memory_id - 1 for memory_id, _, _ in self._engine.rank(text, k=k, alpha=1.0)]

    def close(self) -> None:
        self._engine.close()


def draft(memory: dict[str, Any]) -> lodmem.Draft:
    return lodmem.Draft(
        full=memory["text"],
        created_us=to_us(datetime.fromisoformat(memory["created_at"])),
        source=lodmem.Source("benchmark", memory["session"], memory["sequence"]),
    )
