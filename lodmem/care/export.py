"""Writing all that a store keeps to an open file. One moment of the store, in small memory, never half under its name."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lodmem._version import __version__
from lodmem.care.lines import Writing, end_line, line_of
from lodmem.errors import BadParameter, InputError
from lodmem.model.kept import Kept
from lodmem.ports import Progress, Store

EVERY = 50
PACKED = ".gz"


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote."""

    memories: int
    lines: int
    bytes: int


def export_file(
    store: Store, path: Path, *, vectors: bool = False, overwrite: bool = False, progress: Progress | None = None
) -> Exported:
    """Write to a file, packed if its name ends in .gz. Raises BadParameter, InputError; a failure leaves nothing there."""
    path = path.absolute()
    if path.exists() and not overwrite:
        raise BadParameter(f"{path} is there already", hint="name another file, or say that it may be replaced (--force)")
    if path.is_dir() or (path.exists() and not path.is_file()):
        raise BadParameter(f"{path} is not a file", hint=f"name a file, such as {path / 'memories.jsonl.gz'}")
    try:
        number, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
        try:
            with os.fdopen(number, "wb") as raw:
                done = _packed(store, raw, path, vectors=vectors, progress=progress)
                raw.flush()
                os.fsync(raw.fileno())
            size = os.path.getsize(name)
            os.replace(name, path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}", hint="check the path and the space") from error
    return Exported(done.memories, done.lines, size)


def _packed(store: Store, raw: IO[bytes], path: Path, *, vectors: bool, progress: Progress | None) -> Exported:
    if path.suffix.lower() != PACKED:
        return export_lines(store, raw.write, vectors=vectors, progress=progress)
    # No name and no time inside: the same store gives the same file.
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
        return export_lines(store, packed.write, vectors=vectors, progress=progress)


def export_lines(
    store: Store, write: Callable[[bytes], object], *, vectors: bool = False, progress: Progress | None = None
) -> Exported:
    """Write line by line."""
    writing = Writing(f"lodmem {__version__}", vectors)
    total = store.stats().memories if progress is not None else 0
    memories = lines = size = 0
    for piece in store.dump(vectors=vectors):
        line = line_of(piece, writing)
        write(line)
        lines += 1
        size += len(line)
        if isinstance(piece, Kept):
            memories += 1
            if progress is not None and memories % EVERY == 0:
                progress(memories, max(total, memories))
    line = end_line(memories)
    write(line)
    return Exported(memories, lines + 1, size + len(line))
