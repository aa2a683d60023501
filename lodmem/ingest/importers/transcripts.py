"""What the transcripts of coding agents share: folders of JSON rows that grow while they are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lodmem.errors import InputError, UnknownPath
from lodmem.ingest.importers.base import Meter, Streaming
from lodmem.ingest.importers.files import files, shown
from lodmem.ingest.importers.lines import LineFile, first_rows, json_row, size_of
from lodmem.ingest.importers.turns import Turns
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft

SUFFIXES = frozenset({".jsonl"})
_TRIED_FILES = 20


class Transcript(ABC):
    """One file; each call of `read` goes on where the last one stopped."""

    def __init__(self, path: Path, tag: str) -> None:
        self.file = LineFile(path)
        self.turns = Turns("", tag)

    def read(self, meter: Meter, *, whole: bool = True) -> Iterator[Draft | Problem]:
        """What is new in it. `whole` False: it grows, so a half line and the actions after the last turn wait."""
        name = shown(self.file.path)
        for number, line in self.file.lines(meter, whole=whole):
            if line is not None and not line.strip():
                continue
            row = json_row(line, f"{name}:{number}")
            if isinstance(row, Problem):
                yield row
            else:
                yield from self.row(row, number, meter)
        if whole:
            yield from self.turns.flush()

    @abstractmethod
    def row(self, row: dict[str, Any], number: int, meter: Meter) -> Iterator[Draft | Problem]:
        """What one row gives."""

    def problem(self, number: int, why: str) -> Problem:
        """A row that cannot be used."""
        return Problem(f"{shown(self.file.path)}:{number}", why)


class Transcripts(Streaming):
    """A transcript, or all of a folder; other files there are passed over."""

    @abstractmethod
    def knows(self, row: dict[str, Any]) -> bool:
        """Whether a row is of this format and of no other."""

    @abstractmethod
    def transcript(self, path: Path) -> Transcript:
        """A reader of one file, at its start."""

    def recognises(self, path: Path) -> bool:
        """A file by its first rows, a folder by its first files."""
        if path.is_file():
            return path.suffix.lower() in SUFFIXES and self._fits(path)
        found = (item for item in files(path, SUFFIXES) if isinstance(item, Path))
        return any(self._fits(item) for item in islice(found, _TRIED_FILES))

    def size(self, path: Path) -> int:
        """Bytes of the transcripts."""
        return sum(size_of(item) for item in self.paths(path, Meter()) if isinstance(item, Path))

    def paths(self, path: Path, meter: Meter, known: Container[Path] = ()) -> Iterator[Path | Problem]:
        """The transcripts there are now; into those that are known it does not look again. Raises UnknownPath."""
        for item in files(path, SUFFIXES):
            if isinstance(item, Problem) or item == path or item in known or self._fits(item):
                yield item
            else:
                meter.skip("other files")

    def stream(self, path: Path, meter: Meter) -> Iterator[Draft | Problem]:
        """Turn by turn, file by file. Raises UnknownPath, InputError."""
        for item in self.paths(path, meter):
            if isinstance(item, Problem):
                yield item
                continue
            try:
                yield from self.transcript(item).read(meter)
            except (UnknownPath, InputError) as error:
                if item == path:
                    raise
                yield Problem(shown(item), error.message)

    def _fits(self, path: Path) -> bool:
        return any(self.knows(row) for row in first_rows(path))
