"""Calls of language models: reserved before, settled after, counted. Which ceilings there are is decided elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from lodmem.model.spend import Ceiling, LlmCall, Outcome, Spent

_COLUMNS = "at_us, run, model, task, tokens_in, tokens_out, cost, outcome"


def reserve(conn: apsw.Connection, call: LlmCall, ceilings: Sequence[Ceiling]) -> int | Ceiling:
    """Number of the call, written at its worst case; or the first ceiling that it would break through."""
    for ceiling in ceilings:
        made, tokens, cost = _used(conn, ceiling)
        if ceiling.calls is not None and made + 1 > ceiling.calls:
            return ceiling
        if ceiling.tokens is not None and tokens + call.tokens > ceiling.tokens:
            return ceiling
        if ceiling.cost is not None and cost + call.cost > ceiling.cost:
            return ceiling
    conn.execute(
        f"INSERT INTO llm_call ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (call.at_us, call.run, call.model, call.task, call.tokens_in, call.tokens_out, call.cost, call.outcome.value),
    )
    return conn.last_insert_rowid()


def _used(conn: apsw.Connection, ceiling: Ceiling) -> tuple[int, int, int]:
    where = "run = ?2 AND at_us >= ?1" if ceiling.run else "at_us >= ?1 AND ?2 = ''"
    row: tuple[int, int, int] = conn.execute(
        f"SELECT count(*), coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(cost), 0) FROM llm_call WHERE {where}",
        (ceiling.since_us, ceiling.run),
    ).get
    return row


def settle(conn: apsw.Connection, number: int, *, tokens_in: int, tokens_out: int, cost: int, outcome: Outcome) -> None:
    """What the call really used, in the place of its worst case; once settled it stays."""
    conn.execute(
        "UPDATE llm_call SET tokens_in = ?2, tokens_out = ?3, cost = ?4, outcome = ?5 WHERE id = ?1 AND outcome = 'open'",
        (number, tokens_in, tokens_out, cost, outcome.value),
    )


def spent(conn: apsw.Connection, *, since_us: int, run: str) -> list[Spent]:
    """Sums by model and task."""
    rows = conn.execute(
        "SELECT model, task, count(*), sum(outcome NOT IN ('done', 'open')), sum(tokens_in), sum(tokens_out), sum(cost)"
        " FROM llm_call WHERE at_us >= ?1 AND (?2 = '' OR run = ?2) GROUP BY model, task ORDER BY model, task",
        (since_us, run),
    )
    return [
        Spent(model=model, task=task, calls=calls, failed=failed, tokens_in=read, tokens_out=wrote, cost=cost)
        for model, task, calls, failed, read, wrote, cost in rows
    ]


def recent(conn: apsw.Connection, model: str, *, limit: int) -> list[LlmCall]:
    """The latest calls of a model, newest first."""
    return _calls(conn.execute(f"SELECT {_COLUMNS} FROM llm_call WHERE model = ? ORDER BY id DESC LIMIT ?", (model, limit)))


def since(conn: apsw.Connection, since_us: int) -> list[LlmCall]:
    """All calls since then, of whatever model, in the order of their times."""
    return _calls(conn.execute(f"SELECT {_COLUMNS} FROM llm_call WHERE at_us >= ? ORDER BY at_us, id", (since_us,)))


def _calls(rows: apsw.Cursor) -> list[LlmCall]:
    return [
        LlmCall(
            at_us=at_us,
            run=run,
            model=name,
            task=task,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=cost,
            outcome=Outcome(outcome),
        )
        for at_us, run, name, task, tokens_in, tokens_out, cost, outcome in rows
    ]
