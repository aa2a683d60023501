"""Plain text files: one memory a file, dated only by a name that begins with a date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lodmem.ingest.importers.base import CALLERS, date_in_name, file_uri
from lodmem.ingest.importers.files import files, read_text, shown
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Source

SUFFIXES = frozenset({".txt", ".text"})


class TextImporter:
    """One .txt file, or all of a folder. The text is kept as it is."""

    name = "text"

    def recognises(self, path: Path) -> bool:
        """A file by its suffix, a folder that holds one."""
        if path.is_file():
            return path.suffix.lower() in SUFFIXES
        return any(isinstance(found, Path) for found in files(path, SUFFIXES))

    def count(self, path: Path) -> int | None:
        """The number of files, and of links and folders that will be problems."""
        return sum(1 for _ in files(path, SUFFIXES))

    def read(self, path: Path) -> Iterator[Draft | Problem]:
        """One draft a file. Raises UnknownPath."""
        for found in files(path, SUFFIXES):
            yield found if isinstance(found, Problem) else _draft(found)


def _draft(path: Path) -> Draft | Problem:
    text = read_text(path)
    if isinstance(text, Problem):
        return text
    if not text.strip():
        return Problem(shown(path), "empty")
    return Draft(full=text, space=CALLERS, agent=CALLERS, created_us=date_in_name(path), source=Source(file_uri(path)))
