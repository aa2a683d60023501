"""Who stands before and after a memory in its source: by sequence, then id.

A one-passage memory is embedded together with its predecessor, so what changes before a memory makes its vectors stale.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from lodmem.stores.sqlite import queue
from lodmem.stores.sqlite.ids import IN_IDS, as_json
from lodmem.stores.sqlite.log import What, log_changes

EMBED = "embed"

# Two questions each, so that the index answers both even where thousands share one sequence number.
_SUCCESSOR = """
    SELECT coalesce(
        (SELECT s.id FROM memory s WHERE s.source_id = m.source_id AND s.sequence = m.sequence AND s.id > m.id
            ORDER BY s.id LIMIT 1),
        (SELECT s.id FROM memory s WHERE s.source_id = m.source_id AND s.sequence > m.sequence
            ORDER BY s.sequence, s.id LIMIT 1)
    ) FROM memory m WHERE m.id = ?
"""
_PREDECESSOR = """
    SELECT coalesce(
        (SELECT p.id FROM memory p WHERE p.source_id = m.source_id AND p.sequence = m.sequence AND p.id < m.id
            ORDER BY p.id DESC LIMIT 1),
        (SELECT p.id FROM memory p WHERE p.source_id = m.source_id AND p.sequence < m.sequence
            ORDER BY p.sequence DESC, p.id DESC LIMIT 1)
    ) FROM memory m WHERE m.id = ?
"""
_ACTIVE = "SELECT model.id FROM model JOIN meta ON meta.name = 'active_model' AND meta.value = model.key"
_STALE = f"""
    SELECT id FROM memory WHERE id {IN_IDS} AND (
        EXISTS (SELECT 1 FROM vector WHERE memory_id = memory.id)
        OR EXISTS (SELECT 1 FROM work WHERE task = ?2 AND memory_id = memory.id AND state = 'leased'))
"""


def predecessor(conn: apsw.Connection, memory_id: int) -> int | None:
    """Id of the memory just before in the same source; None without a source or at its beginning."""
    found: int | None = conn.execute(_PREDECESSOR, (memory_id,)).get
    return found


def successors(conn: apsw.Connection, ids: Iterable[int]) -> list[int]:
    """Ids, rising, of the memories just after `ids`, those of `ids` themselves left out."""
    given = set(ids)
    after = {conn.execute(_SUCCESSOR, (i,)).get for i in given}
    return sorted(i for i in after if i is not None and i not in given)


def embed_again(conn: apsw.Connection, ids: Iterable[int], *, now_us: int) -> None:
    """Enqueue those of `ids` that are embedded, or are just being: their predecessor is another one now.

    Vectors of models that are being prepared go, so that a reindex under way makes them anew.
    """
    stale = [i for (i,) in conn.execute(_STALE, (as_json(ids), EMBED))]
    queue.enqueue(conn, EMBED, stale, now_us=now_us)
    conn.execute(f"DELETE FROM vector WHERE memory_id {IN_IDS} AND model_id NOT IN ({_ACTIVE})", (as_json(stale),))
    if conn.changes():
        log_changes(conn, stale, What.WRITTEN)
