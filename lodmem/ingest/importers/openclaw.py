"""The memory of an OpenClaw workspace: MEMORY.md, USER.md and the notes in memory/, a memory a section, dated by their names.

The other files there (AGENTS.md, SOUL.md, TOOLS.md...) say how the agent is to behave, and are not memories.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lodmem.errors import InputError
from lodmem.ingest.importers.base import date_in_name
from lodmem.ingest.importers.files import files, shown
from lodmem.ingest.importers.markdown import SUFFIXES, file_sections
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft

_TOP = ("MEMORY.md", "memory.md", "USER.md")
_SIGNS = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md", "USER.md")


class OpenClawImporter:
    """A workspace folder, or ~/.openclaw, which holds one."""

    name = "openclaw"

    def recognises(self, path: Path) -> bool:
        """A folder with memories beside a file that only a workspace has."""
        return _workspace(path) is not None

    def count(self, path: Path) -> int | None:
        """Sections and problems; the files are read for it."""
        return sum(1 for _ in self.read(path))

    def read(self, path: Path) -> Iterator[Draft | Problem]:
        """Sections file by file. Raises InputError."""
        folder = _workspace(path) or (path if path.is_dir() else None)
        if folder is None:
            raise InputError(f"{shown(path)} is no workspace", hint="give the folder that MEMORY.md is in")
        seen: set[Path] = set()
        for found in _memories(folder):
            if isinstance(found, Problem):
                yield found
            elif found.resolve() not in seen:
                seen.add(found.resolve())
                yield from file_sections(found, "openclaw")


def _memories(folder: Path) -> Iterator[Path | Problem]:
    yield from (folder / name for name in _TOP if (folder / name).is_file() and not (folder / name).is_symlink())
    if (folder / "memory").is_dir() and not (folder / "memory").is_symlink():
        yield from files(folder / "memory", SUFFIXES)


def _workspace(path: Path) -> Path | None:
    for folder in (path, path / "workspace"):
        notes = folder / "memory"
        dated = notes.is_dir() and any(date_in_name(found) is not None for found in notes.glob("*.md"))
        if (dated or (folder / "MEMORY.md").is_file()) and any((folder / name).is_file() for name in _SIGNS):
            return folder
    return None
