"""Taking in what another store gave away: memories with all their fields, then what could only follow them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import apsw
import numpy as np

from lodmem.model.audit import AuditEntry
from lodmem.model.kept import Kept, KeptVectors, Tombstone
from lodmem.model.memory import Added
from lodmem.ports import Floats, Vectors
from lodmem.stores.sqlite import distilling, models, passages, queue
from lodmem.stores.sqlite.ids import IN_IDS, as_json
from lodmem.stores.sqlite.log import What, log_audit, log_changes
from lodmem.stores.sqlite.names import Names
from lodmem.stores.sqlite.neighbours import embed_again, successors
from lodmem.stores.sqlite.writes import Key, find

_COLUMNS = (
    "id, space_id, agent_id, source_id, sequence, kind, status, priority, importance, evidence_count, episode_class,"
    " created_us, created_given, ingested_us, valid_from_us, valid_to_us, last_verified_us, expires_us, tokens_full,"
    " tokens_summary, tokens_headline, written_by, content_hash, meta, headline, summary, full"
)
_INSERT = f"INSERT INTO memory ({_COLUMNS}) VALUES ({', '.join('?' * len(_COLUMNS.split(',')))})"


def load(conn: apsw.Connection, batch: Sequence[Kept], *, now_us: int, audit: AuditEntry, tasks: Sequence[str]) -> list[Added]:
    """See Store.load."""
    names = Names(conn)
    last = int(conn.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").get or 0)
    known: dict[Key, int] = {}
    added: list[Added] = []
    new: list[tuple[int, Key, Kept]] = []
    for item in batch:
        key = _key(names, item)
        memory_id = known.get(key)
        if memory_id is None:
            memory_id = find(conn, key)
        created = memory_id is None
        if memory_id is None:
            last = memory_id = max(item.memory.id, last + 1)
            new.append((memory_id, key, item))
        known[key] = memory_id
        added.append(Added(memory_id, created))
    if new:
        _insert(conn, names, new)
        _embed(conn, [(memory_id, item) for memory_id, _, item in new], tasks, now_us=now_us)
        ids = [memory_id for memory_id, _, _ in new]
        log_audit(conn, [replace(audit, detail={**audit.detail, "ids": ids})])
        log_changes(conn, ids, What.WRITTEN)
        embed_again(conn, successors(conn, [i for i, key, _ in new if key[1] is not None]), now_us=now_us)
    return added


def _key(names: Names, item: Kept) -> Key:
    memory = item.memory
    space_id, digest = names.space(memory.space), bytes.fromhex(memory.content_hash)
    if memory.source is None:
        return space_id, None, None, digest
    return space_id, names.source(space_id, memory.source), memory.source.sequence, digest


def _insert(conn: apsw.Connection, names: Names, new: Sequence[tuple[int, Key, Kept]]) -> None:
    conn.executemany(_INSERT, (_values(names, memory_id, key, item) for memory_id, key, item in new))
    conn.executemany(
        "INSERT INTO tag (memory_id, tag) VALUES (?, ?)",
        ((memory_id, tag) for memory_id, _, item in new for tag in dict.fromkeys(item.memory.tags)),
    )
    conn.executemany(
        "INSERT INTO floor (memory_id, agent, tier) VALUES (?, ?, ?)",
        ((memory_id, agent, int(tier)) for memory_id, _, item in new for agent, tier in item.floors.items() if tier),
    )
    conn.executemany(
        "INSERT INTO usage (memory_id, last_retrieved_us, retrieval_count, last_tier) VALUES (?, ?, ?, ?)",
        (
            (memory_id, m.last_retrieved_us, m.retrieval_count, None if m.last_tier is None else int(m.last_tier))
            for memory_id, m in ((memory_id, item.memory) for memory_id, _, item in new)
            if (m.last_retrieved_us, m.retrieval_count, m.last_tier) != (None, 0, None)
        ),
    )
    passages.insert(conn, ((memory_id, item.passages) for memory_id, _, item in new))
    distilling.insert_kept(conn, [(memory_id, item) for memory_id, _, item in new])


def _values(names: Names, memory_id: int, key: Key, item: Kept) -> tuple[object, ...]:
    m = item.memory
    space_id, source_id, sequence, content_hash = key
    return (
        memory_id, space_id, names.agent(m.agent), source_id, sequence, m.kind.value, m.status.value, m.priority.value,
        float(m.importance), m.evidence_count, m.episode_class, m.created_us, int(m.created_given), m.ingested_us,
        m.valid_from_us, m.valid_to_us, m.last_verified_us, m.expires_us, m.tokens_full, m.tokens_summary, m.tokens_headline,
        m.written_by, content_hash, json.dumps(dict(m.meta), ensure_ascii=False) if m.meta else "{}",
        None if m.headline == m.full else m.headline, None if m.summary == m.full else m.summary, m.full,
    )  # fmt: skip


def _embed(conn: apsw.Connection, new: Sequence[tuple[int, Kept]], tasks: Sequence[str], *, now_us: int) -> None:
    """Store the vectors that fit; what has none waits for its own."""
    active = models.active_model(conn)
    dims = models.active_dims(conn)
    fitting: list[Vectors] = []
    for memory_id, item in new:
        vectors = item.vectors
        if vectors is not None and vectors.model == active and dims and fits(vectors, len(item.passages), dims):
            fitting.append(_rows(memory_id, vectors, len(item.passages)))
    if fitting:
        models.put_vectors(conn, active, fitting)
    done = {vectors.id for vectors in fitting}
    for task in dict.fromkeys(tasks):
        queue.enqueue(conn, task, [memory_id for memory_id, _ in new if memory_id not in done], now_us=now_us)


def fits(vectors: KeptVectors, passages: int, dims: int) -> bool:
    """Whether there is one row of the model's length for each passage, and each number is one."""
    size = passages * dims * 4
    blobs = [vectors.own] if vectors.joint is None else [vectors.own, vectors.joint]
    return passages > 0 and all(len(blob) == size and bool(np.isfinite(np.frombuffer(blob, "<f4")).all()) for blob in blobs)


def _rows(memory_id: int, vectors: KeptVectors, passages: int) -> Vectors:
    own: Floats = np.frombuffer(vectors.own, "<f4").reshape(passages, -1)
    joint: Floats = own if vectors.joint is None else np.frombuffer(vectors.joint, "<f4").reshape(passages, -1)
    return Vectors(id=memory_id, own=own, joint=joint)


def load_links(conn: apsw.Connection, links: Sequence[tuple[int, int]]) -> int:
    """Fill in successors that are missing; how many."""
    wanted: Mapping[int, int] = dict(links)
    there = {i for (i,) in conn.execute(f"SELECT id FROM memory WHERE id {IN_IDS}", (as_json({*wanted, *wanted.values()}),))}
    open_ = conn.execute(f"SELECT id FROM memory WHERE id {IN_IDS} AND superseded_by IS NULL", (as_json(wanted),))
    pairs = [(wanted[old], old) for (old,) in list(open_) if wanted[old] in there]
    conn.executemany("UPDATE memory SET superseded_by = ? WHERE id = ?", pairs)
    log_changes(conn, (old for _, old in pairs), What.WRITTEN)
    return len(pairs)


def load_tombstones(conn: apsw.Connection, tombstones: Sequence[Tombstone], *, last_id: int) -> int:
    """Keep those whose ids are not in use; how many were new."""
    before = conn.total_changes()
    conn.executemany(
        "INSERT INTO tombstone (memory_id, forgotten_us) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM memory WHERE id = ?1)"
        " ON CONFLICT DO NOTHING",
        ((stone.id, stone.forgotten_us) for stone in tombstones),
    )
    count = conn.total_changes() - before
    last = max([last_id, *(stone.id for stone in tombstones)])
    if last > int(conn.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").get or 0):
        conn.execute("DELETE FROM sqlite_sequence WHERE name = 'memory'")
        conn.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('memory', ?)", (last,))
    return count
