"""Readers of what people have: git histories, markdown, JSON Lines, plain text. Each gives drafts and problems, none writes."""

from __future__ import annotations

from pathlib import Path

from lodmem.errors import BadParameter, InputError, UnknownPath
from lodmem.ingest.importers.base import Importer
from lodmem.ingest.importers.files import shown
from lodmem.ingest.importers.git import GitImporter
from lodmem.ingest.importers.jsonl import JsonlImporter
from lodmem.ingest.importers.markdown import MarkdownImporter
from lodmem.ingest.importers.text import TextImporter

# In order of preference: a repository is read as its history although it holds documents too.
_ALL: tuple[Importer, ...] = (GitImporter(), JsonlImporter(), MarkdownImporter(), TextImporter())
NAMES = tuple(importer.name for importer in _ALL)


def find(path: Path, name: str | None = None) -> Importer:
    """The importer of that name, or the first that recognises the path.

    Raises:
        UnknownPath: there is nothing at `path`.
        BadParameter: no importer has that name, or none recognises the path.
        InputError: the path cannot be looked at.
    """
    try:
        if not path.exists():
            raise UnknownPath(f"there is nothing at {shown(path)}", hint="check the path")
        for importer in _ALL:
            if importer.name == name or (name is None and importer.recognises(path)):
                return importer
    except OSError as error:
        raise InputError(
            f"{shown(path)} cannot be looked at: {error.strerror or error}", hint="check its permissions"
        ) from None
    if name is not None:
        raise BadParameter(f"there is no importer {name!r}", hint="one of " + ", ".join(NAMES))
    raise BadParameter(f"nothing here reads {shown(path)}", hint="choose with --importer: " + ", ".join(NAMES))
