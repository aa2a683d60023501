"""What the contract suite needs beside the port: made-up memories, and how to open each back end."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import apsw
import numpy as np

from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Draft, Levels, Passage, Prepared, Source
from lodmem.model.plane import MapHead
from lodmem.ports import EmbedderIdentity, Floats, Row, Store, Vectors
from lodmem.ports.mapped import Places
from lodmem.stores.sqlite.store import SqliteStore

NOW = 1_700_000_000_000_000
SECOND = 1_000_000
DAY = 86_400 * SECOND
SMALL = EmbedderIdentity(name="small", revision="1", dims=4)
OTHER = EmbedderIdentity(name="other", revision="2", dims=6)


def prepared(text: str, *, parts: int = 1, terms: Iterable[str] | None = None, short: bool = False, **draft: Any) -> Prepared:
    """A memory whose index terms are its lower-case words; `parts` equal passages. Other names are fields of the draft."""
    size = max(1, -(-len(text) // parts))
    spans = [(start, min(start + size, len(text))) for start in range(0, max(1, len(text)), size)]
    passages = tuple(
        Passage(start, stop, tuple(text[start:stop].replace("\0", " ").lower().split() if terms is None else terms))
        for start, stop in spans
    )
    count = len(text.split()) + 1
    if short:
        levels = Levels(text, text, "source", count, count, count)
    else:
        levels = Levels("summary of " + text, "headline of " + text, "extractive", count, count + 2, count + 1)
    return Prepared(
        draft=Draft(full=text, **draft),
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        levels=levels,
        passages=passages,
    )


def turns(count: int, *, uri: str = "chat.jsonl", session: str = "s", first: int = 0) -> list[Prepared]:
    """Memories that stand one after the other in one source."""
    return [prepared(f"turn {n} of {uri} {session}", source=Source(uri, session, n)) for n in range(first, first + count)]


def entry(verb: str = "test", **detail: object) -> AuditEntry:
    return AuditEntry(at_us=NOW, space="main", agent="tester", verb=verb, detail=detail)


def embedding(memory_id: int, *, passages: int = 1, dims: int = SMALL.dims, seed: int = 0) -> Vectors:
    """Unit rows that depend on the id, and joint rows that are not of unit length."""
    draws = np.random.default_rng([memory_id, seed]).standard_normal((2, passages, dims)).astype(np.float32)
    own: Floats = draws[0] / np.linalg.norm(draws[0], axis=1, keepdims=True)
    return Vectors(id=memory_id, own=own, joint=(own + draws[1]) / np.float32(2))


def add(store: Store, *batch: Prepared, now_us: int = NOW, tasks: tuple[str, ...] = ()) -> list[int]:
    """Ids of a batch."""
    return [outcome.id for outcome in store.add(batch, now_us=now_us, tasks=tasks)]


def map_head(version: int, basis: str = "", **more: object) -> MapHead:
    """The head of a map in the making. Other names are fields of it."""
    given: dict[str, object] = {"method": "m", "seed": 3, "made_us": NOW, "memories": 9, "near": 0.25, "ready": False}
    return MapHead(version=version, basis=basis, **(given | more))  # type: ignore[arg-type]  # mixed


def map_places(*ids: int, landmark: bool = False, at: float = 0.0, near: float = 0.5) -> Places:
    """Places along a line; numbers depend on the order alone."""
    count = len(ids)
    spread = np.linspace(-0.9, 0.7, max(count, 1), dtype=np.float32)[:count]
    return Places(
        ids=np.array(ids, np.int64),
        x=spread + np.float32(at),
        y=spread[::-1] * np.float32(1 / 3),
        fine=np.arange(count, dtype=np.uint16),
        coarse=np.arange(count, dtype=np.uint16) // 2,
        near=np.full(count, near, np.float32),
        landmark=np.full(count, landmark),
    )


def comparable(row: Row) -> tuple[Any, ...]:
    """All of a row as something that == can compare."""
    fields = {name: getattr(row, name) for name in Row.__dataclass_fields__ if name not in ("passages", "floors")}
    passages = tuple((terms, None if vector is None else vector.tobytes()) for terms, vector in row.passages)
    return (*fields.items(), ("passages", passages), ("floors", dict(row.floors)))


class Backend(Protocol):
    """One empty place for one test. `address` names it for another process; `resources` counts what must be given back."""

    address: str

    def __init__(self, folder: Path) -> None: ...

    def open(self) -> Store: ...

    def resources(self) -> int: ...


class SqliteBackend:
    def __init__(self, folder: Path) -> None:
        self.address = f"sqlite:{folder / 'store.lod'}"

    def open(self) -> Store:
        return open_at(self.address)

    def resources(self) -> int:
        return len(apsw.connections())


BACKENDS: dict[str, type[SqliteBackend]] = {"sqlite": SqliteBackend}


def open_at(address: str) -> Store:
    """The store at an address, made where it is missing. Works in any process."""
    kind, _, where = address.partition(":")
    if kind != "sqlite":
        raise ValueError(f"unknown back end {kind!r}")
    return SqliteStore.open(where, now_us=NOW)
