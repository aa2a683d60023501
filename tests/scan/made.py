"""Rows of columns made up from numbers, with words by Zipf's law, sources, and vectors at random or in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lodmem.model.memory import Kind, Priority, Source, Status, Tier
from lodmem.ports import Floats, Row
from lodmem.scan.columns import Columns

DAY_US = 86_400_000_000
NOW_US = 1_700_000_000_000_000


def make_row(
    memory_id: int,
    *,
    passages: Sequence[tuple[Sequence[str], Floats | None]] = ((("word",), None),),
    source: Source | None = None,
    created_us: int = NOW_US,
    last_us: int | None = None,
    count: int = 0,
    status: Status = Status.ACTIVE,
    floors: dict[str, Tier] | None = None,
    tags: tuple[str, ...] = (),
    tokens: int = 40,
) -> Row:
    return Row(
        id=memory_id, space="main", agent="ada", kind=Kind.EPISODIC, status=status, created_us=created_us, created_given=True,
        ingested_us=created_us, valid_from_us=None, valid_to_us=None, expires_us=None, last_retrieved_us=last_us,
        retrieval_count=count, last_tier=None, importance=0.5, priority=Priority.MEDIUM, superseded_by=None, source=source,
        tags=tags, floors=MappingProxyType(floors or {}), short=False, tokens=(tokens, tokens, tokens),
        passages=tuple((tuple(terms), vector) for terms, vector in passages),
    )  # fmt: skip


def vectors(stream: np.random.Generator, count: int, dims: int, *, clusters: int = 0) -> Floats:
    """Unit vectors; in clusters most of them are near to one another."""
    rows = stream.standard_normal((count, dims)).astype(np.float32)
    if clusters:
        centres = 3.0 * stream.standard_normal((clusters, dims)).astype(np.float32)
        rows += centres[stream.integers(clusters, size=count)]
    unit: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def zipf_words(stream: np.random.Generator, count: int, vocabulary: int = 200) -> list[str]:
    weights = 1.0 / np.arange(1, vocabulary + 1)
    return [f"w{n}" for n in stream.choice(vocabulary, size=count, p=weights / weights.sum()).tolist()]


def random_rows(seed: int, count: int, *, dims: int = 32, clusters: int = 0, longest: int = 1) -> list[Row]:
    """Memories of one to `longest` passages; one in ten has no vector, one in five no source."""
    stream = np.random.default_rng(seed)
    pool = vectors(stream, count * longest, dims, clusters=clusters)
    rows = []
    for i in range(count):
        parts = int(stream.integers(1, longest + 1))
        bare = stream.random() < 0.1
        passages = [
            (
                zipf_words(stream, int(stream.integers(1, 12))),
                None if bare else pool[i * longest + n] * stream.uniform(0.6, 1.0),
            )
            for n in range(parts)
        ]
        rows.append(
            make_row(
                i * 2 + 1,
                passages=passages,
                source=None if stream.random() < 0.2 else Source("chat", f"s{int(stream.integers(count // 8 + 1))}", i),
                created_us=NOW_US - int(stream.integers(400 * DAY_US)),
                last_us=NOW_US - int(stream.integers(90 * DAY_US)) if stream.random() < 0.3 else None,
                count=int(stream.integers(30)),
                floors={"": Tier.SUMMARY} if stream.random() < 0.01 else {},
                tokens=int(stream.integers(5, 300)),
            )
        )
    return rows


def columns_of(rows: Sequence[Row], dims: int = 32) -> Columns:
    columns = Columns(dims)
    for _ in columns.load(rows):
        pass
    return columns


def unit(stream: np.random.Generator, dims: int) -> NDArray[np.float32]:
    return vectors(stream, 1, dims)[0]
