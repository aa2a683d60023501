"""Made-up meanings: unit vectors in islands, and stores that hold memories with such vectors."""

from __future__ import annotations

import hashlib

import numpy as np

from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Draft, Levels, Passage, Prepared
from lodmem.ports import EmbedderIdentity, Floats, Store, Vectors

NOW = 1_700_000_000_000_000
MODEL = EmbedderIdentity(name="islands", revision="1", dims=32)
TOPICS = (
    "glass kiln blown",
    "violin strings bow",
    "compost soil worms",
    "ferry harbour tide",
    "chess opening gambit",
    "sourdough rye crust",
)


class Clock:
    def now_us(self) -> int:
        return NOW


def unit(rows: np.ndarray) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32)


def islands(count: int, kinds: int, *, dims: int = 32, noise: float = 0.08, seed: int = 0) -> tuple[Floats, np.ndarray]:
    """Unit vectors around `kinds` centres, and which each belongs to."""
    chance = np.random.default_rng(seed)
    centres = unit(chance.standard_normal((kinds, dims)))
    kind = chance.integers(0, kinds, count)
    return unit(centres[kind] + noise * chance.standard_normal((count, dims))), kind


def kept(flat: Floats, vectors: Floats, k: int = 10) -> float:
    """Share of the k nearest by meaning among the k nearest in the plane."""
    near = vectors @ vectors.T
    square = ((flat[:, None] - flat[None]) ** 2).sum(axis=2)
    np.fill_diagonal(near, -9)
    np.fill_diagonal(square, np.inf)
    one, two = np.argsort(-near, axis=1)[:, :k], np.argsort(square, axis=1)[:, :k]
    return float(np.mean([len(set(a) & set(b)) / k for a, b in zip(one.tolist(), two.tolist(), strict=True)]))


def entry() -> AuditEntry:
    return AuditEntry(at_us=NOW, space="main", agent="tester", verb="test", detail={})


def remember(store: Store, texts: list[str]) -> list[int]:
    """Ids of memories of one passage each, whose terms are their words; nothing is queued."""
    batch = [
        Prepared(
            draft=Draft(full=text),
            content_hash=hashlib.sha256(f"{n} {text}".encode()).hexdigest(),
            levels=Levels(text, text, "source", 9, 9, 9),
            passages=(Passage(0, len(text), tuple(text.lower().split())),),
        )
        for n, text in enumerate(texts)
    ]
    return [added.id for added in store.add(batch, now_us=NOW, tasks=())]


def embed(store: Store, ids: list[int], rows: Floats) -> None:
    """Give memories these vectors."""
    if store.active_model() != MODEL.key:
        store.activate_model(MODEL, audit=entry())
    store.put_vectors(MODEL.key, [Vectors(id=i, own=row[None], joint=row[None]) for i, row in zip(ids, rows, strict=True)])


def about(kind: int, number: int) -> str:
    """A text about one of six topics."""
    words = TOPICS[kind % len(TOPICS)].split()
    return f"{words[number % 3]} {words[(number + 1) % 3]} note{number}"
