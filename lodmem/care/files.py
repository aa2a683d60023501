"""The lines of a file, packed or not, or of a stream; none held longer than it is read."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from lodmem.errors import InputError, UnknownPath
from lodmem.ports import Progress

MAX_LINE_BYTES = 512 * 1024 * 1024
EVERY = 50
GZIP = b"\x1f\x8b"
NumberedLines = Iterator[tuple[int, bytes]]


@contextmanager
def open_lines(path: Path, progress: Progress | None = None) -> Iterator[NumberedLines]:
    """Numbered lines from 1. `progress` is told how many bytes of the file have been read. Raises UnknownPath, InputError."""
    try:
        raw = path.open("rb")
    except FileNotFoundError:
        raise UnknownPath(f"there is no file {path}", hint="check the path") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", hint="give a file of lodmem export") from None
    with raw:
        yield _watched(raw, path.stat().st_size, str(path), progress)


def stream_lines(stream: IO[bytes], name: str) -> NumberedLines:
    """Numbered lines of a stream that cannot be sought."""
    return _watched(stream, 0, name, None)


def _watched(raw: IO[bytes], size: int, name: str, progress: Progress | None) -> NumberedLines:
    peek = getattr(raw, "peek", None)
    packed = peek is not None and peek(2)[:2] == GZIP
    file = cast("IO[bytes]", gzip.GzipFile(fileobj=raw, mode="rb")) if packed else raw
    number = 0
    try:
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise InputError(
                    f"{name}: line {number} is longer than {MAX_LINE_BYTES // 1024**2} MB", hint="is it an export?"
                )
            yield number, line
            if progress is not None and number % EVERY == 0:
                progress(min(raw.tell(), size), size)
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(
            f"{name} ends or is damaged after line {number}: {error}", hint="what stands before it was taken in; run it again"
        ) from error
