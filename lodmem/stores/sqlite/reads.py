"""Memories with their texts, statistics of use, and matches by word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import apsw

from lodmem.errors import BadParameter
from lodmem.model.memory import Kind, Memory, Priority, Source, Status, Tier
from lodmem.ports import Usage
from lodmem.stores.sqlite.ids import IN_IDS, as_json, unknown
from lodmem.stores.sqlite.rows import TIERS

_MEMORIES = f"""
    SELECT m.id, space.name AS space, agent.name AS agent, m.kind, m.full, coalesce(m.summary, m.full) AS summary,
        coalesce(m.headline, m.full) AS headline, m.written_by, m.tokens_full, m.tokens_summary, m.tokens_headline,
        m.created_us, m.created_given, m.ingested_us, m.valid_from_us, m.valid_to_us, m.last_verified_us, source.uri,
        source.session, m.sequence, u.last_retrieved_us, u.retrieval_count, u.last_tier, m.importance, m.evidence_count,
        coalesce((SELECT max(tier) FROM floor WHERE memory_id = m.id AND agent IN ('', ?2)), 0) AS floor, m.priority,
        m.expires_us, m.status, m.superseded_by, m.episode_class,
        (SELECT json_group_array(tag ORDER BY tag) FROM tag WHERE memory_id = m.id) AS tags, m.content_hash, m.meta
    FROM memory m JOIN space ON space.id = m.space_id JOIN agent ON agent.id = m.agent_id
        LEFT JOIN source ON source.id = m.source_id LEFT JOIN usage u ON u.memory_id = m.id
    WHERE m.id {IN_IDS}
"""
_LEVELS = {Tier.FULL: "full", Tier.SUMMARY: "coalesce(summary, full)", Tier.HEADLINE: "coalesce(headline, full)"}
_MATCH = """
    WITH hit AS MATERIALIZED (SELECT rowid AS passage_id, -bm25(word) AS score FROM word WHERE word MATCH ?)
    SELECT memory_id, max(score) FROM hit JOIN passage ON passage.id = passage_id
    GROUP BY memory_id ORDER BY 2 DESC, 1 LIMIT ?
"""


def get(conn: apsw.Connection, ids: Sequence[int], *, agent: str) -> list[Memory]:
    """Memories in the order asked."""
    cursor = conn.execute(_MEMORIES, (as_json(ids), agent))
    found = {row[0]: _memory(row) for row in cursor}
    for memory_id in ids:
        if memory_id not in found:
            raise unknown(conn, memory_id)
    return [found[memory_id] for memory_id in ids]


def _memory(row: Sequence[Any]) -> Memory:
    (
        number, space, agent, kind, full, summary, headline, written_by, tokens_full, tokens_summary, tokens_headline,
        created_us, created_given, ingested_us, valid_from_us, valid_to_us, last_verified_us, uri, session, sequence,
        last_retrieved_us, retrieval_count, last_tier, importance, evidence_count, floor, priority, expires_us, status,
        superseded_by, episode_class, tags, content_hash, meta,
    ) = row  # fmt: skip
    return Memory(
        id=number,
        space=space,
        agent=agent,
        kind=Kind(kind),
        full=full,
        summary=summary,
        headline=headline,
        written_by=written_by,
        tokens_full=tokens_full,
        tokens_summary=tokens_summary,
        tokens_headline=tokens_headline,
        created_us=created_us,
        created_given=bool(created_given),
        ingested_us=ingested_us,
        valid_from_us=valid_from_us,
        valid_to_us=valid_to_us,
        last_verified_us=last_verified_us,
        source=None if uri is None else Source(uri, session, sequence),
        last_retrieved_us=last_retrieved_us,
        retrieval_count=retrieval_count or 0,
        last_tier=TIERS[last_tier],
        importance=importance,
        evidence_count=evidence_count,
        floor=Tier(floor),
        priority=Priority(priority),
        expires_us=expires_us,
        status=Status(status),
        superseded_by=superseded_by,
        episode_class=episode_class,
        tags=tuple(json.loads(tags)),
        content_hash=content_hash.hex(),
        meta=MappingProxyType(json.loads(meta)),
    )


def texts(conn: apsw.Connection, ids: Sequence[int], level: Tier) -> dict[int, str]:
    """Text of each id that exists, at one level."""
    if level not in _LEVELS:
        raise BadParameter("the horizon has no text", hint="ask for full, summary or headline")
    return dict(conn.execute(f"SELECT id, {_LEVELS[level]} FROM memory WHERE id {IN_IDS} ORDER BY id", (as_json(ids),)))


def usage(conn: apsw.Connection, ids: Sequence[int]) -> list[Usage]:
    """Statistics by rising id of those that exist."""
    cursor = conn.execute(
        "SELECT m.id, u.last_retrieved_us, coalesce(u.retrieval_count, 0), u.last_tier"
        f" FROM memory m LEFT JOIN usage u ON u.memory_id = m.id WHERE m.id {IN_IDS} ORDER BY m.id",
        (as_json(ids),),
    )
    return [
        Usage(id=i, last_retrieved_us=last, retrieval_count=count, last_tier=TIERS[tier]) for i, last, count, tier in cursor
    ]


def match_words(conn: apsw.Connection, terms: Sequence[str], *, limit: int) -> list[tuple[int, float]]:
    """(id, BM25 of its best passage), best first."""
    # No memory has a term with a space in it, and NUL would end the question early.
    phrases = [
        '"' + term.replace('"', '""') + '"' for term in dict.fromkeys(terms) if term.split() == [term] and "\0" not in term
    ]
    if not phrases:
        return []
    return [(int(i), float(score)) for i, score in conn.execute(_MATCH, (" OR ".join(phrases), limit))]
