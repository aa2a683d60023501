"""What every importer is, and what they share: the dates of sources and the names of places. It reads no file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, to_us

# The space and agent of a draft whose source names none: whoever ingests puts in their own.
CALLERS = ""

_DATED_NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?!\d)")


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


def iso_us(text: str) -> int | None:
    """Microseconds UTC of an ISO 8601 date or time; without a zone it is read as UTC. None if it is not one."""
    try:
        when = datetime.fromisoformat(text.strip())
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
