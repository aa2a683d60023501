"""E-mail: mbox files and single messages (.eml). One memory a message: who wrote, about what, and the whole text.

Quotations and signatures stay, attachments do not. Messages of one thread are neighbours, by date: the thread is named by the
first Message-ID that a message refers to, so that a mailbox may move, or be exported again.
"""

from __future__ import annotations

import email
import html
import re
from collections.abc import Iterator
from datetime import UTC
from email.header import decode_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from pathlib import Path

from lodmem.ingest.importers.base import CALLERS, MAX_NAME, Meter, Streaming, clean
from lodmem.ingest.importers.files import files, shown
from lodmem.ingest.importers.lines import beginning, open_file, size_of
from lodmem.ingest.importers.turns import brief
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Source, to_us

SUFFIXES = frozenset({".mbox", ".eml"})
# Texts stand before attachments, so of a larger message its beginning is enough.
MAX_MESSAGE_BYTES = 8 * 1024 * 1024
_CHUNK = 1024 * 1024
_FROM = re.compile(rb"From \S.*\d\d:\d\d")
_QUOTED_FROM = re.compile(rb">+From ")
_ID = re.compile(r"<([^<>\s]{1,500})>")
_UNSEEN = re.compile(r"<(script|style|head)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"</?(?:p|div|br|tr|li|h[1-6]|blockquote|table|ul|ol)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


class MailImporter(Streaming):
    """An mbox file, an .eml file, or a folder of them."""

    name = "mail"

    def recognises(self, path: Path) -> bool:
        """A file by its suffix or its first line, a folder that holds one."""
        if path.is_file():
            return path.suffix.lower() in SUFFIXES or _FROM.match(beginning(path)) is not None
        return any(isinstance(found, Path) for found in files(path, SUFFIXES))

    def size(self, path: Path) -> int:
        """Bytes of the files."""
        return sum(size_of(found) for found in files(path, SUFFIXES) if isinstance(found, Path))

    def stream(self, path: Path, meter: Meter) -> Iterator[Draft | Problem]:
        """Message by message. Raises UnknownPath, InputError."""
        for found in files(path, SUFFIXES):
            if isinstance(found, Problem):
                yield found
                continue
            for number, (line, raw, cut) in enumerate(_messages(found, meter), 1):
                where = f"{shown(found)}:{line}"
                if cut:
                    yield Problem(where, f"a message larger than {MAX_MESSAGE_BYTES // 1024**2} MB, only its beginning is read")
                yield _draft(raw, where, found, number)


def _messages(path: Path, meter: Meter) -> Iterator[tuple[int, bytes, bool]]:
    """Line, bytes and whether it was cut, of each message."""
    kept = bytearray()
    length = start = number = 0
    blank = fresh = True
    with open_file(path) as file:
        while line := file.readline(_CHUNK):
            meter.done += len(line)
            if fresh and blank and _FROM.match(line):
                if kept:
                    yield start, bytes(kept), length > MAX_MESSAGE_BYTES
                kept, length, start = bytearray(), 0, number + 1
            else:
                start = start or 1
                if length <= MAX_MESSAGE_BYTES:
                    kept += line[1:] if fresh and _QUOTED_FROM.match(line) else line
                length += len(line)
            blank = fresh and not line.strip()
            fresh = line.endswith(b"\n")
            number += fresh
    if kept:
        yield start, bytes(kept), length > MAX_MESSAGE_BYTES


def _draft(raw: bytes, where: str, path: Path, number: int) -> Draft | Problem:
    try:
        message = email.message_from_bytes(raw)
        body, left = _body(message)
    except RecursionError:
        return Problem(where, "nested too deeply")
    subject, sender = _header(message, "Subject"), parseaddr(_header(message, "From"))
    if not (subject or body) or not message.keys():
        return Problem(where, "neither a subject nor a text" if message.keys() else "no e-mail: it has no headers")
    created, own = _date(message), _ID.findall(_header(message, "Message-ID"))
    thread = (_ID.findall(_header(message, "References")) or _ID.findall(_header(message, "In-Reply-To")) or own)[:1]
    meta: dict[str, object] = {"speaker": sender[0] or sender[1], "from": sender[1], "to": brief(_header(message, "To"))}
    meta |= {"message": own[0] if own else "", "attachments": left, "line": int(where.rpartition(":")[2])}
    return Draft(
        full=clean(f"{sender[0] or sender[1] or 'somebody'}: {subject}\n\n{body}".strip()),
        space=CALLERS,
        agent=CALLERS,
        created_us=created,
        source=Source(
            clean(f"mail:{thread[0]}") if thread else f"{path.resolve().as_uri()}",
            "",
            created // 1_000_000 if created is not None and thread else number,
        ),
        tags=("mail",),
        meta={key: clean(value, MAX_NAME) if isinstance(value, str) else value for key, value in meta.items() if value},
    )


def _body(message: Message) -> tuple[str, int]:
    """The text of a message, and how many parts are no text or attached. HTML counts where there is nothing plain."""
    plain: list[str] = []
    rich: list[str] = []
    left = 0
    for part in message.walk():
        if part.is_multipart():
            continue
        kind = part.get_content_type()
        if kind not in ("text/plain", "text/html") or part.get_content_disposition() == "attachment":
            left += 1
        elif kind == "text/plain":
            plain.append(_decoded(part).strip())
        else:
            rich.append(_untagged(_decoded(part)))
    return "\n\n".join(text for text in plain or rich if text), left


def _decoded(part: Message) -> str:
    raw = part.get_payload(decode=True)
    if not isinstance(raw, bytes):
        return ""
    try:
        text = raw.decode(part.get_content_charset("utf-8"), "replace")
    except (LookupError, ValueError):
        text = raw.decode("utf-8", "replace")
    return text.replace("\r\n", "\n")


def _untagged(text: str) -> str:
    text = _TAG.sub("", _BREAK.sub("\n", _UNSEEN.sub("", text)))
    lines = (" ".join(line.split()) for line in html.unescape(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _header(message: Message, name: str) -> str:
    """A header as one line of text, whatever it was encoded with."""
    raw = str(message.get(name, ""))[:4_000].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        pieces = decode_header(raw)
    except (ValueError, email.errors.MessageError):
        pieces = [(raw, None)]
    out = []
    for piece, charset in pieces:
        try:
            out.append(piece if isinstance(piece, str) else piece.decode(charset or "utf-8", "replace"))
        except LookupError:
            out.append(piece.decode("utf-8", "replace"))
    return " ".join("".join(out).split())


def _date(message: Message) -> int | None:
    try:
        when = parsedate_to_datetime(_header(message, "Date"))
        return to_us(when if when.tzinfo else when.replace(tzinfo=UTC))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
