"""Lines of files that may be huge, damaged, or still growing, and the JSON rows in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from lodmem.errors import InputError, UnknownPath
from lodmem.ingest.importers.base import Meter
from lodmem.ingest.importers.files import as_text, shown
from lodmem.ingest.report import Problem

# A row is read into memory whole. Texts take their bytes there; empty lists and objects take twenty times theirs.
MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_CONTAINERS = 500_000
_SNIFFED_LINES = 40
_SNIFFED_BYTES = 1024 * 1024


def open_file(path: Path) -> BinaryIO:
    """The file for reading. Raises UnknownPath, InputError."""
    try:
        return path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        raise UnknownPath(f"there is no file {shown(path)}", hint="check the path") from None
    except OSError as error:
        raise InputError(f"{shown(path)} cannot be read: {error.strerror or error}", hint="check its permissions") from None


class LineFile:
    """Lines of a file from where reading stopped last time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0
        self.number = 0

    def lines(self, meter: Meter, *, whole: bool) -> Iterator[tuple[int, bytes | None]]:
        """Number and bytes of each line that is new; None for one beyond MAX_LINE_BYTES, which is not held.

        `whole` False: the file grows, and a last line without an end is left for later. A file that became shorter is read
        from its start.
        """
        with open_file(self.path) as file:
            if file.seek(0, 2) < self.offset:
                self.offset = self.number = 0
            file.seek(self.offset)
            while line := file.readline(MAX_LINE_BYTES + 1):
                length, kept = len(line), line
                while length > MAX_LINE_BYTES and not line.endswith(b"\n") and (line := file.readline(MAX_LINE_BYTES)):
                    length += len(line)
                if not whole and not line.endswith(b"\n"):
                    return
                self.offset += length
                self.number += 1
                meter.done += length
                yield self.number, kept if length <= MAX_LINE_BYTES else None


def json_row(line: bytes | None, where: str) -> dict[str, Any] | Problem:
    """The object that a line holds."""
    if line is None:
        return Problem(where, f"a line larger than {MAX_LINE_BYTES // 1024**2} MB")
    text = as_text(line, where)
    if isinstance(text, Problem):
        return text
    if len(line) > MAX_CONTAINERS and line.count(b"[") + line.count(b"{") > MAX_CONTAINERS:
        return Problem(where, f"more than {MAX_CONTAINERS:,} lists and objects in one row")
    try:
        row = json.loads(text)
    except RecursionError:
        return Problem(where, "nested too deeply")
    except ValueError as error:
        return Problem(where, f"not JSON: {error}")
    return row if isinstance(row, dict) else Problem(where, "not an object")


def first_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects among the first lines, for recognising a file; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            for line in islice(iter(lambda: file.readline(_SNIFFED_BYTES), b""), _SNIFFED_LINES):
                row = json_row(line, "")
                if isinstance(row, dict):
                    yield row
    except OSError:
        return


def beginning(path: Path) -> bytes:
    """The first bytes of a file, for recognising it; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_SNIFFED_BYTES // 8)
    except OSError:
        return b""


def size_of(path: Path) -> int:
    """Bytes of a file, 0 where it is gone."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
