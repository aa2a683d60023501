"""Distillation inside the file: episodes that are done, patterns and where they came from, runs. Decides nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

import apsw

from lodmem.model.distilled import Judged, NewPattern, Outcome, Pattern, Run, SeenAgain, Step, Stored
from lodmem.model.gate import GateDecision, What
from lodmem.model.kept import Kept, KeptOutcome, KeptPattern
from lodmem.model.memory import Added, Status
from lodmem.stores.sqlite import copies, writes
from lodmem.stores.sqlite.ids import IN_IDS, as_json, existing
from lodmem.stores.sqlite.log import What as Changed
from lodmem.stores.sqlite.log import log_audit, log_changes

_IN_SPACE = "(?{0} IS NULL OR s.name = ?{0} OR substr(s.name, 1, length(?{0}) + 1) = ?{0} || '/')"
_EPISODES = f"""
    FROM memory m JOIN space s ON s.id = m.space_id LEFT JOIN distilled d ON d.memory_id = m.id
    WHERE m.kind = 'episodic' AND m.status IN ('active', 'stale', 'conflict') AND m.id > ?2 AND {_IN_SPACE.format(1)}
        AND (d.memory_id IS NULL OR (?3 AND d.outcome = 'unparsable'))
        AND NOT EXISTS (SELECT 1 FROM pattern WHERE memory_id = m.id)
"""
_PATTERNS = """
    SELECT m.id, s.name, m.full, m.importance, m.evidence_count, m.status, p.distilled_us,
        (SELECT json_group_array(episode_id ORDER BY episode_id) FROM provenance WHERE pattern_id = m.id)
    FROM pattern p JOIN memory m ON m.id = p.memory_id JOIN space s ON s.id = m.space_id
    WHERE {} ORDER BY m.id
"""


# Of the episodes that it came from one is left that was not superseded, or none is known at all.
_STANDS = """
    EXISTS (SELECT 1 FROM provenance v JOIN memory e ON e.id = v.episode_id
        WHERE v.pattern_id = m.id AND e.status <> 'superseded')
    OR NOT EXISTS (SELECT 1 FROM provenance WHERE pattern_id = m.id)
"""


def undistilled(conn: apsw.Connection, *, space: str | None, after: int, limit: int, again: bool) -> list[int]:
    """Ids of episodes that wait, rising."""
    rows = conn.execute(f"SELECT m.id {_EPISODES} ORDER BY m.id LIMIT ?4", (space, after, again, limit))
    return [memory_id for (memory_id,) in rows]


def count_undistilled(conn: apsw.Connection, *, space: str | None, again: bool) -> int:
    """How many wait."""
    return int(conn.execute(f"SELECT count(*) {_EPISODES}", (space, 0, again)).get)


def put(conn: apsw.Connection, run: int, step: Step, *, now_us: int, tasks: Sequence[str]) -> Stored:
    """See Distilling.put_distilled."""
    ids = sorted(step.outcomes)
    done = outcomes(conn, ids)
    if existing(conn, ids) != ids or any(outcome is not Outcome.UNPARSABLE for outcome in done.values()):
        return Stored(False)
    added = _add(conn, step.new, now_us=now_us, tasks=tasks)
    for seen in step.again:
        _see_again(conn, seen, now_us=now_us)
    conn.executemany(
        "INSERT INTO distilled (memory_id, at_us, outcome) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (memory_id) DO UPDATE SET at_us = ?2, outcome = ?3",
        ((memory_id, now_us, outcome.value) for memory_id, outcome in step.outcomes.items()),
    )
    copies.decide(conn, [_decision(each, added, now_us=now_us) for each in step.judged])
    _count(conn, run, step)
    new = [each.id for each in added if each.created]
    log_audit(conn, [replace(step.audit, detail={**step.audit.detail, "ids": new})])
    return Stored(True, tuple(added))


def _add(conn: apsw.Connection, new: Sequence[NewPattern], *, now_us: int, tasks: Sequence[str]) -> list[Added]:
    added = writes.add(conn, [each.prepared for each in new], now_us=now_us, tasks=tasks) if new else []
    for outcome, each in zip(added, new, strict=True):
        if outcome.created:
            conn.execute(
                "UPDATE memory SET status = ?2, evidence_count = ?3 WHERE id = ?1",
                (outcome.id, each.status.value, max(1, len(each.episodes))),
            )
            conn.execute("INSERT INTO pattern (memory_id, distilled_us) VALUES (?, ?)", (outcome.id, now_us))
        link(conn, [(outcome.id, episode) for episode in each.episodes])
    return added


def _decision(judged: Judged, added: Sequence[Added], *, now_us: int) -> GateDecision:
    """As the gate's log keeps it: with the ids that the new patterns have got."""
    verdict = judged.verdict
    other = verdict.other if judged.other_new is None else added[judged.other_new].id
    return GateDecision(
        at_us=now_us,
        memory=None if judged.new is None else added[judged.new].id,
        what=What.PATTERN,
        verdict=verdict.verdict,
        other=other,
        similarity=verdict.similarity,
        blocked=verdict.blocked,
    )


def _see_again(conn: apsw.Connection, seen: SeenAgain, *, now_us: int) -> None:
    fresh = link(conn, [(seen.pattern, episode) for episode in seen.episodes])
    if seen.importance is None:
        return
    conn.execute(
        "UPDATE memory SET importance = max(importance, ?2), evidence_count = evidence_count + ?3"
        " WHERE id = ?1 AND EXISTS (SELECT 1 FROM pattern WHERE memory_id = ?1)",
        (seen.pattern, seen.importance, fresh),
    )
    if conn.changes():
        conn.execute("UPDATE pattern SET distilled_us = max(distilled_us, ?2) WHERE memory_id = ?1", (seen.pattern, now_us))
        log_changes(conn, [seen.pattern], Changed.WRITTEN)


def link(conn: apsw.Connection, links: Iterable[tuple[int, int]]) -> int:
    """Note which pattern came from which episode; how many were new."""
    before = conn.total_changes()
    conn.executemany(
        "INSERT INTO provenance (pattern_id, episode_id) SELECT ?1, ?2 WHERE ?1 <> ?2"
        " AND EXISTS (SELECT 1 FROM pattern WHERE memory_id = ?1) AND EXISTS (SELECT 1 FROM memory WHERE id = ?2)"
        " ON CONFLICT DO NOTHING",
        links,
    )
    return conn.total_changes() - before


def _count(conn: apsw.Connection, run: int, step: Step) -> None:
    stored: str | None = conn.execute("SELECT counts FROM distill_run WHERE id = ?", (run,)).get
    if stored is None:
        return
    counts: dict[str, int] = json.loads(stored)
    for name, count in step.counts.items():
        counts[name] = counts.get(name, 0) + count
    conn.execute("UPDATE distill_run SET counts = ?2 WHERE id = ?1", (run, json.dumps(counts)))


def outcomes(conn: apsw.Connection, ids: Sequence[int]) -> dict[int, Outcome]:
    """What became of those that were dealt with."""
    sql = f"SELECT memory_id, outcome FROM distilled WHERE memory_id {IN_IDS} ORDER BY memory_id"
    rows = conn.execute(sql, (as_json(ids),))
    return {memory_id: Outcome(outcome) for memory_id, outcome in rows}


def with_outcome(conn: apsw.Connection, outcome: Outcome, *, space: str | None, limit: int) -> list[int]:
    """Ids, newest first."""
    rows = conn.execute(
        "SELECT d.memory_id FROM distilled d JOIN memory m ON m.id = d.memory_id JOIN space s ON s.id = m.space_id"
        f" WHERE d.outcome = ?1 AND {_IN_SPACE.format(2)} ORDER BY d.memory_id DESC LIMIT ?3",
        (outcome.value, space, limit),
    )
    return [memory_id for (memory_id,) in rows]


def patterns(
    conn: apsw.Connection,
    *,
    space: str | None = None,
    statuses: Sequence[Status] = (),
    ids: Sequence[int] | None = None,
    standing: bool = False,
) -> list[Pattern]:
    """Patterns by rising id."""
    where = (
        f"{_IN_SPACE.format(1)} AND (?2 = '[]' OR m.status IN (SELECT value FROM json_each(?2)))"
        " AND (?3 IS NULL OR m.id IN (SELECT value FROM json_each(?3)))"
    )
    if standing:
        where += f" AND ({_STANDS})"
    bind = (space, json.dumps([status.value for status in statuses]), None if ids is None else as_json(ids))
    return [_pattern(row) for row in conn.execute(_PATTERNS.format(where), bind)]


def patterns_from(conn: apsw.Connection, episodes: Sequence[int]) -> list[Pattern]:
    """Patterns that came from any of them, by rising id."""
    where = f"m.id IN (SELECT pattern_id FROM provenance WHERE episode_id {IN_IDS})"
    return [_pattern(row) for row in conn.execute(_PATTERNS.format(where), (as_json(episodes),))]


def _pattern(row: Sequence[object]) -> Pattern:
    number, space, text, importance, evidence, status, distilled_us, episodes = row
    return Pattern(
        id=int(str(number)),
        space=str(space),
        text=str(text),
        importance=float(str(importance)),
        evidence_count=int(str(evidence)),
        status=Status(str(status)),
        distilled_us=int(str(distilled_us)),
        episodes=tuple(json.loads(str(episodes))),
    )


def begin_run(conn: apsw.Connection, run: Run) -> int:
    """Number of the new run."""
    conn.execute(
        "INSERT INTO distill_run (begun_us, agent, space, writer, counts) VALUES (?, ?, ?, ?, ?)",
        (run.begun_us, run.agent, run.space, run.writer, json.dumps(dict(run.counts))),
    )
    return conn.last_insert_rowid()


def end_run(conn: apsw.Connection, run: int, *, ended_us: int, stopped: str) -> None:
    """Note its end."""
    conn.execute("UPDATE distill_run SET ended_us = ?2, stopped = ?3 WHERE id = ?1", (run, ended_us, stopped))


def runs(conn: apsw.Connection, *, limit: int) -> list[Run]:
    """The latest, newest first."""
    rows = conn.execute(
        "SELECT id, begun_us, ended_us, agent, space, writer, counts, stopped FROM distill_run ORDER BY id DESC LIMIT ?",
        (limit,),
    )
    return [
        Run(
            id=number, begun_us=begun, ended_us=ended, agent=agent, space=space, writer=writer, counts=json.loads(counts),
            stopped=stopped,
        )
        for number, begun, ended, agent, space, writer, counts, stopped in rows
    ]  # fmt: skip


def kept(conn: apsw.Connection, page: Sequence[int]) -> tuple[dict[int, KeptPattern], dict[int, KeptOutcome]]:
    """What is kept of those of `page` that are patterns, and of those that were distilled."""
    found = patterns(conn, ids=page)
    done = conn.execute(f"SELECT memory_id, outcome, at_us FROM distilled WHERE memory_id {IN_IDS}", (as_json(page),))
    return (
        {each.id: KeptPattern(distilled_us=each.distilled_us, episodes=each.episodes) for each in found},
        {memory_id: KeptOutcome(outcome=Outcome(outcome), at_us=at_us) for memory_id, outcome, at_us in done},
    )


def insert_kept(conn: apsw.Connection, new: Sequence[tuple[int, Kept]]) -> None:
    """Note of memories just taken in that they are patterns, or were distilled."""
    conn.executemany(
        "INSERT INTO pattern (memory_id, distilled_us) VALUES (?, ?)",
        ((memory_id, item.pattern.distilled_us) for memory_id, item in new if item.pattern is not None),
    )
    conn.executemany(
        "INSERT INTO distilled (memory_id, at_us, outcome) VALUES (?, ?, ?)",
        ((memory_id, item.outcome.at_us, item.outcome.outcome.value) for memory_id, item in new if item.outcome is not None),
    )
