"""The columns in a file beside the store, mapped rather than read, so that opening a large store takes no time.

The file is a cache: it is made whole under another name, synced, then renamed, and never changed after that, except that
what was forgotten is blotted out. Each array has room at its end; a process appends and rewrites in its own private copy of
the pages. It refuses to know what is stale: the change number in it says from where the change log must be read.
"""

from __future__ import annotations

import json
import mmap
import os
import secrets
import time
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

MAGIC = b"lodmem columns 1"
PAGE = 4096
CHUNK = 1 << 22
ABANDONED_SECONDS = 3600
ROOM_SHARE = 8
ROOM = 4096

Arrays = Mapping[str, NDArray[Any]]


class Unusable(Exception):
    """The file is not there, not whole, or of another store or time; it says why."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A mapped file: `arrays` with room behind their first `lengths` rows, writable, private to this process."""

    facts: Mapping[str, Any]
    arrays: Arrays
    lengths: Mapping[str, int]

    def filled(self, name: str) -> NDArray[Any]:
        """An array without the room behind it."""
        return self.arrays[name][: self.lengths[name]]


def write(path: Path, facts: Mapping[str, Any], arrays: Arrays) -> None:
    """Put a new file at `path`, readable by its owner only. Arrays may change meanwhile. Raises OSError, and leaves nothing."""
    draft = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with open(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "r+b") as file:
            sections: dict[str, dict[str, Any]] = {}
            end = PAGE
            for name, array in arrays.items():
                sections[name] = _write_array(file, array, end)
                end = sections[name]["end"]
            _write_head(file, {"facts": dict(facts), "sections": sections}, end)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def load(path: Path) -> Saved:
    """Map a file. Raises Unusable."""
    try:
        with path.open("rb") as file:
            head = _head(file)
            size = os.fstat(file.fileno()).st_size
            memory = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY)
    except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
        raise Unusable(str(error)) from None
    sections = head["sections"]
    return Saved(
        head["facts"],
        {name: _mapped(memory, section) for name, section in sections.items()},
        {name: section["rows"] for name, section in sections.items()},
    )


def check(path: Path) -> list[str]:
    """What is wrong with the file, in words; all of it is read. A file that is not there is no fault."""
    try:
        with path.open("rb") as file:
            sections = _head(file)["sections"]
            return [f"{path.name}: {name} is damaged" for name, section in sections.items() if not _sound(file, section)]
    except FileNotFoundError:
        return []
    except (OSError, Unusable) as error:
        return [f"{path.name}: {error}"]


class Blotter:
    """The file itself, for blotting out what was forgotten. Other processes see it at once, so change only what each
    reader ignores or finds out by itself. Use as a context manager; raises Unusable or OSError."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("r+b")
        try:
            self._head = _head(self._file)
        except BaseException:
            self._file.close()
            raise
        self._touched: set[tuple[str, int]] = set()

    def read(self, name: str) -> NDArray[Any]:
        """A copy of an array."""
        section = self._head["sections"][name]
        self._file.seek(section["at"])
        shape = (section["rows"], *section["width"])
        return np.frombuffer(self._file.read(_bytes(section)), dtype=section["dtype"]).reshape(shape)

    def blot(self, name: str, rows: NDArray[np.int64]) -> None:
        """Zeros for some rows of an array."""
        section = self._head["sections"][name]
        size = _row_bytes(section)
        for row in rows.tolist():
            self._file.seek(section["at"] + row * size)
            self._file.write(bytes(size))
            self._touched.update((name, chunk) for chunk in range(row * size // CHUNK, ((row + 1) * size - 1) // CHUNK + 1))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with self._file:
            self._file.flush()
            for name, chunk in self._touched:
                section = self._head["sections"][name]
                section["crcs"][chunk] = _crc_of(self._file, section, chunk)
            # Behind what is there: until the first page says otherwise, the old head counts.
            _write_head(self._file, self._head, self._file.seek(0, os.SEEK_END))


def clear(path: Path, *, drafts_only: bool = False) -> None:
    """Remove the file, and drafts whose makers were killed."""
    if not drafts_only:
        path.unlink(missing_ok=True)
    for draft in path.parent.glob(f"{path.name}.*.tmp"):
        with suppress(OSError):
            if not drafts_only or time.time() - draft.stat().st_mtime > ABANDONED_SECONDS:
                draft.unlink()


def strings(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Texts as two arrays: their UTF-8 one after another, and where each ends."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum(np.array([len(text) for text in encoded], dtype=np.int64))
    return {f"{name}.bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}.ends": ends}


def texts(name: str, saved: Saved) -> list[str]:
    """What `strings` was given."""
    joined = saved.filled(f"{name}.bytes").tobytes()
    ends = saved.filled(f"{name}.ends").tolist()
    return [joined[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]


def _write_array(file: IO[bytes], array: NDArray[Any], at: int) -> dict[str, Any]:
    """Write an array from `at` on; where it stands, and where the room behind it ends."""
    width, rows = list(array.shape[1:]), len(array)
    section: dict[str, Any] = {"at": at, "rows": rows, "width": width, "dtype": array.dtype.str, "crcs": []}
    section["room"] = rows + rows // ROOM_SHARE + ROOM
    section["end"] = -(-(at + section["room"] * _row_bytes(section)) // PAGE) * PAGE
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    file.seek(at)
    for start in range(0, len(flat), CHUNK):
        # A copy first: the sum must be of what is written, whatever happens to the array meanwhile.
        chunk = flat[start : start + CHUNK].tobytes()
        section["crcs"].append(zlib.crc32(chunk))
        file.write(chunk)
    return section


def _write_head(file: IO[bytes], head: Mapping[str, Any], at: int) -> None:
    body = json.dumps(head).encode()
    file.truncate(at)
    file.seek(at)
    file.write(body)
    file.flush()
    os.fsync(file.fileno())
    file.seek(0)
    file.write(MAGIC + b"".join(n.to_bytes(8, "little") for n in (at, len(body), zlib.crc32(body))))
    file.flush()
    os.fsync(file.fileno())


def _head(file: IO[bytes]) -> dict[str, Any]:
    """Facts and sections. Raises Unusable for anything but a whole file of ours."""
    file.seek(0)
    start = file.read(len(MAGIC) + 24)
    if len(start) < len(MAGIC) + 24 or not start.startswith(MAGIC):
        raise Unusable("not a file of this version")
    at, length, crc = (int.from_bytes(start[len(MAGIC) + i : len(MAGIC) + i + 8], "little") for i in (0, 8, 16))
    file.seek(at)
    body = file.read(length)
    if len(body) != length or zlib.crc32(body) != crc:
        raise Unusable("its end is missing or damaged")
    head: dict[str, Any] = json.loads(body)
    return head


def _mapped(memory: mmap.mmap, section: Mapping[str, Any]) -> NDArray[Any]:
    shape = (section["room"], *section["width"])
    count = int(np.prod(shape))
    return np.frombuffer(memory, dtype=section["dtype"], count=count, offset=section["at"]).reshape(shape)


def _row_bytes(section: Mapping[str, Any]) -> int:
    return int(np.dtype(section["dtype"]).itemsize * np.prod(section["width"], dtype=np.int64))


def _bytes(section: Mapping[str, Any]) -> int:
    return int(section["rows"]) * _row_bytes(section)


def _crc_of(file: IO[bytes], section: Mapping[str, Any], chunk: int) -> int:
    file.seek(section["at"] + chunk * CHUNK)
    return zlib.crc32(file.read(min(CHUNK, _bytes(section) - chunk * CHUNK)))


def _sound(file: IO[bytes], section: Mapping[str, Any]) -> bool:
    return all(_crc_of(file, section, chunk) == crc for chunk, crc in enumerate(section["crcs"]))
