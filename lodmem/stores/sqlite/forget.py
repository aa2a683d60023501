"""The one real deletion: every trace of a memory's text leaves the file's pages.

Emptying the write-ahead log is done by the caller, outside the transaction.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from lodmem.stores.sqlite import copies, disputes, passages, plane
from lodmem.stores.sqlite.ids import IN_IDS, as_json, existing, forgotten_us, unknown
from lodmem.stores.sqlite.log import What, forget_questions, log_changes
from lodmem.stores.sqlite.neighbours import embed_again, successors


def forget(conn: apsw.Connection, ids: Sequence[int], *, now_us: int) -> int:
    """Delete memories and all that hangs on them; returns how many were there. Raises UnknownMemory if one never was."""
    there = existing(conn, ids)
    gone = as_json(there)
    for memory_id in sorted(set(ids).difference(there)):
        if forgotten_us(conn, memory_id) is None:
            raise unknown(conn, memory_id)
    if not there:
        return 0
    after = successors(conn, there)
    pointing = list(conn.execute(f"SELECT id FROM memory WHERE superseded_by {IN_IDS} AND id NOT {IN_IDS}", (gone,)))
    sources = list(conn.execute(f"SELECT DISTINCT source_id FROM memory WHERE id {IN_IDS} AND source_id IS NOT NULL", (gone,)))
    passages.remove(conn, there)
    plane.forget(conn, there)
    copies.forget(conn, there)
    opposed = disputes.partners(conn, there)
    # Foreign keys cascade to vectors, tags, floors, statistics and queue items.
    conn.execute(f"DELETE FROM memory WHERE id {IN_IDS}", (gone,))
    conn.executemany("DELETE FROM source WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM memory WHERE source_id = ?1)", sources)
    disputes.settle(conn, opposed)
    conn.executemany("INSERT INTO tombstone (memory_id, forgotten_us) VALUES (?, ?)", ((i, now_us) for i in there))
    forget_questions(conn, there)
    embed_again(conn, after, now_us=now_us)
    conn.execute(f"DELETE FROM vector WHERE memory_id {IN_IDS}", (as_json(after),))
    log_changes(conn, {*after, *(i for (i,) in pointing)}, What.WRITTEN)
    log_changes(conn, there, What.GONE)
    return len(there)
