"""What the exports of chat services share: a large JSON array of conversations, in a file or in the folder it came in."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from lodmem.ingest.importers.base import Meter, Streaming
from lodmem.ingest.importers.files import files, shown
from lodmem.ingest.importers.json_items import json_items
from lodmem.ingest.importers.lines import beginning, size_of
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft

SUFFIXES = frozenset({".json"})


class Export(Streaming):
    """A conversations.json, or the folder of an export; other files there are passed over."""

    mark: ClassVar[re.Pattern[bytes]]
    """What stands near the beginning of such a file and of no other."""

    def recognises(self, path: Path) -> bool:
        """A file by its beginning, a folder by the files called conversations... in it."""
        return any(True for _ in self._paths(path))

    def size(self, path: Path) -> int:
        """Bytes of the files."""
        return sum(size_of(item) for item in self._files(path))

    def stream(self, path: Path, meter: Meter) -> Iterator[Draft | Problem]:
        """Turn by turn, conversation by conversation. Raises UnknownPath, InputError."""
        for found in self._files(path):
            for item in json_items(found, meter):
                if isinstance(item, Problem):
                    yield item
                    continue
                number, value = item
                where = f"{shown(found)}: conversation {number}"
                if isinstance(value, dict):
                    yield from self.conversation(value, where, meter)
                else:
                    yield Problem(where, "not an object")

    @abstractmethod
    def conversation(self, talk: dict[str, Any], where: str, meter: Meter) -> Iterator[Draft | Problem]:
        """What one conversation gives."""

    def _files(self, path: Path) -> list[Path]:
        """A file that was named is read whatever it looks like."""
        return list(self._paths(path)) if path.is_dir() else [path]

    def _paths(self, path: Path) -> Iterator[Path]:
        for found in files(path, SUFFIXES):
            named = found == path or (isinstance(found, Path) and found.name.startswith("conversations"))
            if isinstance(found, Path) and named and found.suffix.lower() in SUFFIXES and self.mark.search(beginning(found)):
                yield found
