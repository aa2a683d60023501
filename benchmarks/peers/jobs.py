"""Lays memories, questions and their vectors on disk, as the workers read them. It refuses to know who will.

A folder holds `memories.jsonl` and `memories.npy`, `questions.jsonl` and `questions.npy`, and, where a system embeds more than
the texts alone, `readings.jsonl` (texts) and `readings.npy`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

import lodmem
from benchmarks.data import Floats, blocks, questions
from lodmem.evals.datasets import Case
from lodmem.evals.stores import QuestionClock
from lodmem.model.memory import Draft, to_datetime
from lodmem.ports import Embedder, EmbedderIdentity

DIMS = 384
SYNTHETIC = EmbedderIdentity(name="clusters", revision="1", dims=DIMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """One case on disk. `options` is what an adapter may need to know: the time of the questions, the embedder's identity."""

    folder: Path
    dims: int
    memories: int
    questions: int
    options: Mapping[str, Any]


def lay_synthetic(folder: Path, rows: int, asked: int, *, seed: int = 0) -> Laid:
    """`rows` invented memories and `asked` questions about them, asked a day after the last memory."""
    folder.mkdir(parents=True)
    vectors = np.lib.format.open_memmap(folder / "memories.npy", mode="w+", dtype=np.float32, shape=(rows, DIMS))
    last_us = 0
    with (folder / "memories.jsonl").open("w", encoding="utf-8") as file:
        for block in blocks(rows, seed=seed, dims=DIMS):
            vectors[block.first : block.first + len(block.texts)] = block.vectors
            for row, text in enumerate(block.texts):
                last_us = block.created_us(row)
                session, sequence = block.place(row)
                write_line(file, memory(block.first + row, text, last_us, session, sequence))
    vectors.flush()
    drawn = questions(rows, asked, seed=seed, dims=DIMS)
    lay_questions(folder, drawn.texts, drawn.vectors)
    return laid(folder, rows, len(drawn.texts), last_us, SYNTHETIC)


def lay_case(folder: Path, case: Case, embedder: Embedder) -> Laid:
    """A case of an evaluation, every text embedded, and what the product embeds besides the texts."""
    folder.mkdir(parents=True)
    with (folder / "memories.jsonl").open("w", encoding="utf-8") as file:
        for number, draft in enumerate(case.drafts):
            if draft.created_us is None or draft.source is None:
                raise ValueError(f"{case.id}: a memory without time or source")
            write_line(file, memory(number, draft.full, draft.created_us, draft.source.session, draft.source.sequence))
    np.save(folder / "memories.npy", embedder.embed([draft.full for draft in case.drafts]))
    readings = readings_of(case.drafts, embedder.identity)
    with (folder / "readings.jsonl").open("w", encoding="utf-8") as file:
        for text in readings:
            write_line(file, text)
    np.save(folder / "readings.npy", embedder.embed(readings))
    texts = [question.text for question in case.questions]
    lay_questions(folder, texts, embedder.embed(texts))
    return laid(folder, len(case.drafts), len(texts), case.now_us - DAY_US, embedder.identity)


def readings_of(drafts: Sequence[Draft], identity: EmbedderIdentity) -> list[str]:
    """Every text that the product asks an embedder for when it keeps these memories, each once, in order."""
    asked = Listening(identity)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        clock = QuestionClock(max((draft.created_us or 0 for draft in drafts), default=0))
        with lodmem.open(Path(folder) / "memory.db", embedder=asked, clock=clock, background=False) as engine:
            engine.remember_many(drafts)
            engine.drain()
    return list(asked.heard)


class Listening:
    """An embedder that notes what it is asked and answers anything."""

    def __init__(self, identity: EmbedderIdentity) -> None:
        self.identity = identity
        self.heard: dict[str, None] = {}

    def embed(self, texts: Sequence[str]) -> Floats:
        self.heard.update(dict.fromkeys(texts))
        rows = np.zeros((len(texts), self.identity.dims), np.float32)
        rows[:, 0] = 1.0
        return rows


DAY_US = 86_400_000_000


def laid(folder: Path, memories: int, asked: int, last_us: int, identity: EmbedderIdentity) -> Laid:
    """The case as described; questions are asked a day after `last_us`."""
    known = {"name": identity.name, "revision": identity.revision, "dims": identity.dims, "c0": identity.c0, "c1": identity.c1}
    options = {"now": (to_datetime(last_us) + timedelta(days=1)).isoformat(), "embedder": known}
    return Laid(folder=folder, dims=identity.dims, memories=memories, questions=asked, options=options)


def memory(number: int, text: str, created_us: int, session: str, sequence: int) -> dict[str, Any]:
    """One line of `memories.jsonl`."""
    created = to_datetime(created_us).isoformat()
    return {"id": number, "text": text, "created_at": created, "session": session, "sequence": sequence}


def lay_questions(folder: Path, texts: Iterable[str], vectors: Floats) -> None:
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            write_line(file, {"id": number, "text": text})
    np.save(folder / "questions.npy", vectors)


def write_line(file: Any, value: object) -> None:
    file.write(json.dumps(value, ensure_ascii=False) + "\n")


def exact_top(case: Laid, k: int) -> Iterator[frozenset[int]]:
    """For each question the k memories of highest cosine; ties at the end go to the lower number."""
    vectors = np.load(case.folder / "memories.npy", mmap_mode="r")
    asked = np.load(case.folder / "questions.npy")
    for near in (vectors @ asked.T).T:
        yield frozenset(np.lexsort((np.arange(len(near)), -near))[:k].tolist())
