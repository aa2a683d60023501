"""Files of a folder and their texts, for the importers that read files. It follows no link and opens nothing but files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from lodmem.errors import UnknownPath
from lodmem.ingest.report import Problem

# No file is read into memory beyond this; the engine's own limit for one text is far below.
MAX_FILE_BYTES = 64 * 1024 * 1024
_TOOLS = frozenset({"node_modules", "__pycache__", "site-packages"})


def files(root: Path, suffixes: Collection[str]) -> Iterator[Path | Problem]:
    """`root` itself if it is a file; else the files below with one of the lower-case suffixes, folder by folder, by name.

    Hidden files and folders, node_modules and virtual environments are passed over, links inside too (what they point to is
    met where it is); a link that leads out of the folder, and what cannot be listed, is a Problem. Raises UnknownPath.
    """
    if root.is_file():
        yield root
        return
    if not root.is_dir():
        raise UnknownPath(f"there is no file or folder {shown(root)}", hint="check the path")
    top = root.resolve()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield Problem(shown(folder), f"cannot be listed: {error.strerror or error}")
            continue
        below = []
        for entry in _visible(entries):
            path = folder / entry.name
            if entry.is_symlink():
                if (path.suffix.lower() in suffixes or path.is_dir()) and not _within(path, top):
                    yield Problem(shown(path), "a link that leads out of the folder, not followed")
            elif entry.is_dir():
                below.append(path)
            elif entry.is_file() and path.suffix.lower() in suffixes:
                yield path
        waiting += reversed(below)


def _visible(entries: list[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    names = {entry.name for entry in entries}
    if "pyvenv.cfg" not in names:
        yield from (entry for entry in entries if not entry.name.startswith(".") and entry.name not in _TOOLS)


def _within(path: Path, top: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(top)


def shown(path: Path) -> str:
    """The path as printable text, whatever bytes its name is made of."""
    return os.fsencode(path).decode("utf-8", "replace")


def read_text(path: Path) -> str | Problem:
    """The text of a UTF-8 file without its byte order mark, line ends as they are; a Problem if it is not such a file."""
    if not path.is_file():
        return Problem(shown(path), "not a file")
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        return Problem(shown(path), f"cannot be read: {error.strerror or error}")
    if len(raw) > MAX_FILE_BYTES:
        return Problem(shown(path), f"larger than {MAX_FILE_BYTES // 1024**2} MB")
    return as_text(raw, shown(path))


def as_text(raw: bytes, where: str) -> str | Problem:
    """The text of UTF-8 bytes without a byte order mark; a Problem if they are binary or in another encoding."""
    if b"\0" in raw:
        return Problem(where, "binary, not text")
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return Problem(where, f"not UTF-8: byte 0x{raw[error.start]:02x} at position {error.start}")
