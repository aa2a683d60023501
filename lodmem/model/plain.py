"""Values of the model as plain ones, ready for JSON. Times are ISO 8601 with their offset; names are those of the model."""

from __future__ import annotations

from typing import Any

from lodmem.model.audit import AuditEntry
from lodmem.model.landscape import Explanation, Landscape, Stats, View
from lodmem.model.memory import Memory, Source, Tier, to_datetime


def moment(us: int | None) -> str | None:
    """ISO 8601 in UTC."""
    return None if us is None else to_datetime(us).isoformat()


def landscape(found: Landscape) -> dict[str, Any]:
    budget = found.budget
    return {
        "mode": found.mode.value,
        "query": found.query,
        "now": moment(found.now_us),
        "views": [view(each) for each in found.views],
        "counts": dict(found.counts),
        "budget": {
            "requested": budget.requested,
            "used": budget.used,
            "bias": budget.bias,
            "stepped_down": budget.stepped_down,
            "dropped": budget.dropped,
        },
        "excluded": found.excluded,
        "considered": found.considered,
        "next_offset": found.next_offset,
        "words_only": found.words_only,
        "profile": found.profile.to_dict(),
    }


def view(seen: View) -> dict[str, Any]:
    return {
        "id": seen.id,
        "tier": seen.tier.label,
        "natural": seen.natural.label,
        "text": seen.text,
        "tokens": seen.tokens,
        "score": seen.score,
        "relevance": seen.relevance,
        "decay": seen.decay,
        "created_at": seen.created_at.isoformat(),
        "created_given": seen.created_given,
        "space": seen.space,
        "agent": seen.agent,
        "kind": seen.kind.value,
        "status": seen.status.value,
        "retrieval_count": seen.retrieval_count,
        "tags": list(seen.tags),
        "source": source(seen.source),
        "notes": list(seen.notes),
    }


def source(place: Source | None) -> dict[str, Any] | None:
    return None if place is None else {"uri": place.uri, "session": place.session, "sequence": place.sequence}


def memory(kept: Memory) -> dict[str, Any]:
    return {
        "id": kept.id,
        "space": kept.space,
        "agent": kept.agent,
        "kind": kept.kind.value,
        "status": kept.status.value,
        "full": kept.full,
        "summary": kept.summary,
        "headline": kept.headline,
        "written_by": kept.written_by,
        "tokens": {"full": kept.tokens_full, "summary": kept.tokens_summary, "headline": kept.tokens_headline},
        "created_at": moment(kept.created_us),
        "created_given": kept.created_given,
        "ingested_at": moment(kept.ingested_us),
        "valid_from": moment(kept.valid_from_us),
        "valid_to": moment(kept.valid_to_us),
        "last_verified": moment(kept.last_verified_us),
        "expires_at": moment(kept.expires_us),
        "source": source(kept.source),
        "last_retrieved_at": moment(kept.last_retrieved_us),
        "retrieval_count": kept.retrieval_count,
        "last_tier": None if kept.last_tier is None else kept.last_tier.label,
        "importance": kept.importance,
        "evidence_count": kept.evidence_count,
        "floor": floor(kept.floor),
        "priority": kept.priority.value,
        "superseded_by": kept.superseded_by,
        "episode_class": kept.episode_class,
        "tags": list(kept.tags),
        "content_hash": kept.content_hash,
        "meta": dict(kept.meta),
    }


def entry(noted: AuditEntry) -> dict[str, Any]:
    return {
        "seq": noted.seq,
        "at": moment(noted.at_us),
        "space": noted.space,
        "agent": noted.agent,
        "verb": noted.verb,
        "detail": dict(noted.detail),
    }


def floor(tier: Tier) -> str:
    """A floor's name; no floor is `none`, as promote takes it."""
    return "none" if tier is Tier.HORIZON else tier.label


def explanation(why: Explanation) -> dict[str, Any]:
    return {
        "id": why.id,
        "query": why.query,
        "rank": why.rank,
        "tier": why.tier.label,
        "floor": floor(why.floor),
        "relevance": why.relevance,
        "decay": why.decay,
        "score": why.score,
        "parts": [{"name": name, "value": value, "meaning": meaning} for name, value, meaning in why.parts],
        "words": [{"word": word, "weight": weight} for word, weight in why.words],
        "reasons": list(why.reasons),
        "profile": why.profile.to_dict(),
    }


def stats(counted: Stats) -> dict[str, Any]:
    return {
        "path": counted.path,
        "memories": counted.memories,
        "by_status": dict(counted.by_status),
        "by_kind": dict(counted.by_kind),
        "by_space": dict(counted.by_space),
        "by_agent": dict(counted.by_agent),
        "never_retrieved": counted.never_retrieved,
        "passages": counted.passages,
        "embedded_passages": counted.embedded_passages,
        "backlog": counted.backlog,
        "tokens_full": counted.tokens_full,
        "first_created": moment(counted.first_created_us),
        "last_created": moment(counted.last_created_us),
        "bytes": counted.bytes,
        "schema_version": counted.schema_version,
        "embedder": counted.embedder,
    }
