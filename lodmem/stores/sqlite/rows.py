"""What the in-process columns are built from: every memory without its texts, read as a few cursors merged by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import apsw
import numpy as np

from lodmem.model.memory import Kind, Priority, Source, Status, Tier
from lodmem.ports import Floats, Row
from lodmem.stores.sqlite.ids import IN_IDS, as_json
from lodmem.stores.sqlite.models import active_model, model_number

# Looking a value up in a dict is several times faster than calling the enum, and there are millions of them.
KINDS = {kind.value: kind for kind in Kind}
STATUSES = {status.value: status for status in Status}
PRIORITIES = {priority.value: priority for priority in Priority}
TIERS: dict[int | None, Tier | None] = {None: None, **{int(tier): tier for tier in Tier}}
NO_FLOORS: Mapping[str, Tier] = MappingProxyType({})

_MEMORIES = """
    SELECT m.id, m.space_id, m.agent_id, m.kind, m.status, m.created_us, m.created_given, m.ingested_us, m.valid_from_us,
        m.valid_to_us, m.expires_us, u.last_retrieved_us, u.retrieval_count, u.last_tier, m.importance, m.priority,
        m.superseded_by, s.uri, s.session, m.sequence, m.written_by, m.tokens_full, m.tokens_summary, m.tokens_headline
    FROM memory m LEFT JOIN source s ON s.id = m.source_id LEFT JOIN usage u ON u.memory_id = m.id
    {where} ORDER BY m.id
"""
_PASSAGES = """
    SELECT p.memory_id, p.terms, coalesce(v.joint, v.own)
    FROM passage p LEFT JOIN vector v ON v.memory_id = p.memory_id AND v.n = p.n AND v.model_id = {model}
    {where} ORDER BY p.memory_id, p.n
"""


class Merged:
    """A cursor ordered by its first column, read in step with rising ids."""

    def __init__(self, cursor: apsw.Cursor) -> None:
        self._cursor = cursor
        self._row: Any = next(cursor, None)

    def of(self, memory_id: int) -> list[Any]:
        """The rows of this id. Ids between the last one asked and this one have no rows or are passed over."""
        found = []
        while self._row is not None and self._row[0] <= memory_id:
            if self._row[0] == memory_id:
                found.append(self._row)
            self._row = next(self._cursor, None)
        return found


def rows(conn: apsw.Connection, ids: Sequence[int] | None) -> Iterator[Row]:
    """Rows by rising id, all or those of `ids` that exist."""
    bind = () if ids is None else (as_json(ids),)
    spaces = dict(conn.execute("SELECT id, name FROM space"))
    agents = dict(conn.execute("SELECT id, name FROM agent"))
    model = model_number(conn, active_model(conn))
    passages = Merged(conn.execute(_PASSAGES.format(model=model, where=_where("p.memory_id", ids)), bind))
    tags = Merged(conn.execute(f"SELECT memory_id, tag FROM tag {_where('memory_id', ids)} ORDER BY memory_id, tag", bind))
    floors = Merged(
        conn.execute(f"SELECT memory_id, agent, tier FROM floor {_where('memory_id', ids)} ORDER BY memory_id", bind)
    )
    for m in conn.execute(_MEMORIES.format(where=_where("m.id", ids)), bind):
        number = m[0]
        yield Row(
            id=number,
            space=spaces[m[1]],
            agent=agents[m[2]],
            kind=KINDS[m[3]],
            status=STATUSES[m[4]],
            created_us=m[5],
            created_given=bool(m[6]),
            ingested_us=m[7],
            valid_from_us=m[8],
            valid_to_us=m[9],
            expires_us=m[10],
            last_retrieved_us=m[11],
            retrieval_count=m[12] or 0,
            last_tier=TIERS[m[13]],
            importance=m[14],
            priority=PRIORITIES[m[15]],
            superseded_by=m[16],
            source=None if m[17] is None else Source(m[17], m[18], m[19]),
            tags=tuple([row[1] for row in tags.of(number)]),
            floors=_floors(floors.of(number)),
            short=m[20] == "source",
            tokens=(m[21], m[22], m[23]),
            passages=tuple([(_terms(row[1]), _vector(row[2])) for row in passages.of(number)]),
        )


def _where(column: str, ids: Sequence[int] | None) -> str:
    return "" if ids is None else f"WHERE {column} {IN_IDS}"


def _terms(joined: str) -> tuple[str, ...]:
    return tuple(joined.split(" ")) if joined else ()


def _vector(blob: bytes | None) -> Floats | None:
    return None if blob is None else np.frombuffer(blob, dtype="<f4")


def _floors(found: list[Any]) -> Mapping[str, Tier]:
    return MappingProxyType({agent: Tier(tier) for _, agent, tier in found}) if found else NO_FLOORS
