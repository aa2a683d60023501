"""The work queue: leased, durable, one item for each (task, memory).

An item's public number holds which lease it is, so that a worker that comes back after its lease has ended, and somebody else
has the item, can neither complete nor release it.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from lodmem.ports import DeadItem, TaskState, WorkItem
from lodmem.stores.sqlite.ids import IN_IDS, as_json

_GENERATIONS = 1 << 16

_ENQUEUE = """
    INSERT INTO work (task, memory_id, due_us) SELECT ?1, id, ?3 FROM memory WHERE id = ?2
    ON CONFLICT (task, memory_id) DO UPDATE SET
        again_us = CASE state WHEN 'leased' THEN excluded.due_us END,
        due_us = CASE state WHEN 'dead' THEN excluded.due_us ELSE due_us END,
        attempts = CASE state WHEN 'dead' THEN 0 ELSE attempts END,
        state = CASE state WHEN 'dead' THEN 'waiting' ELSE state END
    WHERE state <> 'waiting'
"""
_DUE = "FROM work WHERE task = ?1 AND state <> 'dead' AND due_us <= ?2"
_LEASED = f"id = ?1 AND generation % {_GENERATIONS} = ?2 AND state = 'leased'"


def enqueue(conn: apsw.Connection, task: str, ids: Sequence[int], *, now_us: int) -> None:
    """Add work for those of `ids` that exist. A waiting item stays, a leased one runs once more, a dead one revives."""
    conn.executemany(_ENQUEUE, ((task, i, now_us) for i in ids))


def any_due(conn: apsw.Connection, task: str, *, now_us: int) -> bool:
    """Whether `claim` would find something."""
    return bool(conn.execute(f"SELECT EXISTS (SELECT 1 {_DUE})", (task, now_us)).get)


def claim(conn: apsw.Connection, task: str, *, worker: str, now_us: int, lease_us: int, limit: int) -> list[WorkItem]:
    """Lease due items, the longest due first."""
    due = conn.execute(f"SELECT id, memory_id, generation, attempts {_DUE} ORDER BY due_us, id LIMIT ?3", (task, now_us, limit))
    rows = list(due)
    conn.executemany(
        "UPDATE work SET state = 'leased', due_us = ?2, worker = ?3, generation = generation + 1, attempts = attempts + 1,"
        " again_us = NULL WHERE id = ?1",
        ((row[0], now_us + lease_us, worker) for row in rows),
    )
    return [
        WorkItem(
            id=number * _GENERATIONS + (generation + 1) % _GENERATIONS, task=task, memory_id=memory_id, attempts=attempts + 1
        )
        for number, memory_id, generation, attempts in rows
    ]


def renew(conn: apsw.Connection, items: Sequence[int], *, until_us: int) -> None:
    """Let leases end later."""
    conn.executemany(
        f"UPDATE work SET due_us = max(due_us, ?3) WHERE {_LEASED}", ((*divmod(item, _GENERATIONS), until_us) for item in items)
    )


def release(conn: apsw.Connection, items: Sequence[int], *, error: str, retry_us: int | None, counted: bool) -> None:
    """Give leased items back, or give them up; one that was enqueued again meanwhile is never given up."""
    conn.executemany(
        "UPDATE work SET error = ?3, worker = '', again_us = NULL, attempts = max(0, attempts - ?5),"
        " state = CASE WHEN ?4 IS NULL AND again_us IS NULL THEN 'dead' ELSE 'waiting' END,"
        f" due_us = coalesce(?4, again_us, due_us) WHERE {_LEASED}",
        ((*divmod(item, _GENERATIONS), error, retry_us, int(not counted)) for item in items),
    )


def complete(conn: apsw.Connection, items: Sequence[int], *, then: str = "", now_us: int = 0) -> None:
    """Remove leased items, but for those enqueued again meanwhile: these wait. `then`: what the others' memories wait for."""
    leases = [divmod(item, _GENERATIONS) for item in items]
    if then:
        handed = conn.executemany(f"SELECT memory_id FROM work WHERE {_LEASED} AND again_us IS NULL", leases)
        enqueue(conn, then, [memory_id for (memory_id,) in list(handed) if memory_id is not None], now_us=now_us)
    conn.executemany(f"DELETE FROM work WHERE {_LEASED} AND again_us IS NULL", leases)
    conn.executemany(
        f"UPDATE work SET state = 'waiting', due_us = again_us, again_us = NULL, attempts = 0, worker = '' WHERE {_LEASED}",
        leases,
    )


def backlog(conn: apsw.Connection, task: str | None) -> int:
    """Items that are waiting or leased."""
    return int(conn.execute("SELECT count(*) FROM work WHERE state <> 'dead' AND (?1 IS NULL OR task = ?1)", (task,)).get)


_STATE = """
    SELECT task, sum(state = 'waiting' AND due_us > ?1), sum(state <> 'dead' AND due_us <= ?1),
        sum(state = 'leased' AND due_us > ?1), sum(state = 'dead'),
        min(CASE WHEN state <> 'dead' AND due_us <= ?1 THEN due_us END),
        min(CASE WHEN state = 'waiting' AND due_us > ?1 THEN due_us END)
    FROM work GROUP BY task ORDER BY task
"""
_ERRORS = "SELECT task, error, count(*) FROM work WHERE error <> '' GROUP BY task, error ORDER BY count(*) DESC, error"


def states(conn: apsw.Connection, *, now_us: int) -> list[TaskState]:
    """How each task's items stand."""
    errors: dict[str, dict[str, int]] = {}
    for task, error, count in conn.execute(_ERRORS):
        errors.setdefault(task, {})[error] = count
    return [
        TaskState(
            task=task,
            waiting=waiting,
            due=due,
            leased=leased,
            dead=dead,
            oldest_us=oldest,
            next_us=coming,
            errors=errors.get(task, {}),
        )
        for task, waiting, due, leased, dead, oldest, coming in conn.execute(_STATE, (now_us,))
    ]


def given_up(conn: apsw.Connection, *, task: str, after: int, limit: int) -> list[DeadItem]:
    """Dead items by number."""
    rows = conn.execute(
        "SELECT id, task, memory_id, attempts, error FROM work WHERE state = 'dead' AND id > ?1 AND (?2 = '' OR task = ?2)"
        " ORDER BY id LIMIT ?3",
        (after, task, limit),
    )
    return [
        DeadItem(id=number, task=name, memory_id=memory_id, attempts=attempts, error=error)
        for number, name, memory_id, attempts, error in rows
    ]


def revive(conn: apsw.Connection, ids: Sequence[int] | None, *, task: str, now_us: int) -> int:
    """Make dead items due."""
    chosen = "" if ids is None else f" AND id {IN_IDS}"
    conn.execute(
        "UPDATE work SET state = 'waiting', attempts = 0, due_us = ?3, error = '', worker = ''"
        f" WHERE state = 'dead' AND (?2 = '' OR task = ?2) AND ?1 IS NOT NULL{chosen}",
        (as_json(ids or ()), task, now_us),
    )
    return int(conn.changes())
