"""All that is kept, piece by piece, from one moment of the file. Reads in pages, so that memory stays small."""

from __future__ import annotations

import json
from collections.abc import Iterator

import apsw

from lodmem.model.kept import Head, Kept, KeptCopy, KeptVectors, Piece, Tombstone
from lodmem.model.memory import Passage, Tier
from lodmem.stores.sqlite import copies, disputes, distilling, log, profiles, reads
from lodmem.stores.sqlite.ids import IN_IDS, as_json
from lodmem.stores.sqlite.models import active_model, calibration, model_number

PAGE = 200


def dump(conn: apsw.Connection, *, vectors: bool) -> Iterator[Piece]:
    """See Store.dump."""
    yield head(conn)
    yield from profiles.saved(conn)
    yield from profiles.agent_profiles(conn)
    model = active_model(conn) if vectors else ""
    after = 0
    while page := ids(conn, after=after, limit=PAGE):
        yield from _memories(conn, page, model)
        after = page[-1]
    after = 0
    while found := disputes.select(conn, after=after, limit=PAGE):
        yield from found
        after = found[-1].id
    for memory_id, when in conn.execute("SELECT memory_id, forgotten_us FROM tombstone ORDER BY memory_id"):
        yield Tombstone(id=memory_id, forgotten_us=when)
    seq = 0
    while entries := log.audit_log(conn, after=seq, limit=PAGE, space=None):
        yield from entries
        seq = entries[-1].seq


def ids(conn: apsw.Connection, *, after: int, limit: int) -> list[int]:
    """Ids greater than `after`, rising."""
    return [i for (i,) in conn.execute("SELECT id FROM memory WHERE id > ? ORDER BY id LIMIT ?", (after, limit))]


def head(conn: apsw.Connection) -> Head:
    """What holds for the whole store."""
    last: int | None = conn.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").get
    facts: str | None = conn.execute("SELECT value FROM meta WHERE name = 'active_identity'").get
    return Head(last_id=last or 0, model=json.loads(facts or "{}"), clip=calibration(conn))


def _memories(conn: apsw.Connection, page: list[int], model: str) -> Iterator[Kept]:
    bind = (as_json(page),)
    floors: dict[int, dict[str, Tier]] = {}
    for memory_id, agent, tier in conn.execute(
        f"SELECT memory_id, agent, tier FROM floor WHERE memory_id {IN_IDS} ORDER BY memory_id, agent", bind
    ):
        floors.setdefault(memory_id, {})[agent] = Tier(tier)
    passages: dict[int, list[Passage]] = {}
    for memory_id, start, stop, terms in conn.execute(
        f"SELECT memory_id, start, stop, terms FROM passage WHERE memory_id {IN_IDS} ORDER BY memory_id, n", bind
    ):
        passages.setdefault(memory_id, []).append(Passage(start, stop, tuple(terms.split(" ")) if terms else ()))
    vectors = _vectors(conn, page, model) if model else {}
    patterns, outcomes = distilling.kept(conn, page)
    copied = {copy.memory: KeptCopy(copy.of, copy.similarity) for copy in copies.of(conn, page)}
    for memory in reads.get(conn, page, agent=""):
        yield Kept(
            memory=memory,
            floors=floors.get(memory.id, {}),
            passages=tuple(passages.get(memory.id, ())),
            vectors=vectors.get(memory.id),
            pattern=patterns.get(memory.id),
            outcome=outcomes.get(memory.id),
            copy=copied.get(memory.id),
        )


def _vectors(conn: apsw.Connection, page: list[int], model: str) -> dict[int, KeptVectors]:
    rows: dict[int, list[tuple[bytes, bytes | None]]] = {}
    for memory_id, own, joint in conn.execute(
        f"SELECT memory_id, own, joint FROM vector WHERE memory_id {IN_IDS} AND model_id = {model_number(conn, model)}"
        " ORDER BY memory_id, n",
        (as_json(page),),
    ):
        rows.setdefault(memory_id, []).append((own, joint))
    return {memory_id: _joined(model, found) for memory_id, found in rows.items()}


def _joined(model: str, rows: list[tuple[bytes, bytes | None]]) -> KeptVectors:
    own = b"".join(row[0] for row in rows)
    same = all(row[1] is None for row in rows)
    joint = None if same else b"".join(row[0] if row[1] is None else row[1] for row in rows)
    return KeptVectors(model=model, own=own, joint=joint)
