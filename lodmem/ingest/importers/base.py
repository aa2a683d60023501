"""What every importer is, and what they share: the dates of sources and the names of places. It reads no file."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, to_us

# The space and agent of a draft whose source names none: whoever ingests puts in their own.
CALLERS = ""
MAX_KINDS = 50
MAX_NAME = 500

_DATED_NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?!\d)")
_SPACED_ZONE = re.compile(r" (?=[+-]\d\d:?\d\d$)")


class Importer(Protocol):
    """Reads one kind of source. It writes nothing, and reading the same source again gives the same drafts.

    A draft's source (uri, session, sequence) stays the same while its text does, so that ingesting again adds only what is
    new. A time that the source does not state is None. Space and agent are `CALLERS` unless the source names them.
    """

    @property
    def name(self) -> str:
        """The word that chooses it."""
        ...

    def recognises(self, path: Path) -> bool:
        """Whether an existing path looks like something it reads."""
        ...

    def count(self, path: Path) -> int | None:
        """How many drafts and problems `read` will give, None where only reading can tell. Raises as `read` does."""
        ...

    def read(self, path: Path) -> Iterator[Draft | Problem]:
        """Drafts in the source's order; a Problem for each part that cannot be used.

        Raises:
            UnknownPath: there is nothing at `path`.
            InputError: nothing there can be read by this importer.
        """
        ...


@dataclass(slots=True)
class Meter:
    """How far a reading is: bytes dealt with, and how many of what was passed over on purpose."""

    done: int = 0
    passed: Counter[str] = field(default_factory=Counter)

    def skip(self, kind: str, count: int = 1) -> None:
        """Count something that is passed over. Of kinds that a file names, only so many are told apart."""
        self.passed[kind if kind in self.passed or len(self.passed) < MAX_KINDS else "other things"] += count


class Streaming(ABC):
    """An importer of what may be larger than memory: it reads once, and its progress is in bytes."""

    name: str

    @abstractmethod
    def recognises(self, path: Path) -> bool:
        """Whether an existing path looks like something it reads."""

    @abstractmethod
    def size(self, path: Path) -> int:
        """Bytes that `stream` will deal with."""

    @abstractmethod
    def stream(self, path: Path, meter: Meter) -> Iterator[Draft | Problem]:
        """What `read` gives, with the meter moving. Raises as `read` does."""

    def count(self, path: Path) -> int | None:
        """Only reading can tell."""
        return None

    def read(self, path: Path) -> Iterator[Draft | Problem]:
        """Drafts in the source's order; a Problem for each part that cannot be used. Raises UnknownPath, InputError."""
        return self.stream(path, Meter())


def clean(text: str, limit: int | None = None) -> str:
    """The text without what no store keeps: halves of a character and NULs become the replacement character.

    `limit`: characters, for names of things and places, which somebody else's file may make as long as it likes.
    """
    text = text[:limit]
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def word(value: object) -> str:
    """A string as it is, anything else as an empty one: a field of somebody else's file."""
    return value if isinstance(value, str) else ""


def parts(value: object) -> list[dict[str, object]]:
    """The objects of a list, none where it is no list: a field of somebody else's file."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def unix_us(value: object) -> int | None:
    """Microseconds UTC of Unix seconds, None if it is no number or beyond the calendar."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 250_000_000_000:
        return None
    return round(value * 1_000_000)


def iso_us(text: str) -> int | None:
    """Microseconds UTC of an ISO 8601 date or time; without a zone it is read as UTC. None if it is not one."""
    try:
        when = datetime.fromisoformat(_SPACED_ZONE.sub("", text.strip()))
        return to_us(when if when.tzinfo else when.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def date_in_name(path: Path) -> int | None:
    """Microseconds of the day that a file name begins with (YYYY-MM-DD), None if it begins with none."""
    match = _DATED_NAME.match(path.name)
    return iso_us(match[1]) if match else None


def file_uri(path: Path) -> str:
    """The uri of a file: file:// and its absolute path, whatever folder it was found from, links resolved."""
    return path.resolve().as_uri()


def place(draft: Draft) -> str:
    """Where a draft comes from, for a person: a file and line, or a commit."""
    if draft.source is None:
        return "a text without a source"
    uri, commit = draft.source.uri, draft.meta.get("commit")
    line = draft.meta.get("line") or draft.source.sequence
    if commit:
        return f"commit {str(commit)[:10]}"
    name = unquote(urlsplit(uri).path) if uri.startswith("file://") else uri
    return f"{name}:{line}" if line else name
