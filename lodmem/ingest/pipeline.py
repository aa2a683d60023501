"""From a draft to what a store keeps: checks, levels of detail, passages, index terms. No model, no network, no store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from lodmem.errors import BadEncoding, BadParameter, EmptyText, EngineOutput, TooLarge
from lodmem.ingest.episodes import episode_class_of
from lodmem.ingest.hygiene import masked
from lodmem.model.memory import MAX_TEXT_BYTES, Draft, Identity, Kind, Levels, Passage, Prepared, check_space, to_us
from lodmem.ports import TokenCounter
from lodmem.text.compress import make_levels
from lodmem.text.echo import is_echo
from lodmem.text.passages import passages
from lodmem.text.sentences import sentences
from lodmem.text.tokens import date_terms, index_terms

MAX_TAGS = 64
EARLIEST_US = to_us(datetime.min.replace(tzinfo=UTC))
LATEST_US = to_us(datetime.max.replace(tzinfo=UTC))
MAX_NAME_CHARS = 255


class Admitted(NamedTuple):
    """A draft in order and without secrets, the hash of its text, the kinds of what was masked, and the hash of the text as it
    was handed in."""

    draft: Draft
    content_hash: str
    masked: tuple[str, ...]
    received_hash: str

    @property
    def identity(self) -> Identity:
        return Identity(self.draft.space, self.draft.source, self.content_hash)


def decode(text: str | bytes) -> str:
    """Text from UTF-8 bytes or a string, unchanged. Raises BadEncoding."""
    if isinstance(text, str):
        return text
    if not isinstance(text, (bytes, bytearray)):
        raise BadParameter(f"a memory's text is a string or bytes, got {type(text).__name__}")
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadEncoding(
            f"the text is not UTF-8: byte 0x{text[error.start]:02x} at position {error.start}",
            hint="decode it first, e.g. data.decode('latin-1')",
        ) from None


def prepare(draft: Draft, counter: TokenCounter, *, now_us: int, max_bytes: int = MAX_TEXT_BYTES) -> Prepared:
    """The draft ready to be stored. Raises what `admit` raises."""
    admitted = admit(draft, max_bytes=max_bytes)
    return put_together(admitted, make(raw(admitted, now_us), counter))


class Raw(NamedTuple):
    """All that levels, passages and terms are made of."""

    full: str
    created_us: int
    episodic: bool


class Made(NamedTuple):
    """What is computed from a text; most of the work of a write."""

    levels: Levels
    passages: tuple[Passage, ...]
    episode_class: str | None


def raw(admitted: Admitted, now_us: int) -> Raw:
    """What is to be computed from."""
    draft = admitted.draft
    return Raw(draft.full, now_us if draft.created_us is None else draft.created_us, draft.kind is Kind.EPISODIC)


def make(text: Raw, counter: TokenCounter) -> Made:
    """Levels, passages and terms of a text."""
    full, created_us, episodic = text
    spans = sentences(full)
    return Made(
        make_levels(full, counter, spans), passages_of(full, created_us, spans), episode_class_of(full) if episodic else None
    )


def put_together(admitted: Admitted, made: Made) -> Prepared:
    """What was admitted, with what was computed from it."""
    return Prepared(
        draft=admitted.draft,
        content_hash=admitted.content_hash,
        levels=made.levels,
        passages=made.passages,
        masked=admitted.masked,
        episode_class=made.episode_class,
    )


def admit(draft: Draft, *, max_bytes: int = MAX_TEXT_BYTES) -> Admitted:
    """The draft with its fields in order and its secrets masked.

    Raises:
        EmptyText, TooLarge, BadEncoding: the text cannot be kept as it is.
        EngineOutput: the text is what this engine rendered, and nothing else.
        BadParameter: a field is out of its range.
    """
    raw = _encoded(draft.full)
    if not draft.full.strip():
        raise EmptyText("the text is empty", hint="a memory needs at least one visible character")
    if len(raw) > max_bytes:
        raise TooLarge(
            f"the text has {len(raw):,} bytes, the limit is {max_bytes:,}",
            hint="split it, or raise max_text_bytes (LODMEM_MAX_TEXT_BYTES)",
        )
    if is_echo(draft.full):
        raise EngineOutput("the text is a landscape rendered by lodmem", hint="what is remembered need not be stored again")
    clean, kinds = masked(_checked(draft))
    received = hashlib.sha256(raw).hexdigest()
    digest = received if clean.full == draft.full else hashlib.sha256(clean.full.encode()).hexdigest()
    return Admitted(clean, digest, kinds, received)


def passages_of(full: str, created_us: int, spans: Sequence[tuple[int, int]] | None = None) -> tuple[Passage, ...]:
    """Passages of a text with their index terms, those of its date included. `spans`: its sentences, where they are known."""
    when = date_terms(created_us)
    cut = passages(full, spans=sentences(full) if spans is None else spans)
    return tuple(Passage(start, stop, (*index_terms(full[start:stop]), *when)) for start, stop in cut)


def _check_numbers(draft: Draft) -> None:
    """Times are within the calendar, a sequence fits 64 bits."""
    for name in ("created_us", "valid_from_us", "valid_to_us", "expires_us"):
        value = getattr(draft, name)
        if value is not None and (not isinstance(value, int) or not EARLIEST_US <= value <= LATEST_US):
            raise BadParameter(f"{name} must be microseconds within the years 1 to 9999, got {value!r}")
    sequence = 0 if draft.source is None else draft.source.sequence
    if isinstance(sequence, bool) or not isinstance(sequence, int) or not -(2**63) <= sequence < 2**63:
        raise BadParameter(f"a source's sequence must be a whole number of 64 bits, got {sequence!r}")


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadEncoding(
            f"the text holds a lone surrogate at position {error.start}",
            hint="it was decoded wrongly; decode the original bytes as UTF-8",
        ) from None


def _checked(draft: Draft) -> Draft:
    check_space(draft.space)
    if not draft.agent or len(draft.agent) > MAX_NAME_CHARS or not draft.agent.isprintable():
        raise BadParameter(f"{draft.agent!r} is not an agent's name")
    if not isinstance(draft.importance, (int, float)) or not 0.0 <= draft.importance <= 1.0:
        raise BadParameter(f"importance must be a number from 0 to 1, got {draft.importance!r}")
    _check_numbers(draft)
    if draft.meta != {}:
        try:
            json.dumps(dict(draft.meta))
        except (TypeError, ValueError) as error:
            raise BadParameter(f"meta cannot be written as JSON: {error}") from None
        except RecursionError:
            raise BadParameter("meta is nested too deeply", hint="keep metadata flat") from None
    tags = tuple(sorted({tag.strip() for tag in draft.tags}))
    if len(tags) > MAX_TAGS or any(not tag or len(tag) > MAX_NAME_CHARS or not tag.isprintable() for tag in tags):
        raise BadParameter(f"a memory has at most {MAX_TAGS} tags of 1 to {MAX_NAME_CHARS} printable characters")
    if draft.valid_from_us is not None and draft.valid_to_us is not None and draft.valid_to_us <= draft.valid_from_us:
        raise BadParameter("valid_to must be later than valid_from")
    return draft if tags == draft.tags else replace(draft, tags=tags)
