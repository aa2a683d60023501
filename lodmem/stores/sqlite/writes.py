"""Adding memories, and the changes that a memory takes after it: use, floors, status, levels. Texts never change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import apsw

from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Added, Identity, Levels, Prepared, Status, Tier
from lodmem.stores.sqlite import passages
from lodmem.stores.sqlite.ids import IN_IDS, as_json, require
from lodmem.stores.sqlite.log import What, log_audit, log_changes
from lodmem.stores.sqlite.names import Names
from lodmem.stores.sqlite.neighbours import embed_again, successors

_COLUMNS = (
    "id, space_id, agent_id, source_id, sequence, kind, status, priority, importance, evidence_count, episode_class,"
    " created_us, created_given, ingested_us, valid_from_us, valid_to_us, expires_us, tokens_full, tokens_summary,"
    " tokens_headline, written_by, content_hash, meta, headline, summary, full"
)
_INSERT = f"INSERT INTO memory ({_COLUMNS}) VALUES ({', '.join('?' * len(_COLUMNS.split(',')))})"
_SOURCED = "SELECT id FROM memory WHERE source_id = ?2 AND sequence = ?3 AND content_hash = ?4 AND space_id = ?1"
_UNSOURCED = (
    "SELECT id FROM memory WHERE source_id IS NULL AND space_id = ?1 AND content_hash = ?4 AND ?2 IS NULL AND ?3 IS NULL"
)
_PLACE = """
    SELECT space.id, source.id FROM space
    LEFT JOIN source ON source.space_id = space.id AND source.uri = ?2 AND source.session = ?3 WHERE space.name = ?1
"""

# What makes a memory the same as another: space, source, sequence in it, hash of the text.
Key = tuple[int, int | None, int | None, bytes]


def add(conn: apsw.Connection, batch: Sequence[Prepared], *, now_us: int, tasks: Sequence[str]) -> list[Added]:
    """Insert what is not there yet; one outcome each, in order."""
    names = Names(conn)
    next_id = 1 + (conn.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").get or 0)
    known: dict[Key, int] = {}
    added: list[Added] = []
    new: list[tuple[int, Key, Prepared]] = []
    for item in batch:
        key = _key(names, item.identity)
        memory_id = known.get(key)
        if memory_id is None:
            memory_id = find(conn, key)
        created = memory_id is None
        if memory_id is None:
            memory_id = next_id
            next_id += 1
            new.append((memory_id, key, item))
        known[key] = memory_id
        added.append(Added(memory_id, created))
    if new:
        _insert(conn, names, new, now_us=now_us, tasks=tasks)
    return added


def known(conn: apsw.Connection, identities: Sequence[Identity]) -> list[int | None]:
    """Ids of the memories that are the same as these, None for those which are not there."""
    places: dict[tuple[str, str | None, str | None], tuple[int, int | None] | None] = {}
    found: list[int | None] = []
    for space, source, content_hash in identities:
        name = (space, None, None) if source is None else (space, source.uri, source.session)
        if name not in places:
            places[name] = conn.execute(_PLACE, name).get
        place = places[name]
        if place is None or (source is not None and place[1] is None):
            found.append(None)
        else:
            found.append(find(conn, (*place, None if source is None else source.sequence, bytes.fromhex(content_hash))))
    return found


def find(conn: apsw.Connection, key: Key) -> int | None:
    """Id of the memory that is the same, None where there is none."""
    found: int | None = conn.execute(_UNSOURCED if key[1] is None else _SOURCED, key).get
    return found


def _key(names: Names, one: Identity) -> Key:
    space_id = names.space(one.space)
    if one.source is None:
        return space_id, None, None, bytes.fromhex(one.content_hash)
    return space_id, names.source(space_id, one.source), one.source.sequence, bytes.fromhex(one.content_hash)


def _insert(
    conn: apsw.Connection, names: Names, new: Sequence[tuple[int, Key, Prepared]], *, now_us: int, tasks: Sequence[str]
) -> None:
    conn.executemany(_INSERT, (_values(names, memory_id, key, item, now_us) for memory_id, key, item in new))
    conn.executemany(
        "INSERT INTO tag (memory_id, tag) VALUES (?, ?)",
        ((memory_id, tag) for memory_id, _, item in new for tag in dict.fromkeys(item.draft.tags)),
    )
    passages.insert(conn, ((memory_id, item.passages) for memory_id, _, item in new))
    conn.executemany(
        "INSERT INTO work (task, memory_id, due_us) VALUES (?, ?, ?)",
        ((task, memory_id, now_us) for memory_id, _, item in new for task in dict.fromkeys((*tasks, *item.tasks))),
    )
    log_audit(
        conn,
        (
            AuditEntry(at_us=now_us, space=i.draft.space, agent=i.draft.agent, verb="remember", detail=_noted(memory_id, i))
            for memory_id, _, i in new
        ),
    )
    log_changes(conn, (memory_id for memory_id, _, _ in new), What.WRITTEN)
    moved = successors(conn, [memory_id for memory_id, key, _ in new if key[1] is not None])
    if moved:
        embed_again(conn, moved, now_us=now_us)


def _noted(memory_id: int, item: Prepared) -> dict[str, object]:
    """What the audit log says of a write: how many secrets were masked and of what kinds, never a text."""
    if not item.masked:
        return {"id": memory_id}
    return {"id": memory_id, "masked": len(item.masked), "kinds": sorted(set(item.masked))}


def _values(names: Names, memory_id: int, key: Key, item: Prepared, now_us: int) -> tuple[object, ...]:
    draft, levels = item.draft, item.levels
    space_id, source_id, sequence, content_hash = key
    return (
        memory_id,
        space_id,
        names.agent(draft.agent),
        source_id,
        sequence,
        draft.kind.value,
        Status.ACTIVE.value,
        draft.priority.value,
        float(draft.importance),
        1,
        item.episode_class,
        now_us if draft.created_us is None else draft.created_us,
        int(draft.created_us is not None),
        now_us,
        draft.valid_from_us,
        draft.valid_to_us,
        draft.expires_us,
        levels.tokens_full,
        levels.tokens_summary,
        levels.tokens_headline,
        levels.written_by,
        content_hash,
        json.dumps(dict(draft.meta), ensure_ascii=False) if draft.meta else "{}",
        None if levels.headline == draft.full else levels.headline,
        None if levels.summary == draft.full else levels.summary,
        draft.full,
    )


_USE = """
    INSERT INTO usage (memory_id, last_retrieved_us, retrieval_count, last_tier) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (memory_id) DO UPDATE SET
        last_retrieved_us = max(coalesce(last_retrieved_us, ?2), coalesce(?2, last_retrieved_us)),
        retrieval_count = retrieval_count + ?3,
        last_tier = coalesce(?4, last_tier)
"""


def record_use(conn: apsw.Connection, *, now_us: int, retrieved: Sequence[int], shown: Mapping[int, Tier]) -> None:
    """Add to the statistics; rows that would not change are not written."""
    counted = set(retrieved)
    rows: list[tuple[int, int | None, int, int | None]] = []
    for memory_id, last_tier in conn.execute(
        f"SELECT m.id, u.last_tier FROM memory m LEFT JOIN usage u ON u.memory_id = m.id WHERE m.id {IN_IDS} ORDER BY m.id",
        (as_json(counted.union(shown)),),
    ):
        tier = shown.get(memory_id)
        if memory_id in counted:
            rows.append((memory_id, now_us, 1, None if tier is None else int(tier)))
        elif tier is not None and int(tier) != last_tier:
            rows.append((memory_id, None, 0, int(tier)))
    conn.executemany(_USE, rows)
    log_changes(conn, (row[0] for row in rows), What.TOUCHED)


def set_floor(conn: apsw.Connection, ids: Sequence[int], tier: Tier, *, for_agent: str) -> None:
    """Set or, with HORIZON, remove a floor."""
    require(conn, ids)
    if tier is Tier.HORIZON:
        conn.executemany("DELETE FROM floor WHERE memory_id = ? AND agent = ?", ((i, for_agent) for i in ids))
    else:
        conn.executemany(
            "INSERT INTO floor (memory_id, agent, tier) VALUES (?1, ?2, ?3)"
            " ON CONFLICT (memory_id, agent) DO UPDATE SET tier = ?3",
            ((i, for_agent, int(tier)) for i in ids),
        )
    log_changes(conn, dict.fromkeys(ids), What.WRITTEN)


def set_status(
    conn: apsw.Connection, memory_id: int, status: Status, *, superseded_by: int | None, valid_to_us: int | None
) -> None:
    """Set all three as given."""
    require(conn, [memory_id] if superseded_by is None else [memory_id, superseded_by])
    conn.execute(
        "UPDATE memory SET status = ?, superseded_by = ?, valid_to_us = ? WHERE id = ?",
        (status.value, superseded_by, valid_to_us, memory_id),
    )
    log_changes(conn, [memory_id], What.WRITTEN)


def set_episode_class(conn: apsw.Connection, memory_id: int, episode_class: str) -> None:
    """Set the class; columns and postings do not hold it."""
    require(conn, [memory_id])
    conn.execute("UPDATE memory SET episode_class = ? WHERE id = ?", (episode_class, memory_id))


def set_importance(conn: apsw.Connection, memory_id: int, importance: float, *, instead_of: float) -> bool:
    """Set the importance where it is still the other one."""
    require(conn, [memory_id])
    conn.execute("UPDATE memory SET importance = ? WHERE id = ? AND importance = ?", (importance, memory_id, instead_of))
    if not conn.changes():
        return False
    log_changes(conn, [memory_id], What.WRITTEN)
    return True


def set_levels(conn: apsw.Connection, memory_id: int, levels: Levels) -> None:
    """Replace summary, headline and their counts."""
    require(conn, [memory_id])
    conn.execute(
        "UPDATE memory SET summary = nullif(?1, full), headline = nullif(?2, full), written_by = ?3, tokens_full = ?4,"
        " tokens_summary = ?5, tokens_headline = ?6 WHERE id = ?7",
        (
            levels.summary,
            levels.headline,
            levels.written_by,
            levels.tokens_full,
            levels.tokens_summary,
            levels.tokens_headline,
            memory_id,
        ),
    )
    log_changes(conn, [memory_id], What.WRITTEN)
