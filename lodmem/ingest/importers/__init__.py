"""Readers of what people have: transcripts, exports, notes, mail, histories, other memories. Each gives drafts, none writes."""

from __future__ import annotations

from pathlib import Path

from lodmem.errors import BadParameter, InputError, UnknownPath
from lodmem.ingest.importers.base import Importer, Streaming
from lodmem.ingest.importers.chatgpt import ChatGptImporter
from lodmem.ingest.importers.claude_code import ClaudeCodeImporter
from lodmem.ingest.importers.claude_export import ClaudeImporter
from lodmem.ingest.importers.codex import CodexImporter
from lodmem.ingest.importers.files import shown
from lodmem.ingest.importers.git import GitImporter
from lodmem.ingest.importers.jsonl import JsonlImporter
from lodmem.ingest.importers.mail import MailImporter
from lodmem.ingest.importers.markdown import MarkdownImporter
from lodmem.ingest.importers.mem0 import Mem0Importer
from lodmem.ingest.importers.mempalace import MemPalaceImporter
from lodmem.ingest.importers.openclaw import OpenClawImporter
from lodmem.ingest.importers.text import TextImporter

# In order of preference: a workspace is read as its memory although it is a repository, a repository as its history although
# it holds documents, and a transcript as what it is although its rows are JSON Lines.
_ALL: tuple[Importer, ...] = (
    OpenClawImporter(),
    GitImporter(),
    ClaudeCodeImporter(),
    CodexImporter(),
    ChatGptImporter(),
    ClaudeImporter(),
    MemPalaceImporter(),
    Mem0Importer(),
    MailImporter(),
    JsonlImporter(),
    MarkdownImporter(),
    TextImporter(),
)
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
    raise BadParameter(f"nothing here reads {shown(path)}", hint="choose with --as: " + ", ".join(NAMES))


def extent(importer: Importer, path: Path) -> int | None:
    """How much there is to read: bytes where the importer streams, else drafts and problems; None where nobody knows."""
    return importer.size(path) if isinstance(importer, Streaming) else importer.count(path)


def size(importer: Importer, path: Path) -> int | None:
    """Bytes that there are to read, where the importer streams."""
    return importer.size(path) if isinstance(importer, Streaming) else None
