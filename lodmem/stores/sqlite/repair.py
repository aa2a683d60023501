"""Making anew what the store derives by itself, each step in a transaction of its own. It never changes a text."""

from __future__ import annotations

from collections.abc import Callable

import apsw

from lodmem.errors import StoreCorrupt
from lodmem.stores.sqlite import care, queue, vectors
from lodmem.stores.sqlite.connection import Writer, last_change
from lodmem.stores.sqlite.ids import IN_IDS, as_json
from lodmem.stores.sqlite.log import What, log_changes
from lodmem.stores.sqlite.models import active_model, model_number
from lodmem.stores.sqlite.neighbours import EMBED


def repair(writer: Writer, *, now_us: int, stage: Callable[[str], None] | None) -> list[str]:
    """See Store.repair."""
    done: list[str] = []
    steps: tuple[tuple[str, Callable[[apsw.Connection], str]], ...] = (
        ("change log", _changes),
        ("vectors", lambda conn: _vectors(conn, now_us)),
        ("dead work", lambda conn: _dead(conn, now_us)),
    )
    if stage is not None:
        stage("word index")
    done.append(_words(writer))
    for name, step in steps:
        if stage is not None:
            stage(name)
        with writer.transaction() as conn:
            done.append(step(conn))
    return [what for what in done if what]


def _words(writer: Writer) -> str:
    try:
        with writer.transaction() as conn:
            sound = not list(care.check_words(conn))
    except StoreCorrupt:
        sound = False
    if sound:
        return ""
    with writer.transaction() as conn:
        conn.execute("INSERT INTO word (word) VALUES ('rebuild')")
        return f"word index: made anew from {conn.execute('SELECT count(*) FROM passage').get:,} passages"


def _changes(conn: apsw.Connection) -> str:
    if not list(care.check_changes(conn)):
        return ""
    newest = max(last_change(conn), conn.execute("SELECT max(seq) FROM change").get or 0)
    conn.execute("DELETE FROM change; DELETE FROM sqlite_sequence WHERE name = 'change'")
    # Beyond every number given: whoever remembers one reads everything again.
    conn.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('change', ?)", (newest + 1,))
    return "change log: begun anew; every process reads the store again"


def _vectors(conn: apsw.Connection, now_us: int) -> str:
    bad = sorted({memory_id for memory_id, _ in vectors.broken(conn)})
    model = model_number(conn, active_model(conn))
    conn.execute(f"DELETE FROM vector WHERE memory_id {IN_IDS} AND model_id = {model}", (as_json(bad),))
    queue.enqueue(conn, EMBED, bad, now_us=now_us)
    log_changes(conn, bad, What.WRITTEN)
    missing = vectors.unqueued(conn, EMBED)
    queue.enqueue(conn, EMBED, missing, now_us=now_us)
    parts = [f"broken ones of {len(bad):,} memories dropped"] if bad else []
    if bad or missing:
        parts.append(f"{len(set(bad).union(missing)):,} memories enqueued")
    return f"vectors: {', '.join(parts)}" if parts else ""


def _dead(conn: apsw.Connection, now_us: int) -> str:
    conn.execute(
        "UPDATE work SET state = 'waiting', attempts = 0, due_us = ?, error = '', worker = '' WHERE state = 'dead'", (now_us,)
    )
    count = conn.changes()
    return f"work: {count:,} items that were given up are tried again" if count else ""
