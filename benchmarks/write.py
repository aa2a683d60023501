"""What a write costs in a store of any size: one memory, many, the store's part alone, and counting fifty as retrieved.

The store is a copy, so that the one that other figures use stays as it is. Nothing is embedded. FTS5 now and then merges its
index segments inside a write, which is what its slowest writes spend their time on: those are counted and told apart.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import numpy as np

from benchmarks.data import BLOCK, block
from benchmarks.stores import DIMS, Place, StillClock, place
from benchmarks.watch import Watch, half
from lodmem.engine import Engine
from lodmem.ingest.pipeline import prepare
from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Draft, Prepared, Source, Tier
from lodmem.models.tokenizer import WordPieceCounter
from lodmem.stores.sqlite.store import SqliteStore

SINGLE = 400
MANY = 1_000
REPEATS = 3
USED = 50
SEED = 11


def run(
    work: Path, rows: int, *, single: int = SINGLE, many: int = MANY, say: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Medians over `single` writes of one memory each, and over several batches of `many`; milliseconds."""
    kept = place(work, rows, say=say)
    with TemporaryDirectory(dir=work, prefix="write-") as folder:
        copied = Place(Path(shutil.copy(kept.path, folder)), rows, kept.asked)
        fresh = _fresh(rows)
        found: dict[str, Any] = {"rows": rows}
        with copied.opened() as engine:
            say("one memory after another, checks and levels included")
            found |= _remember(engine, [next(fresh) for _ in range(single)])
            say("many at once")
            found |= _remember_many(engine, [[next(fresh) for _ in range(many)] for _ in range(REPEATS)])
        with SqliteStore.open(copied.path, now_us=_now(rows)) as store:
            say("one memory that is ready, the store's part alone")
            found |= _one_write(store, [_ready(next(fresh), rows) for _ in range(single)], rows)
            say(f"{USED} memories retrieved")
            found |= _record_use(store, rows, single // 4)
    return found


def _fresh(rows: int) -> Iterator[Draft]:
    """Memories that a store of the first `rows` does not hold."""
    number = -(-rows // BLOCK)
    while True:
        made = block(number, BLOCK, dims=DIMS)
        for row, text in enumerate(made.texts):
            yield Draft(full=text, created_us=made.created_us(row), source=Source("benchmark", *made.place(row)))
        number += 1


def _now(rows: int) -> int:
    return StillClock(rows).now_us()


def _ready(draft: Draft, rows: int) -> Prepared:
    return prepare(draft, WordPieceCounter(), now_us=_now(rows))


def _remember(engine: Engine, drafts: Sequence[Draft]) -> dict[str, float]:
    watch = Watch()
    for draft in drafts:
        watch.run(partial(engine.remember, draft.full, source=draft.source))
    return watch.medians("remember_") | {"remember_wall_ms_p99": _high(watch.wall)}


def _remember_many(engine: Engine, batches: Sequence[Sequence[Draft]]) -> dict[str, float]:
    """Of invented texts a fifth of the words is new, of talk about a twentieth: so the same texts once more, from elsewhere."""
    watch, known = Watch(), Watch()
    for batch in batches:
        watch.run(partial(engine.remember_many, batch))
    for batch in batches:
        elsewhere = [replace(draft, source=Source("again", *_place_of(draft))) for draft in batch]
        known.run(partial(engine.remember_many, elsewhere))
    size = len(batches[0])
    return {
        "remember_many_per_cpu_s": round(size / half(watch.cpu) * 1e3),
        "remember_many_per_s": round(size / half(watch.wall) * 1e3),
        "remember_many_known_words_per_cpu_s": round(size / half(known.cpu) * 1e3),
    }


def _place_of(draft: Draft) -> tuple[str, int]:
    return (draft.source.session, draft.source.sequence) if draft.source is not None else ("", 0)


def _one_write(store: SqliteStore, items: Sequence[Prepared], rows: int) -> dict[str, float]:
    """The write that keeps one memory durable; `merges`: how many of them merged index segments, and what the dearest took."""
    watch = Watch()
    segments = [_segments(store.path)]
    for item in items:
        watch.run(partial(store.add, [item], now_us=_now(rows)))
        segments.append(_segments(store.path))
    merged = [cpu for cpu, before, after in zip(watch.cpu, segments[:-1], segments[1:], strict=True) if after != before + 1]
    return watch.medians("one_write_") | {
        "one_write_cpu_ms_p99": _high(watch.cpu),
        "one_write_wall_ms_p99": _high(watch.wall),
        "writes": len(items),
        "merges": len(merged),
        "merge_cpu_ms_max": round(max(merged, default=0.0), 3),
        "segments": segments[-1],
    }


def _record_use(store: SqliteStore, rows: int, times: int) -> dict[str, float]:
    stream = np.random.default_rng([SEED, rows])
    watch = Watch()
    for _ in range(times):
        ids = np.sort(stream.choice(rows, size=min(USED, rows), replace=False) + 1).tolist()
        detail: dict[str, object] = {"mode": "search", "query": "what was it about?", "ids": ids, "promoted": ids}
        entry = AuditEntry(at_us=_now(rows), space="main", agent="benchmark", verb="search", detail=detail)
        shown = dict.fromkeys(ids, Tier.FULL)
        watch.run(partial(store.record_use, now_us=_now(rows), retrieved=ids, shown=shown, audit=entry))
    return watch.medians(f"record_use_{USED}_")


def _high(values: Sequence[float]) -> float:
    """The 99th percentile."""
    return round(float(np.percentile(values, 99)), 3)


def _segments(path: Path) -> int:
    """Number of segments of the full-text index, from its structure record. Source: fts5_index.c, "Structure Record"."""
    conn = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        record: bytes = conn.execute("SELECT block FROM word_data WHERE id = 10").get
    finally:
        conn.close()
    start = 8 if record[4:8] == b"\xff\x00\x00\x01" else 4  # a cookie, and the mark of the newer format
    _levels, start = _varint(record, start)
    segments, _ = _varint(record, start)
    return segments


def _varint(record: bytes, start: int) -> tuple[int, int]:
    """A SQLite varint of at most eight bytes, and where the next one begins."""
    value = 0
    for at in range(start, start + 8):
        value = value << 7 | record[at] & 0x7F
        if record[at] < 0x80:
            return value, at + 1
    raise ValueError("the structure record is not what was expected")
