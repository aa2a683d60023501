"""JSON Lines: one memory a row, from plain fields. A row that cannot be used is a Problem with its line, the others go on.

    text | content | full   the text (required)       created_at, expires_at, valid_from, valid_to   ISO 8601, or Unix seconds
    kind, priority, importance, tags, space, agent    as the engine has them
    source                  a uri, or {uri, session, sequence}; session and sequence may also stand beside it

Whatever else a row holds is kept in its metadata. Without a source of its own, a row's place is its file and line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lodmem.errors import InputError, UnknownPath
from lodmem.ingest.importers.base import CALLERS, file_uri, iso_us
from lodmem.ingest.importers.files import as_text, shown
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Kind, Priority, Source

SUFFIXES = frozenset({".jsonl", ".ndjson"})
MAX_LINE_BYTES = 64 * 1024 * 1024
TEXT = ("text", "content", "full")
TIMES = {"created_at": "created_us", "expires_at": "expires_us", "valid_from": "valid_from_us", "valid_to": "valid_to_us"}
_READ = (*TEXT, *TIMES, "kind", "priority", "importance", "tags", "space", "agent", "source", "session", "sequence", "meta")
_NAMES: dict[type | tuple[type, ...], str] = {str: "a string", int: "a whole number", dict: "an object"}
_E = TypeVar("_E", bound=StrEnum)
# Later Unix seconds are probably milliseconds; which, the file must say.
_MAX_SECONDS = 100_000_000_000


class _BadRowError(ValueError):
    """Why a row cannot be used."""


class JsonlImporter:
    """A .jsonl or .ndjson file."""

    name = "jsonl"

    def recognises(self, path: Path) -> bool:
        """A file by its suffix."""
        return path.is_file() and path.suffix.lower() in SUFFIXES

    def count(self, path: Path) -> int | None:
        """The number of lines that are not blank."""
        with _open(path) as file:
            return sum(1 for line in _lines(file) if line.strip())

    def read(self, path: Path) -> Iterator[Draft | Problem]:
        """One draft a row. Raises UnknownPath."""
        uri, name = file_uri(path), shown(path)
        with _open(path) as file:
            for number, line in enumerate(_lines(file), 1):
                if line.strip():
                    yield _row(line, f"{name}:{number}", uri, number)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        raise UnknownPath(f"there is no file {shown(path)}", hint="check the path") from None
    except OSError as error:
        raise InputError(f"{shown(path)} cannot be read: {error.strerror or error}", hint="give a JSON Lines file") from None


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines; of one beyond the limit only its beginning, one byte longer than allowed."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        yield line
        while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE_BYTES + 1)


def _row(line: bytes, where: str, uri: str, number: int) -> Draft | Problem:
    if len(line) > MAX_LINE_BYTES:
        return Problem(where, f"a line larger than {MAX_LINE_BYTES // 1024**2} MB")
    text = as_text(line, where)
    if isinstance(text, Problem):
        return text
    try:
        row = json.loads(text, parse_constant=_no_number)
        if "\\ud" in text.lower():
            json.dumps(row, ensure_ascii=False).encode()
        return _draft(row, uri, number)
    except _BadRowError as error:
        return Problem(where, str(error))
    except UnicodeEncodeError:
        return Problem(where, "a lone surrogate, which is no character")
    except RecursionError:
        return Problem(where, "nested too deeply")
    except ValueError as error:
        return Problem(where, f"not JSON: {error}")


def _draft(row: object, uri: str, number: int) -> Draft:
    if not isinstance(row, dict):
        raise _BadRowError("not an object")
    key = next((key for key in TEXT if isinstance(row.get(key), str)), None)
    if key is None:
        raise _BadRowError(f"no text: none of {', '.join(TEXT)} is a string")
    used = {*_READ} - {*TEXT} | {key}
    meta = _typed(row, "meta", dict, {})
    times = {field: us for name, field in TIMES.items() if (us := _time(name, row.get(name))) is not None}
    return Draft(
        full=row[key],
        space=_typed(row, "space", str, CALLERS),
        agent=_typed(row, "agent", str, CALLERS),
        kind=_member(row, "kind", Kind, Kind.EPISODIC),
        priority=_member(row, "priority", Priority, Priority.MEDIUM),
        importance=_typed(row, "importance", (int, float), 0.5),
        tags=_tags(row.get("tags")),
        source=_source(row, uri, number),
        meta=meta | {name: value for name, value in row.items() if name not in used},
        **times,
    )


def _source(row: dict[str, Any], uri: str, number: int) -> Source:
    given = row.get("source")
    place = {**row, **given, "source": given.get("uri")} if isinstance(given, dict) else row
    sequence = _typed(place, "sequence", int, number)
    if not -(2**63) <= sequence < 2**63:
        raise _BadRowError("its sequence is larger than 64 bits")
    return Source(_typed(place, "source", str, uri), _typed(place, "session", str, ""), sequence)


def _typed(row: Mapping[str, Any], name: str, kind: type | tuple[type, ...], default: Any) -> Any:
    value = row.get(name)
    if value is None:
        return default
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _BadRowError(f"its {name} is not {_NAMES.get(kind, 'a number')}")
    return value


def _member(row: Mapping[str, Any], name: str, kind: type[_E], default: _E) -> _E:
    value = row.get(name)
    try:
        return default if value is None else kind(value)
    except ValueError:
        raise _BadRowError(f"its {name} {value!r} is not one of {', '.join(kind)}") from None


def _tags(value: object) -> tuple[str, ...]:
    tags = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise _BadRowError("its tags are not strings")
    return tuple(dict.fromkeys(tags))


def _time(name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, str) and (us := iso_us(value)) is not None:
        return us
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _MAX_SECONDS:
        return round(value * 1_000_000)
    raise _BadRowError(f"its {name} {str(value)[:40]!r} is neither ISO 8601 nor Unix seconds")


def _no_number(name: str) -> object:
    raise _BadRowError(f"{name} is not a number")
