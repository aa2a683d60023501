"""The lines of an export: one JSON object each, both ways. docs/reference/export.md is the description for others.

Knows no file and no store. Times are ISO 8601 in UTC with microseconds.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Conflict
from lodmem.model.kept import AgentProfile, Head, Kept, KeptVectors, Piece, Tombstone
from lodmem.model.memory import Memory, Source, to_datetime
from lodmem.model.profile import Profile

VERSION = 1
TIMES = {
    "created_at": "created_us",
    "ingested_at": "ingested_us",
    "valid_from": "valid_from_us",
    "valid_to": "valid_to_us",
    "last_verified": "last_verified_us",
    "expires_at": "expires_us",
    "last_retrieved_at": "last_retrieved_us",
}


@dataclass(frozen=True, slots=True)
class Writing:
    """What every export says about itself. `vectors`: whether they are in it."""

    program: str
    vectors: bool


def line_of(piece: Piece, writing: Writing) -> bytes:
    """One line with its end. The same piece always gives the same bytes."""
    return json.dumps(_object(piece, writing), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _object(piece: Piece, writing: Writing) -> dict[str, Any]:
    match piece:
        case Head():
            return _head(piece, writing)
        case Profile():
            return {"type": "profile", **piece.to_dict()}
        case AgentProfile():
            return {"type": "agent", "agent": piece.agent, "profile": piece.profile}
        case Kept():
            return _memory(piece)
        case Conflict():
            return _conflict(piece)
        case Tombstone():
            return {"type": "forgotten", "id": piece.id, "at": iso(piece.forgotten_us)}
        case AuditEntry():
            return {
                "type": "audit", "at": iso(piece.at_us), "space": piece.space, "agent": piece.agent, "verb": piece.verb,
                "detail": dict(piece.detail),
            }  # fmt: skip


def _head(head: Head, writing: Writing) -> dict[str, Any]:
    return {
        "type": "lodmem",
        "version": VERSION,
        "written_by": writing.program,
        "vectors": writing.vectors,
        "last_id": head.last_id,
        "model": dict(head.model),
        "calibration": None if head.clip is None else {"c0": head.clip[0], "c1": head.clip[1]},
    }


def _memory(kept: Kept) -> dict[str, Any]:
    m = kept.memory
    out: dict[str, Any] = {
        "type": "memory",
        "id": m.id,
        "space": m.space,
        "agent": m.agent,
        "kind": m.kind.value,
        "status": m.status.value,
        "full": m.full,
        "summary": None if m.summary == m.full else m.summary,
        "headline": None if m.headline == m.full else m.headline,
        "written_by": m.written_by,
        "tokens": [m.tokens_full, m.tokens_summary, m.tokens_headline],
        "created_given": m.created_given,
        **{name: iso(getattr(m, field)) for name, field in TIMES.items()},
        "source": _source(m),
        "retrieval_count": m.retrieval_count,
        "last_tier": None if m.last_tier is None else m.last_tier.label,
        "importance": m.importance,
        "evidence_count": m.evidence_count,
        "floors": {agent: tier.label for agent, tier in kept.floors.items()},
        "priority": m.priority.value,
        "superseded_by": m.superseded_by,
        "episode_class": m.episode_class,
        "tags": list(m.tags),
        "content_hash": m.content_hash,
        "meta": dict(m.meta),
    }
    if kept.pattern is not None:
        out["distilled_at"], out["episodes"] = iso(kept.pattern.distilled_us), list(kept.pattern.episodes)
    if kept.outcome is not None:
        out["distillation"] = {"outcome": kept.outcome.outcome.value, "at": iso(kept.outcome.at_us)}
    if kept.copy is not None:
        out["near_copy"] = {"of": kept.copy.of, "similarity": kept.copy.similarity}
    if kept.vectors is not None:
        out["passages"] = [[passage.start, passage.stop] for passage in kept.passages]
        out["vectors"] = _vectors(kept.vectors)
    return out


def _conflict(one: Conflict) -> dict[str, Any]:
    return {
        "type": "conflict", "older": one.older, "newer": one.newer, "reason": one.reason.value, "about": one.detail,
        "state": one.state.value, "standing": one.standing, "found_at": iso(one.found_us), "decided_at": iso(one.decided_us),
        "decided_by": one.decided_by, "note": one.note,
    }  # fmt: skip


def _source(memory: Memory) -> dict[str, Any] | None:
    source: Source | None = memory.source
    return None if source is None else {"uri": source.uri, "session": source.session, "sequence": source.sequence}


def _vectors(vectors: KeptVectors) -> Mapping[str, Any]:
    joint = None if vectors.joint is None else base64.b64encode(vectors.joint).decode()
    return {"model": vectors.model, "own": base64.b64encode(vectors.own).decode(), "joint": joint}


def end_line(memories: int) -> bytes:
    """The last line: how many memories stand before it. Without it a file was cut off."""
    return json.dumps({"type": "end", "memories": memories}, separators=(",", ":")).encode() + b"\n"


def iso(us: int | None) -> str | None:
    """ISO 8601 in UTC, exact to the microsecond."""
    return None if us is None else to_datetime(us).isoformat(timespec="microseconds").replace("+00:00", "Z")
