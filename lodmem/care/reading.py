"""A line of an export becomes what it stands for, or says in words why it cannot be used. Knows no file and no store."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

from lodmem.care.lines import TIMES
from lodmem.errors import LodmemError
from lodmem.ingest.pipeline import admit, passages_of
from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Conflict, ConflictState, Reason
from lodmem.model.distilled import Outcome
from lodmem.model.kept import AgentProfile, Head, Kept, KeptCopy, KeptOutcome, KeptPattern, KeptVectors, Tombstone
from lodmem.model.memory import (
    DEFAULT_AGENT,
    DEFAULT_SPACE,
    Draft,
    Kind,
    Memory,
    Priority,
    Source,
    Status,
    Tier,
    to_datetime,
    to_us,
)
from lodmem.model.profile import Profile
from lodmem.ports import TokenCounter
from lodmem.text.compress import make_levels
from lodmem.text.secrets import mask

MAX_ABOUT = 1000
MAX_ID = 2**53  # what every reader of JSON keeps exact
_E = TypeVar("_E", bound=StrEnum)
_KINDS: dict[type | tuple[type, ...], str] = {str: "a text", int: "a whole number", dict: "an object", bool: "true or false"}


class BadLineError(ValueError):
    """Why a line cannot be used."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first line. `vectors`: whether memories bring theirs."""

    head: Head
    vectors: bool
    version: int


@dataclass(frozen=True, slots=True)
class End:
    """The last line, and how many memories stand before it."""

    memories: int


Read: TypeAlias = Opening | End | Profile | AgentProfile | Kept | Conflict | Tombstone | AuditEntry


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads lines. `now_us` stands in for times that a line does not give."""

    counter: TokenCounter
    now_us: int
    max_bytes: int

    def read(self, line: bytes) -> Read:
        """Raises BadLineError."""
        row = _parsed(line)
        kind = row.get("type")
        try:
            match kind:
                case "lodmem":
                    return _opening(row)
                case "end":
                    return End(_count(row, "memories", 0))
                case "profile":
                    return Profile.from_dict({name: value for name, value in row.items() if name != "type"})
                case "agent":
                    return AgentProfile(agent=_given(row, "agent", str), profile=_given(row, "profile", str))
                case "memory":
                    return self._memory(row)
                case "conflict":
                    return _conflict(row)
                case "forgotten":
                    return Tombstone(id=_id(row), forgotten_us=_needed_time(row, "at"))
                case "audit":
                    return _entry(row)
        except LodmemError as error:
            raise BadLineError(error.message) from None
        except (TypeError, AttributeError) as error:  # a profile whose fields are of other types
            raise BadLineError(f"its fields are not those of a {kind}: {error}") from None
        raise BadLineError(f"of an unknown type {str(kind)[:40]!r}")

    def _memory(self, row: Mapping[str, Any]) -> Kept:
        full = _given(row, "full", str)
        times: dict[str, Any] = {field: _time(row, name) for name, field in TIMES.items()}
        created_us, ingested_us = times.pop("created_us"), times.pop("ingested_us")
        ingested_us = self.now_us if ingested_us is None else ingested_us
        given = _typed(row, "created_given", bool, created_us is not None)
        created_us = ingested_us if created_us is None else created_us
        admitted = admit(self._draft(row, full), max_bytes=self.max_bytes)
        draft, digest = admitted.draft, admitted.content_hash
        if _typed(row, "content_hash", str, admitted.received_hash) != admitted.received_hash:
            raise BadLineError("its text is not the one that was written: the content hash differs")
        retrievals = _count(row, "retrieval_count", 0)
        if (retrievals > 0) != (times["last_retrieved_us"] is not None):
            raise BadLineError("its retrieval_count and last_retrieved_at do not fit together")
        changed, full = draft.full != full, draft.full
        passages = passages_of(full, created_us)
        spans = [[passage.start, passage.stop] for passage in passages]
        memory = Memory(
            id=_id(row) if "id" in row else 0,
            full=full,
            created_us=created_us,
            created_given=given,
            ingested_us=ingested_us,
            retrieval_count=retrievals,
            last_tier=_tier(row.get("last_tier")),
            evidence_count=_count(row, "evidence_count", 1),
            floor=Tier.HORIZON,
            status=_member(row, "status", Status, Status.ACTIVE),
            superseded_by=None if row.get("superseded_by") is None else _id(row, "superseded_by"),
            episode_class=_typed(row, "episode_class", str, None),
            content_hash=digest,
            space=draft.space,
            agent=draft.agent,
            kind=draft.kind,
            source=draft.source,
            importance=float(draft.importance),
            priority=draft.priority,
            tags=draft.tags,
            meta=draft.meta,
            **self._levels(row, full, changed=changed),
            **times,
        )
        # Vectors of a text that held a secret were made from it.
        vectors = _vectors(row) if row.get("passages") == spans and not changed else None
        return Kept(
            memory=memory,
            floors=_floors(row),
            passages=passages,
            vectors=vectors,
            pattern=_pattern(row),
            outcome=_outcome(row),
            copy=_copy(row),
            masked=admitted.masked,
        )

    def _draft(self, row: Mapping[str, Any], full: str) -> Draft:
        tags = _typed(row, "tags", list, [])
        if not all(isinstance(tag, str) for tag in tags):
            raise BadLineError("its tags are not texts")
        return Draft(
            full=full,
            space=_typed(row, "space", str, DEFAULT_SPACE),
            agent=_typed(row, "agent", str, DEFAULT_AGENT),
            kind=_member(row, "kind", Kind, Kind.EPISODIC),
            source=_source(row),
            importance=_typed(row, "importance", (int, float), 0.5),
            priority=_member(row, "priority", Priority, Priority.MEDIUM),
            tags=tuple(tags),
            meta=_typed(row, "meta", dict, {}),
        )

    def _levels(self, row: Mapping[str, Any], full: str, *, changed: bool) -> dict[str, Any]:
        """The levels as written, or made here where the line has none, or has those of a text that was `changed` by masking."""
        if changed or row.get("written_by") is None:
            made = make_levels(full, self.counter)
            return {name: getattr(made, name) for name in made.__slots__}
        written = _typed(row, "summary", str, full), _typed(row, "headline", str, full)
        summary, headline = mask(written[0]).text, mask(written[1]).text
        counts = row.get("tokens") if (summary, headline) == written else None
        if counts is None:
            counts = self.counter.counts([full, summary, headline])
        if not isinstance(counts, list) or len(counts) != 3 or not all(_is_count(count) for count in counts):
            raise BadLineError("its tokens are not three whole numbers")
        names = ("tokens_full", "tokens_summary", "tokens_headline")
        texts = {"summary": summary, "headline": headline, "written_by": _given(row, "written_by", str)}
        return {**texts, **dict(zip(names, counts, strict=True))}


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig")
        row = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(row, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise BadLineError(f"not UTF-8: byte 0x{line[error.start]:02x} at position {error.start}") from None
    except UnicodeEncodeError:
        raise BadLineError("a lone surrogate, which is no character") from None
    except RecursionError:
        raise BadLineError("nested too deeply") from None
    except ValueError as error:
        raise BadLineError(f"not JSON: {error}") from None
    if not isinstance(row, dict):
        raise BadLineError("not an object")
    return row


def _opening(row: Mapping[str, Any]) -> Opening:
    clip = _typed(row, "calibration", dict, None)
    head = Head(
        last_id=_count(row, "last_id", 0),
        model=_typed(row, "model", dict, {}),
        clip=None if clip is None else (_number(clip, "c0"), _number(clip, "c1")),
    )
    return Opening(head, _typed(row, "vectors", bool, False), _count(row, "version", 0))


def _entry(row: Mapping[str, Any]) -> AuditEntry:
    return AuditEntry(
        at_us=_needed_time(row, "at"),
        space=_given(row, "space", str),
        agent=_given(row, "agent", str),
        verb=_given(row, "verb", str),
        detail=_without_secrets(_given(row, "detail", dict)),
    )


def _without_secrets(detail: dict[str, Any]) -> dict[str, Any]:
    """What an entry says, without a secret that somebody once searched for."""
    query = detail.get("query")
    return detail if not isinstance(query, str) or not mask(query).kinds else {**detail, "query": mask(query).text}


def _typed(row: Mapping[str, Any], name: str, kind: type | tuple[type, ...], default: Any) -> Any:
    value = row.get(name)
    if value is None:
        return default
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise BadLineError(f"its {name} is not {_KINDS.get(kind, 'a list' if kind is list else 'a number')}")
    return value


def _given(row: Mapping[str, Any], name: str, kind: type) -> Any:
    value = _typed(row, name, kind, None)
    if value is None:
        raise BadLineError(f"it has no {name}")
    return value


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_ID


def _count(row: Mapping[str, Any], name: str, default: int) -> int:
    value = row.get(name, default)
    if not _is_count(value):
        raise BadLineError(f"its {name} is not a whole number of at least 0")
    return int(value)


def _id(row: Mapping[str, Any], name: str = "id") -> int:
    value = row.get(name)
    if not _is_count(value) or not value:
        raise BadLineError(f"its {name} is not a whole number of at least 1")
    return int(value)


def _number(row: Mapping[str, Any], name: str) -> float:
    return float(_typed(row, name, (int, float), 0.0))


def _member(row: Mapping[str, Any], name: str, kind: type[_E], default: _E) -> _E:
    value = row.get(name)
    try:
        return default if value is None else kind(value)
    except ValueError:
        raise BadLineError(f"its {name} {str(value)[:40]!r} is not one of {', '.join(kind)}") from None


def _tier(label: object) -> Tier | None:
    if label is None:
        return None
    if not isinstance(label, str):
        raise BadLineError("a tier is not a text")
    return Tier.parse(label)


def _floors(row: Mapping[str, Any]) -> dict[str, Tier]:
    floors = {agent: _tier(label) for agent, label in _typed(row, "floors", dict, {}).items()}
    return {agent: tier for agent, tier in floors.items() if tier}


def _source(row: Mapping[str, Any]) -> Source | None:
    given = _typed(row, "source", dict, None)
    if given is None:
        return None
    return Source(_given(given, "uri", str), _typed(given, "session", str, ""), _typed(given, "sequence", int, 0))


def _time(row: Mapping[str, Any], name: str) -> int | None:
    value = row.get(name)
    if value is None:
        return None
    try:
        when = datetime.fromisoformat(value)
        us = to_us(when if when.tzinfo else when.replace(tzinfo=UTC))
        to_datetime(us)
    except (TypeError, ValueError, OverflowError):
        raise BadLineError(f"its {name} {str(value)[:40]!r} is not a time in ISO 8601") from None
    return us


def _needed_time(row: Mapping[str, Any], name: str) -> int:
    us = _time(row, name)
    if us is None:
        raise BadLineError(f"it has no {name}")
    return us


def _conflict(row: Mapping[str, Any]) -> Conflict:
    older, newer, state = _id(row, "older"), _id(row, "newer"), _member(row, "state", ConflictState, ConflictState.OPEN)
    standing = None if row.get("standing") is None else _id(row, "standing")
    if (standing is not None) != (state is ConflictState.SUPERSEDED) or standing not in (None, older, newer):
        raise BadLineError("its state and the side that stands do not fit together")
    return Conflict(
        id=0,
        older=older,
        newer=newer,
        reason=_member(row, "reason", Reason, Reason.GIVEN),
        detail=mask(_typed(row, "about", str, "")).text[:MAX_ABOUT],
        state=state,
        standing=standing,
        found_us=_needed_time(row, "found_at"),
        decided_us=_time(row, "decided_at"),
        decided_by=_typed(row, "decided_by", str, ""),
        note=mask(_typed(row, "note", str, "")).text[:MAX_ABOUT],
    )


def _pattern(row: Mapping[str, Any]) -> KeptPattern | None:
    when = _time(row, "distilled_at")
    episodes = _typed(row, "episodes", list, [])
    if not all(map(_is_count, episodes)):
        raise BadLineError("its episodes are not ids")
    return None if when is None else KeptPattern(distilled_us=when, episodes=tuple(sorted(set(episodes))))


def _outcome(row: Mapping[str, Any]) -> KeptOutcome | None:
    given = _typed(row, "distillation", dict, None)
    if given is None:
        return None
    outcome = _member(given, "outcome", Outcome, Outcome.DISTILLED)
    return KeptOutcome(outcome=outcome, at_us=_needed_time(given, "at"))


def _copy(row: Mapping[str, Any]) -> KeptCopy | None:
    given = _typed(row, "near_copy", dict, None)
    if given is None:
        return None
    of, similarity = given.get("of"), given.get("similarity")
    if (
        not _is_count(of)
        or isinstance(similarity, bool)
        or not isinstance(similarity, (int, float))
        or not 0 <= similarity <= 1
    ):
        raise BadLineError("its near_copy is not an id and a similarity from 0 to 1")
    return KeptCopy(of, float(similarity))


def _vectors(row: Mapping[str, Any]) -> KeptVectors | None:
    given = _typed(row, "vectors", dict, None)
    if given is None:
        return None
    try:
        own = base64.b64decode(_given(given, "own", str), validate=True)
        joint = _typed(given, "joint", str, None)
        return KeptVectors(
            model=_given(given, "model", str),
            own=own,
            joint=None if joint is None else base64.b64decode(joint, validate=True),
        )
    except ValueError as error:
        if isinstance(error, BadLineError):
            raise
        raise BadLineError("its vectors are not base64") from None
