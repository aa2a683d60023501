"""Counts of a store, and whether it is sound."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import apsw

from lodmem.model.landscape import Stats
from lodmem.model.memory import Kind, Priority, Status
from lodmem.stores.sqlite import queue, vectors
from lodmem.stores.sqlite.connection import last_change
from lodmem.stores.sqlite.errors import NONSENSE
from lodmem.stores.sqlite.models import active_model, model_number
from lodmem.stores.sqlite.neighbours import EMBED

FEW = 16  # values of a column up to which counting each is cheaper than sorting for all


def stats(conn: apsw.Connection, path: Path) -> Stats:
    """Counts from one snapshot; `bytes` with the write-ahead log."""
    key = active_model(conn)
    (memories, tokens, first, last), counts = _counted(conn)
    return Stats(
        path=str(path),
        memories=memories,
        by_status=counts["status"],
        by_kind=counts["kind"],
        by_space=counts["space_id"],
        by_agent=counts["agent_id"],
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


def _counted(conn: apsw.Connection) -> tuple[tuple[int, int, int | None, int | None], dict[str, dict[str, int]]]:
    """(memories, tokens, first and last created), and how many memories have each value of a column, by its name.

    One pass counts what is few beside the totals, which is several times cheaper than the sort of a GROUP BY; that one is for
    columns with many values, and for values that nobody knows.
    """
    names: dict[str, dict[str | int, str]] = {
        "status": {status.value: status.value for status in Status},
        "kind": {kind.value: kind.value for kind in Kind},
        "space_id": dict(conn.execute("SELECT id, name FROM space")),
        "agent_id": dict(conn.execute("SELECT id, name FROM agent")),
    }
    few = [(column, value) for column, known in names.items() if len(known) <= FEW for value in known]
    beside = "".join(f", count(*) FILTER (WHERE {column} = ?)" for column, _ in few)
    row = conn.execute(
        f"SELECT count(*), coalesce(sum(tokens_full), 0), min(created_us), max(created_us){beside} FROM memory",
        [value for _, value in few],
    ).get
    found: dict[str, dict[str | int, int]] = {column: {} for column in names}
    for (column, value), count in zip(few, row[4:], strict=True):
        found[column][value] = count
    for column, counts in found.items():
        if sum(counts.values()) != row[0]:
            found[column] = dict(conn.execute(f"SELECT {column}, count(*) FROM memory GROUP BY 1"))
    return row[:4], {
        column: dict(sorted((names[column].get(value, str(value)), count) for value, count in counts.items() if count))
        for column, counts in found.items()
    }


def check(conn: apsw.Connection) -> Iterator[str]:
    """Problems that can be seen by reading. What cannot be read is one of them."""
    for look in (_check_file, _check_links, _check_texts, _check_counts, _check_vectors, check_changes):
        try:
            yield from look(conn)
        except apsw.CorruptError as error:
            yield f"file: {error}"
        except NONSENSE as error:
            yield f"file: something in it makes no sense ({type(error).__name__}: {error})"


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


def _among(column: str, names: Iterable[str]) -> tuple[str, str]:
    allowed = ", ".join(f"'{name}'" for name in names)
    return (
        f"SELECT id, {column} FROM memory WHERE {column} NOT IN ({allowed}) ORDER BY id",
        f"memory #{{}}: its {column} is {{!r}}",
    )


_COUNTS = (
    _among("kind", Kind),
    _among("status", Status),
    _among("priority", Priority),
    (
        "SELECT id FROM memory WHERE id > (SELECT seq FROM sqlite_sequence WHERE name = 'memory') ORDER BY id",
        "memory #{}: its id would be given again",
    ),
    (
        "SELECT memory_id FROM tombstone WHERE EXISTS (SELECT 1 FROM memory WHERE id = memory_id) ORDER BY memory_id",
        "memory #{}: it is said to be forgotten",
    ),
    (
        "SELECT memory_id FROM usage WHERE retrieval_count < 0 OR (retrieval_count > 0) <> (last_retrieved_us IS NOT NULL)"
        " OR last_tier NOT BETWEEN 0 AND 3 ORDER BY memory_id",
        "memory #{}: its statistics of use do not fit together",
    ),
    ("SELECT memory_id, tier FROM floor WHERE tier NOT BETWEEN 1 AND 3 ORDER BY memory_id", "memory #{}: its floor is {}"),
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
    for number, problem in vectors.broken(conn):
        yield f"memory #{number}: {problem}"
    waiting = len(vectors.unqueued(conn, EMBED))
    if waiting:
        yield f"vectors: {waiting} memories have none and are not queued for them"


def check_changes(conn: apsw.Connection) -> Iterator[str]:
    """Problems of the change log, which the in-process columns follow."""
    last = last_change(conn)
    newest: int | None = conn.execute("SELECT max(seq) FROM change").get
    if newest is not None and newest > last:
        yield f"change log: it holds number {newest}, the newest should be {last}"
    for sql, problem in _CHANGES:
        for row in conn.execute(sql):
            yield problem.format(*row)


_CHANGES = (
    (
        "SELECT count(*) AS n, min(seq) FROM change WHERE what NOT IN (0, 1, 2) HAVING n",
        "change log: {} entries say what cannot be, the first is number {}",
    ),
    (
        "SELECT DISTINCT memory_id FROM change WHERE what = 2 AND EXISTS (SELECT 1 FROM memory WHERE id = memory_id)"
        " ORDER BY 1",
        "change log: memory #{} is said to be gone",
    ),
)


def check_words(conn: apsw.Connection) -> Iterator[str]:
    """Problems between the word index and the passages. Needs a writing connection, and writes nothing."""
    try:
        conn.execute("INSERT INTO word (word, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError:
        yield "words: the index does not fit the texts"
