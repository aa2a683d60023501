"""Markdown files and folders: one memory a section, with the headings above it in front so that it can be read alone.

A section's place is its file and how many equal sections stand before it, so that an edited file adds only the sections that
changed. Its date is the front matter's (date, created) or the file name's (YYYY-MM-DD...), never the file system's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lodmem.ingest.importers.base import CALLERS, date_in_name, file_uri, iso_us
from lodmem.ingest.importers.files import files, read_text, shown
from lodmem.ingest.importers.sections import front_matter, sections
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Source

SUFFIXES = frozenset({".md", ".markdown"})


class MarkdownImporter:
    """A markdown file, or all of a folder, hidden folders and installed packages left out."""

    name = "markdown"

    def recognises(self, path: Path) -> bool:
        """A file by its suffix, a folder that holds one."""
        if path.is_file():
            return path.suffix.lower() in SUFFIXES
        return any(isinstance(found, Path) for found in files(path, SUFFIXES))

    def count(self, path: Path) -> int | None:
        """Sections and problems; the files are read for it."""
        return sum(1 for _ in self.read(path))

    def read(self, path: Path) -> Iterator[Draft | Problem]:
        """Sections file by file. Raises UnknownPath."""
        for found in files(path, SUFFIXES):
            if isinstance(found, Problem):
                yield found
            else:
                yield from file_sections(found)


def file_sections(path: Path, *more_tags: str) -> Iterator[Draft | Problem]:
    """The sections of one file, with the tags of its front matter and more."""
    text = read_text(path)
    if isinstance(text, Problem):
        yield text
        return
    known, body, taken = front_matter(text)
    dates = [date for key in ("date", "created") for date in known.get(key, [])[:1]]
    created = next((us for date in dates if (us := iso_us(date)) is not None), None)
    if dates and created is None:
        yield Problem(shown(path), f"its date {dates[0][:40]!r} is not ISO 8601, read without it")
    found = sections(body, " ".join(known.get("title", [])), taken + 1)
    if not found:
        yield Problem(shown(path), "empty")
    tags = tuple(
        dict.fromkeys(
            tag for value in (*known.get("tags", []), *more_tags) for part in value.split(",") if (tag := part.strip(" #"))
        )
    )
    before: Counter[str] = Counter()
    for number, section in enumerate(found, 1):
        yield Draft(
            full=section.text,
            space=CALLERS,
            agent=CALLERS,
            created_us=date_in_name(path) if created is None else created,
            source=Source(file_uri(path), "", before[section.text]),
            tags=tags,
            meta={"heading": " > ".join(section.path), "section": number, "line": section.line},
        )
        before[section.text] += 1
