"""The two logs that every write adds to: what changed (for the in-process columns) and who did what (audit)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import IntEnum

import apsw

from lodmem.model.audit import AuditEntry
from lodmem.ports import Changes
from lodmem.stores.sqlite.connection import last_change
from lodmem.stores.sqlite.ids import IN_IDS, as_json

KEEP_CHANGES = 500_000
PRUNE_EVERY = 10_000
QUERY = "query"

_AUDIT = "INSERT INTO audit (at_us, space, agent, verb, detail) VALUES (?, ?, ?, ?, ?)"
_encode = json.JSONEncoder(ensure_ascii=False).encode


class What(IntEnum):
    """What happened to a memory; of several, the highest counts."""

    TOUCHED = 0
    WRITTEN = 1
    GONE = 2


def log_changes(conn: apsw.Connection, ids: Iterable[int], what: What) -> None:
    """Append one change for each id, and now and then drop the oldest."""
    before = last_change(conn)
    conn.executemany("INSERT INTO change (memory_id, what) VALUES (?, ?)", ((i, int(what)) for i in ids))
    after = last_change(conn)
    if after // PRUNE_EVERY > before // PRUNE_EVERY:
        conn.execute("DELETE FROM change WHERE seq <= ?", (after - KEEP_CHANGES,))


def begin_anew(conn: apsw.Connection) -> None:
    """Empty the change log and leave a gap in its numbers: nobody can follow it from before, and all read the store again."""
    newest = last_change(conn)
    conn.execute("DELETE FROM change")
    conn.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'change'", (newest + 1,))


def changes(conn: apsw.Connection, since: int) -> Changes:
    """What moved after `since`, from one snapshot."""
    last = last_change(conn)
    first: int | None = conn.execute("SELECT min(seq) FROM change").get
    oldest = last + 1 if first is None else first
    if not oldest - 1 <= since <= last:
        return Changes(last=last, complete=False, written=(), touched=(), gone=())
    sets: dict[int, list[int]] = {what: [] for what in What}
    for memory_id, what in conn.execute(
        "SELECT memory_id, max(what) FROM change WHERE seq > ? GROUP BY memory_id ORDER BY memory_id", (since,)
    ):
        sets[what].append(memory_id)
    return Changes(
        last=last,
        complete=True,
        written=tuple(sets[What.WRITTEN]),
        touched=tuple(sets[What.TOUCHED]),
        gone=tuple(sets[What.GONE]),
    )


def log_audit(conn: apsw.Connection, entries: Iterable[AuditEntry]) -> None:
    """Append entries in order; the text of a query is kept apart, where it can be forgotten."""
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        detail = dict(entry.detail)
        asked = detail.pop(QUERY, None)
        rows.append((entry.at_us, entry.space, entry.agent, entry.verb, _encode(detail)))
        if asked:
            conn.executemany(_AUDIT, rows)
            rows.clear()
            conn.execute("INSERT INTO question (audit_seq, text) VALUES (last_insert_rowid(), ?)", (str(asked),))
    conn.executemany(_AUDIT, rows)


def forget_questions(conn: apsw.Connection, ids: Sequence[int]) -> None:
    """Delete the text of every query that showed one of `ids` at summary or full."""
    conn.execute(
        "DELETE FROM question WHERE audit_seq IN (SELECT audit.seq FROM audit, json_each(audit.detail, '$.ids') AS shown"
        f" WHERE audit.verb = 'search' AND shown.value {IN_IDS})",
        (as_json(ids),),
    )


def audit_log(
    conn: apsw.Connection, *, after: int, limit: int, space: str | None, verbs: Sequence[str] = (), telling: str = ""
) -> list[AuditEntry]:
    """Entries with seq > after, oldest first."""
    where = ["seq > :after"]
    where += ["space = :space"] if space is not None else []
    where += ["verb IN (SELECT value FROM json_each(:verbs))"] if verbs else []
    # The key is looked for before the JSON is read: most entries do not hold it.
    where += ["instr(detail, :key)", "json_type(detail, '$.' || :key) IS NOT NULL"] if telling else []
    return [
        AuditEntry(seq=seq, at_us=at_us, space=named, agent=agent, verb=verb, detail=_detail(detail, asked))
        for seq, at_us, named, agent, verb, detail, asked in conn.execute(
            "SELECT seq, at_us, space, agent, verb, detail, text FROM audit LEFT JOIN question ON audit_seq = seq"
            f" WHERE {' AND '.join(where)} ORDER BY seq LIMIT :limit",
            {"after": after, "limit": limit, "space": space, "verbs": json.dumps(list(verbs)), "key": telling},
        )
    ]


def trail(conn: apsw.Connection, memory_id: int, *, limit: int) -> list[AuditEntry]:
    """The latest entries that name a memory, newest first."""
    # The digits are looked for before the JSON is read: most entries do not hold them.
    return [
        AuditEntry(seq=seq, at_us=at_us, space=where, agent=agent, verb=verb, detail=_detail(detail, asked))
        for seq, at_us, where, agent, verb, detail, asked in conn.execute(
            "SELECT seq, at_us, space, agent, verb, detail, text FROM audit LEFT JOIN question ON audit_seq = seq"
            " WHERE instr(detail, ?2) AND (json_extract(detail, '$.id') = ?1"
            " OR EXISTS (SELECT 1 FROM json_each(detail, '$.ids') WHERE value = ?1)"
            " OR EXISTS (SELECT 1 FROM json_each(detail, '$.promoted') WHERE value = ?1)) ORDER BY seq DESC LIMIT ?3",
            (memory_id, str(memory_id), limit),
        )
    ]


def _detail(stored: str, asked: str | None) -> dict[str, object]:
    detail: dict[str, object] = json.loads(stored)
    return detail if asked is None else {QUERY: asked, **detail}
