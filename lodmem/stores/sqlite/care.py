"""Counts of a store, and whether it is sound."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import apsw

from lodmem.model.landscape import Stats
from lodmem.stores.sqlite import queue
from lodmem.stores.sqlite.models import active_model, model_number
from lodmem.stores.sqlite.neighbours import EMBED


def stats(conn: apsw.Connection, path: Path) -> Stats:
    """Counts from one snapshot; `bytes` with the write-ahead log."""
    key = active_model(conn)
    memories, tokens, first, last = conn.execute(
        "SELECT count(*), coalesce(sum(tokens_full), 0), min(created_us), max(created_us) FROM memory"
    ).get
    return Stats(
        path=str(path),
        memories=memories,
        by_status=dict(conn.execute("SELECT status, count(*) FROM memory GROUP BY 1 ORDER BY 1")),
        by_kind=dict(conn.execute("SELECT kind, count(*) FROM memory GROUP BY 1 ORDER BY 1")),
        by_space=dict(
            conn.execute("SELECT s.name, count(*) FROM memory m JOIN space s ON s.id = m.space_id GROUP BY 1 ORDER BY 1")
        ),
        by_agent=dict(
            conn.execute("SELECT a.name, count(*) FROM memory m JOIN agent a ON a.id = m.agent_id GROUP BY 1 ORDER BY 1")
        ),
        never_retrieved=memories - int(conn.execute("SELECT count(*) FROM usage WHERE retrieval_count > 0").get),
        passages=int(conn.execute("SELECT count(*) FROM passage").get),
        embedded_passages=int(conn.execute("SELECT count(*) FROM vector WHERE model_id = ?", (model_number(conn, key),)).get),
        backlog=queue.backlog(conn, EMBED),
        tokens_full=tokens,
        first_created_us=first,
        last_created_us=last,
        bytes=sum(p.stat().st_size for p in (path, path.with_name(path.name + "-wal")) if p.exists()),
        schema_version=int(conn.execute("PRAGMA user_version").get),
        embedder=key,
    )


def check(conn: apsw.Connection) -> Iterator[str]:
    """Problems that can be seen by reading. What cannot be read is one of them."""
    for look in (_check_file, _check_links, _check_texts, _check_counts, _check_vectors):
        try:
            yield from look(conn)
        except apsw.CorruptError as error:
            yield f"file: {error}"


def _check_file(conn: apsw.Connection) -> Iterator[str]:
    for (line,) in conn.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield f"file: {line}"


def _check_links(conn: apsw.Connection) -> Iterator[str]:
    for table, *_ in conn.execute("PRAGMA foreign_key_check"):
        yield f"file: a row of {table} belongs to nothing"


def _check_texts(conn: apsw.Connection) -> Iterator[str]:
    for number, full, digest in conn.execute("SELECT id, full, content_hash FROM memory ORDER BY id"):
        if hashlib.sha256(full.encode()).digest() != digest:
            yield f"memory #{number}: its text is not the one that was written"


def _check_counts(conn: apsw.Connection) -> Iterator[str]:
    for sql, problem in _COUNTS:
        for row in conn.execute(sql):
            yield problem.format(*row)


_COUNTS = (
    (
        "SELECT id FROM memory WHERE NOT EXISTS (SELECT 1 FROM passage WHERE memory_id = memory.id) ORDER BY id",
        "memory #{}: it has no passage",
    ),
    (
        "SELECT memory_id FROM passage GROUP BY memory_id HAVING count(*) <> max(n) + 1 ORDER BY memory_id",
        "memory #{}: a passage is missing",
    ),
    (
        "SELECT count(*), task, max(error) FROM work WHERE state = 'dead' GROUP BY task ORDER BY task",
        "work: {} items of {} were given up, for example: {}",
    ),
)


def _check_vectors(conn: apsw.Connection) -> Iterator[str]:
    key = active_model(conn)
    if not key:
        return
    for number, vectors, passages in conn.execute(
        "SELECT memory_id, count(*) AS have, (SELECT count(*) FROM passage p WHERE p.memory_id = v.memory_id) AS want"
        " FROM vector v WHERE model_id = ? GROUP BY memory_id HAVING have <> want ORDER BY memory_id",
        (model_number(conn, key),),
    ):
        yield f"memory #{number}: {vectors} vectors for {passages} passages"
    waiting = int(
        conn.execute(
            "SELECT count(*) FROM memory m"
            " WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.memory_id = m.id AND v.model_id = ?)"
            " AND NOT EXISTS (SELECT 1 FROM work w WHERE w.memory_id = m.id AND w.task = ?)",
            (model_number(conn, key), EMBED),
        ).get
    )
    if waiting:
        yield f"vectors: {waiting} memories have none and are not queued for them"


def check_words(conn: apsw.Connection) -> Iterator[str]:
    """Problems between the word index and the passages. Needs a writing connection, and writes nothing."""
    try:
        conn.execute("INSERT INTO word (word, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError:
        yield "words: the index does not fit the texts"
