"""Reads a data set's file as JSON, packed or not, and says in words what is wrong with it. It knows no format inside."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lodmem.errors import BadParameter, UnknownPath

_GZIP = b"\x1f\x8b"


def read_json(path: Path, *, origin: str) -> Any:
    """The JSON document in a file, which may be packed with gzip whatever its name. `origin` says where the public one is.

    Raises: UnknownPath for what cannot be read, BadParameter for what is not JSON; both with `origin` as the hint.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnknownPath(f"cannot read {path}: {error.strerror or error}", hint=origin) from error
    try:
        return json.loads(gzip.decompress(data) if data.startswith(_GZIP) else data)
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise BadParameter(f"{path} is not JSON: {error}", hint=origin) from error
    except RecursionError as error:
        raise BadParameter(f"{path} is not JSON of any data set: it is nested too deep", hint=origin) from error


def digest(path: Path) -> str:
    """SHA-256 of a file. Raises UnknownPath."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnknownPath(f"cannot read {path}: {error.strerror or error}") from error


@contextmanager
def in_format(what: str, *, origin: str) -> Iterator[None]:
    """Turns what goes wrong while one piece of a file is read into BadParameter: '`what` is not in the format'."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise BadParameter(f"{what}: {error!r}", hint=origin) from error


def read_lines(path: Path, *, hint: str) -> list[tuple[str, dict[str, Any]]]:
    """(place, object) of each line of a JSON Lines file; the place is for errors. Blank lines are passed over.

    Raises: UnknownPath for what cannot be read, BadParameter for a line that is no JSON object; both with `hint`.
    """
    try:
        raw = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnknownPath(f"cannot read {path}: {error.strerror or error}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise BadParameter(f"{path} is not UTF-8: {error.reason}", hint=hint) from error
    found = []
    for number, line in enumerate(raw.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadParameter(f"{place}: not JSON: {error}", hint=hint) from error
        if not isinstance(value, dict):
            raise BadParameter(f"{place}: not a JSON object", hint=hint)
        found.append((place, value))
    return found


def is_text(value: str) -> bool:
    """Whether a string of a JSON document is text: JSON can spell half a character, which no encoding can hold."""
    return not any("\ud800" <= char <= "\udfff" for char in value)
