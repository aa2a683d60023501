"""Gate decisions and near copies inside the file. Decides nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import apsw

from lodmem.model.gate import GateCount, GateDecision, NearCopy, Verdict, What
from lodmem.stores.sqlite.ids import IN_IDS, as_json, existing
from lodmem.stores.sqlite.log import What as Changed
from lodmem.stores.sqlite.log import log_changes

_DECIDE = """
    INSERT INTO gate_decision (at_us, memory_id, other_id, what, verdict, similarity, blocked)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (memory_id, what) WHERE memory_id IS NOT NULL DO UPDATE SET
        at_us = ?1, other_id = ?3, verdict = ?5, similarity = ?6, blocked = ?7
"""
_DECISIONS = "SELECT id, at_us, memory_id, other_id, what, verdict, similarity, blocked FROM gate_decision"


def decide(conn: apsw.Connection, decisions: Sequence[GateDecision]) -> None:
    """Keep decisions, each memory's latest."""
    named = {i for each in decisions for i in (each.memory, each.other) if i is not None}
    there = set(existing(conn, named))
    conn.executemany(
        _DECIDE,
        (
            (
                each.at_us,
                each.memory,
                each.other if each.other in there else None,
                each.what.value,
                each.verdict.value,
                float(each.similarity),
                each.blocked,
            )
            for each in decisions
            if each.memory is None or each.memory in there
        ),
    )


def link(conn: apsw.Connection, copies: Iterable[NearCopy], *, counted: bool) -> int:
    """Keep near copies that are new; how many. `counted`: each adds to the evidence of its original; else it is in it."""
    added: Counter[int] = Counter()
    for each in copies:
        conn.execute(
            "INSERT INTO near_copy (memory_id, of_id, similarity) SELECT ?1, ?2, ?3 WHERE ?2 < ?1"
            " AND EXISTS (SELECT 1 FROM memory WHERE id = ?1) AND EXISTS (SELECT 1 FROM memory WHERE id = ?2)"
            " ON CONFLICT DO NOTHING",
            (each.memory, each.of, float(each.similarity)),
        )
        added[each.of] += conn.changes()
    new = {memory_id: count for memory_id, count in added.items() if count}
    if counted:
        _add_evidence(conn, new)
    else:
        _as_many_as_copies(conn, list(new))
    return added.total()


def _as_many_as_copies(conn: apsw.Connection, ids: Sequence[int]) -> None:
    """Raise evidence that says less than the near copies do."""
    few = list(
        conn.execute(
            "SELECT id, copies FROM (SELECT of_id AS id, count(*) + 1 AS copies FROM near_copy"
            f" WHERE of_id {IN_IDS} GROUP BY of_id) JOIN memory USING (id) WHERE evidence_count < copies ORDER BY id",
            (as_json(ids),),
        )
    )
    conn.executemany("UPDATE memory SET evidence_count = ?2 WHERE id = ?1", few)
    log_changes(conn, [memory_id for memory_id, _ in few], Changed.WRITTEN)


def forget(conn: apsw.Connection, ids: Sequence[int]) -> None:
    """Take near copies that are forgotten out of the evidence of what they were copies of. Foreign keys do the rest."""
    lost = dict(
        conn.execute(
            f"SELECT of_id, count(*) FROM near_copy WHERE memory_id {IN_IDS} AND of_id NOT {IN_IDS}"
            " GROUP BY of_id ORDER BY of_id",
            (as_json(ids),),
        )
    )
    _add_evidence(conn, {memory_id: -count for memory_id, count in lost.items()})


def _add_evidence(conn: apsw.Connection, counts: dict[int, int]) -> None:
    conn.executemany("UPDATE memory SET evidence_count = max(1, evidence_count + ?2) WHERE id = ?1", counts.items())
    log_changes(conn, sorted(counts), Changed.WRITTEN)


def of(conn: apsw.Connection, ids: Sequence[int]) -> list[NearCopy]:
    """Near copies on either side of which one of `ids` stands."""
    rows = conn.execute(
        f"SELECT memory_id, of_id, similarity FROM near_copy WHERE memory_id {IN_IDS}"
        f" UNION SELECT memory_id, of_id, similarity FROM near_copy WHERE of_id {IN_IDS} ORDER BY memory_id",
        (as_json(ids),),
    )
    return [NearCopy(memory=memory_id, of=of_id, similarity=similarity) for memory_id, of_id, similarity in rows]


def decisions(conn: apsw.Connection, ids: Sequence[int] | None, *, after: int, limit: int) -> list[GateDecision]:
    """Decisions by rising number."""
    if ids is None:
        rows = conn.execute(f"{_DECISIONS} WHERE id > ?2 ORDER BY id LIMIT ?3", (None, after, limit))
    else:
        rows = conn.execute(
            f"{_DECISIONS} WHERE id IN (SELECT id FROM gate_decision WHERE memory_id {IN_IDS}"
            f" UNION SELECT id FROM gate_decision WHERE other_id {IN_IDS}) AND id > ?2 ORDER BY id LIMIT ?3",
            (as_json(ids), after, limit),
        )
    return [
        GateDecision(
            seq=seq,
            at_us=at_us,
            memory=memory_id,
            other=other_id,
            what=What(what),
            verdict=Verdict(verdict),
            similarity=similarity,
            blocked=blocked,
        )
        for seq, at_us, memory_id, other_id, what, verdict, similarity, blocked in rows
    ]


def counts(conn: apsw.Connection) -> list[GateCount]:
    """Decisions by hundredths of their similarity. Of 1.0 the last one is its own."""
    rows = conn.execute(
        "SELECT what, verdict, blocked, CAST(floor(similarity * 100 + 1e-9) AS INTEGER) AS percent, count(*), max(similarity)"
        " FROM gate_decision GROUP BY what, verdict, blocked, percent ORDER BY what, verdict, blocked, percent"
    )
    return [
        GateCount(what=What(what), verdict=Verdict(verdict), blocked=blocked, percent=percent, count=count, highest=highest)
        for what, verdict, blocked, percent, count, highest in rows
    ]
