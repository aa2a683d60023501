"""Conflicts in the file, and the statuses that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import apsw

from lodmem.errors import BadParameter, UnknownConflict
from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Conflict, ConflictState, Found, Reason
from lodmem.stores.sqlite.ids import IN_IDS, as_json, existing
from lodmem.stores.sqlite.log import What, log_audit, log_changes

SUPERSEDE = "supersede"
_COLUMNS = "id, older_id, newer_id, reason, detail, state, standing, found_us, decided_us, decided_by, note"
_KNOWN = (
    "SELECT EXISTS (SELECT 1 FROM conflict"
    " WHERE min(older_id, newer_id) = min(?1, ?2) AND max(older_id, newer_id) = max(?1, ?2))"
)
_INSERT = (
    "INSERT INTO conflict (older_id, newer_id, reason, detail, state, standing, found_us, decided_us, decided_by, note)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_TOUCHING = f"older_id {IN_IDS} OR newer_id {IN_IDS}"


def add(conn: apsw.Connection, found: Sequence[Found], *, now_us: int, audit: AuditEntry) -> list[Conflict]:
    """Insert what is new."""
    there = set(existing(conn, [i for one in found for i in (one.older, one.newer)]))
    numbers: list[int] = []
    for one in found:
        if one.older == one.newer or not {one.older, one.newer} <= there or conn.execute(_KNOWN, (one.older, one.newer)).get:
            continue
        if _is_over(conn, one):
            continue
        state = ConflictState.OPEN if one.standing is None else ConflictState.SUPERSEDED
        decided = None if one.standing is None else now_us
        by = "" if one.standing is None else one.by
        values = (one.older, one.newer, one.reason.value, one.detail, state.value, one.standing, now_us, decided, by, "")
        conn.execute(_INSERT, values)
        numbers.append(conn.last_insert_rowid())
        if one.standing is not None:
            _hide(conn, numbers[-1], one.older if one.standing == one.newer else one.newer, one.standing, audit)
    if not numbers:
        return []
    kept = select(conn, ids=numbers)
    sides = [i for one in kept for i in (one.older, one.newer)]
    log_audit(conn, [replace(audit, detail={**audit.detail, "ids": sides, "conflicts": numbers})])
    settle(conn, sides)
    return kept


def _is_over(conn: apsw.Connection, one: Found) -> bool:
    return bool(
        conn.execute(
            "SELECT EXISTS (SELECT 1 FROM memory WHERE id IN (?, ?) AND status = 'superseded')", (one.older, one.newer)
        ).get
    )


def decide(
    conn: apsw.Connection, number: int, state: ConflictState, *, standing: int | None, note: str, now_us: int, audit: AuditEntry
) -> Conflict:
    """Set the state and what follows from it."""
    known = select(conn, ids=[number])
    if not known:
        raise UnknownConflict(f"there is no conflict {number}", hint="lodmem conflicts lists them")
    (one,) = known
    if (standing is not None) != (state is ConflictState.SUPERSEDED) or standing not in (None, one.older, one.newer):
        raise BadParameter(f"conflict {number} is between #{one.older} and #{one.newer}", hint="name the side that stands")
    if one.hidden is not None:
        _show(conn, number, one.hidden, one.standing)
    decided = None if state is ConflictState.OPEN else now_us
    by = "" if state is ConflictState.OPEN else audit.agent
    conn.execute(
        "UPDATE conflict SET state = ?2, standing = ?3, decided_us = ?4, decided_by = ?5, note = ?6 WHERE id = ?1",
        (number, state.value, standing, decided, by, note),
    )
    if standing is not None:
        _hide(conn, number, one.older if standing == one.newer else one.newer, standing, audit)
    log_audit(conn, [replace(audit, detail={**audit.detail, "ids": [one.older, one.newer], "conflicts": [number]})])
    settle(conn, [one.older, one.newer])
    log_changes(conn, [one.older, one.newer], What.WRITTEN)
    return select(conn, ids=[number])[0]


def _hide(conn: apsw.Connection, number: int, hidden: int, standing: int, audit: AuditEntry) -> None:
    conn.execute(
        "UPDATE conflict SET ended_us = (SELECT valid_to_us FROM memory WHERE id = ?2) WHERE id = ?1", (number, hidden)
    )
    conn.execute(
        "UPDATE memory SET status = 'superseded', superseded_by = ?2, valid_to_us ="
        " (SELECT coalesce(valid_from_us, created_us) FROM memory WHERE id = ?2) WHERE id = ?1",
        (hidden, standing),
    )
    log_changes(conn, [hidden], What.WRITTEN)
    log_audit(conn, [replace(audit, verb=SUPERSEDE, detail={"ids": [hidden, standing]})])


def _show(conn: apsw.Connection, number: int, hidden: int, standing: int | None) -> None:
    """Take a supersession back, where it is still that one."""
    conn.execute(
        "UPDATE memory SET status = 'active', superseded_by = NULL, valid_to_us = (SELECT ended_us FROM conflict WHERE id = ?3)"
        " WHERE id = ?1 AND superseded_by = ?2 AND status = 'superseded'",
        (hidden, standing, number),
    )


def settle(conn: apsw.Connection, ids: Iterable[int]) -> None:
    """Make the status `conflict` of memories say whether they have an open one."""
    wanted = as_json(ids)
    rows = list(
        conn.execute(
            "SELECT id, status = 'conflict', EXISTS (SELECT 1 FROM conflict WHERE older_id = memory.id AND state = 'open')"
            " OR EXISTS (SELECT 1 FROM conflict WHERE newer_id = memory.id AND state = 'open')"
            f" FROM memory WHERE id {IN_IDS} AND status IN ('active', 'conflict')",
            (wanted,),
        )
    )
    moved = [(int(is_open), memory_id) for memory_id, marked, is_open in rows if bool(marked) != bool(is_open)]
    conn.executemany("UPDATE memory SET status = CASE ?1 WHEN 1 THEN 'conflict' ELSE 'active' END WHERE id = ?2", moved)
    log_changes(conn, (memory_id for _, memory_id in moved), What.WRITTEN)


def partners(conn: apsw.Connection, ids: Sequence[int]) -> list[int]:
    """The other sides of the conflicts of some memories, rising."""
    gone = set(ids)
    rows = conn.execute(f"SELECT older_id, newer_id FROM conflict WHERE {_TOUCHING}", (as_json(ids),))
    return sorted({i for pair in rows for i in pair} - gone)


def select(
    conn: apsw.Connection,
    *,
    state: ConflictState | None = None,
    memory_ids: Sequence[int] | None = None,
    ids: Sequence[int] | None = None,
    after: int = 0,
    limit: int = 1000,
) -> list[Conflict]:
    """Conflicts by rising id."""
    where: list[str] = ["id > ?"]
    bound: list[int | str] = [after]
    among = "IN (SELECT value FROM json_each(?))"
    if state is not None:
        where.append("state = ?")
        bound.append(state.value)
    if memory_ids is not None:
        where.append(f"(older_id {among} OR newer_id {among})")
        bound += [as_json(memory_ids)] * 2
    if ids is not None:
        where.append(f"id {among}")
        bound.append(as_json(ids))
    rows = conn.execute(f"SELECT {_COLUMNS} FROM conflict WHERE {' AND '.join(where)} ORDER BY id LIMIT ?", (*bound, limit))
    return [_conflict(row) for row in rows]


def open_pairs(conn: apsw.Connection, memory_ids: Sequence[int]) -> list[tuple[int, int]]:
    """(older, newer) of open conflicts."""
    rows = conn.execute(
        f"SELECT older_id, newer_id FROM conflict WHERE state = 'open' AND ({_TOUCHING}) ORDER BY id", (as_json(memory_ids),)
    )
    return [(older, newer) for older, newer in rows]


def load(conn: apsw.Connection, conflicts: Sequence[Conflict]) -> int:
    """Insert conflicts of another store."""
    there = set(existing(conn, [i for one in conflicts for i in (one.older, one.newer)]))
    count = 0
    for one in conflicts:
        pair = (one.older, one.newer)
        if one.older == one.newer or not set(pair) <= there or conn.execute(_KNOWN, pair).get:
            continue
        conn.execute(
            _INSERT,
            (
                *pair,
                one.reason.value,
                one.detail,
                one.state.value,
                one.standing,
                one.found_us,
                one.decided_us,
                one.decided_by,
                one.note,
            ),
        )
        settle(conn, pair)
        count += 1
    return count


def _conflict(row: tuple[Any, ...]) -> Conflict:
    number, older, newer, reason, detail, state, standing, found_us, decided_us, decided_by, note = row
    return Conflict(
        id=number,
        older=older,
        newer=newer,
        reason=Reason(reason),
        detail=detail,
        state=ConflictState(state),
        standing=standing,
        found_us=found_us,
        decided_us=decided_us,
        decided_by=decided_by,
        note=note,
    )
