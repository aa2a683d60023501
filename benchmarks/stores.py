"""Stores of invented memories of any size, made once for each size and kept in a folder.

Texts go through the product's own preparing, in several processes; vectors are those of the data, so that no model runs. A
memory's joint vector is its own one.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import lodmem
from benchmarks.data import BLOCK, START_US, STEP_US, Block, Floats, Questions, block, questions
from lodmem.engine import Engine
from lodmem.ingest.pipeline import prepare
from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Draft, Levels, Passage, Prepared, Source
from lodmem.models.tokenizer import WordPieceCounter
from lodmem.ports import EmbedderIdentity, Vectors
from lodmem.stores.sqlite.store import SqliteStore

DIMS = 384
IDENTITY = EmbedderIdentity(name="clusters", revision="1", dims=DIMS)
DAY_US = 86_400_000_000
ASKED = 60


class StillClock:
    """A clock that stands a day after the last of so many memories."""

    def __init__(self, rows: int) -> None:
        self._at_us = START_US + rows * STEP_US + DAY_US

    def now_us(self) -> int:
        return self._at_us


class Known:
    """An embedder that has the questions' vectors at hand; any other text means what the first question does."""

    identity = IDENTITY

    def __init__(self, asked: Questions) -> None:
        self._vectors = dict(zip(asked.texts, asked.vectors, strict=True))

    def embed(self, texts: Sequence[str]) -> Floats:
        other = next(iter(self._vectors.values()))
        return np.array([self._vectors.get(text, other) for text in texts], np.float32).reshape(len(texts), DIMS)


@dataclass(frozen=True, slots=True)
class Place:
    """A finished store of `rows` memories, ids 1 to rows, and the questions about it."""

    path: Path
    rows: int
    asked: Questions

    @contextmanager
    def opened(self, **settings: Any) -> Iterator[Engine]:
        """An engine on it. Nothing runs beside it."""
        with lodmem.open(
            self.path, embedder=Known(self.asked), clock=StillClock(self.rows), background=False, **settings
        ) as engine:
            yield engine


def place(work: Path, rows: int, *, asked: int = ASKED, say: Callable[[str], None] = lambda line: None) -> Place:
    """The store of `rows` memories in `work`, made if it is not there. One that was interrupted is made again."""
    folder = work / f"rows-{rows}"
    path = folder / "memory.db"
    if not path.exists():
        making = work / f"rows-{rows}.new"
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        _make(making / "memory.db", rows, say)
        shutil.rmtree(folder, ignore_errors=True)
        making.replace(folder)
    return Place(path, rows, questions(rows, asked, dims=DIMS))


def _make(path: Path, rows: int, say: Callable[[str], None]) -> None:
    clock = StillClock(rows)
    store = SqliteStore.open(path, now_us=clock.now_us())
    try:
        entry = AuditEntry(at_us=clock.now_us(), space="main", agent="benchmark", verb="reindex", detail={})
        store.activate_model(IDENTITY, audit=entry)
        for batch, vectors in _prepared(rows, clock.now_us()):
            added = store.add(batch, now_us=clock.now_us(), tasks=())
            each = [np.repeat(vector[None, :], len(made.passages), axis=0) for made, vector in zip(batch, vectors, strict=True)]
            store.put_vectors(
                IDENTITY.key, [Vectors(id=one.id, own=own, joint=own) for one, own in zip(added, each, strict=True)]
            )
            say(f"{added[-1].id:,} of {rows:,} memories kept")
    finally:
        store.close()


def _prepared(rows: int, now_us: int) -> Iterator[tuple[list[Prepared], Floats]]:
    """Blocks of memories ready to be kept, in order; never more than a few of them at once."""
    counts = [min(BLOCK, rows - first) for first in range(0, rows, BLOCK)]
    if len(counts) == 1:
        yield _whole(*_parts(0, rows, now_us))
        return
    processes = os.cpu_count() or 1
    with ProcessPoolExecutor(max_workers=processes, mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[tuple[Block, list[Part]]]] = deque()
        for number, count in enumerate(counts):
            waiting.append(pool.submit(_parts, number, count, now_us))
            if len(waiting) > 2 * processes:
                yield _whole(*waiting.popleft().result())
        while waiting:
            yield _whole(*waiting.popleft().result())


Part = tuple[str, Levels, tuple[Passage, ...]]


def _parts(number: int, rows: int, now_us: int) -> tuple[Block, list[Part]]:
    """A block and what preparing makes of each of its memories: what can be sent from one process to another."""
    counter = WordPieceCounter()
    made = block(number, rows, dims=DIMS)
    ready = [prepare(draft, counter, now_us=now_us) for draft in _drafts(made)]
    return made, [(one.content_hash, one.levels, one.passages) for one in ready]


def _whole(made: Block, parts: list[Part]) -> tuple[list[Prepared], Floats]:
    ready = [
        Prepared(draft=draft, content_hash=content_hash, levels=levels, passages=passages)
        for draft, (content_hash, levels, passages) in zip(_drafts(made), parts, strict=True)
    ]
    return ready, made.vectors


def _drafts(made: Block) -> list[Draft]:
    return [
        Draft(full=text, created_us=made.created_us(row), source=Source("benchmark", *made.place(row)))
        for row, text in enumerate(made.texts)
    ]
