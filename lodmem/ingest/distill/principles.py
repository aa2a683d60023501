"""What a person holds to, from a file of theirs: read, never written, part of distillation's system prompts within 3 KB."""

from __future__ import annotations

from pathlib import Path

from lodmem.errors import BadEncoding, InputError, UnknownPath
from lodmem.ingest.prompting import Prompt

FILE_NAME = "principles.md"
MAX_SYSTEM_BYTES = 3 * 1024
MAX_FILE_BYTES = 256 * 1024
_HEAD = "\n\nWhat the person served holds to; it says what matters, not what happened:\n"


def read_principles(path: Path, *, asked_for: bool) -> str:
    """The file's text, without white space around it; '' where there is none and nobody asked for it.

    Raises UnknownPath where one that was asked for is not there; InputError, BadEncoding.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        if not asked_for:
            return ""
        raise UnknownPath(f"there is no file {path}", hint="LODMEM_PRINCIPLES names the file with your principles") from None
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{path} cannot be read: {why}", hint="LODMEM_PRINCIPLES names a text file") from None
    if len(raw) > MAX_FILE_BYTES:
        raise InputError(f"{path} has more than {MAX_FILE_BYTES // 1024} KB", hint="principles are a page, not a book")
    try:
        return raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise BadEncoding(f"{path} is not UTF-8", hint="save it as UTF-8") from None


def fitted(principles: str, prompt: Prompt) -> str:
    """As many whole lines of the principles, from the first, as leave the prompt's system part at 3 KB; '' for none."""
    room = MAX_SYSTEM_BYTES - len(prompt.system.replace("{principles}", "").encode()) - len(_HEAD.encode())
    kept: list[str] = []
    for line in principles.splitlines():
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    text = "\n".join(kept).strip()
    return _HEAD + text if text else ""
