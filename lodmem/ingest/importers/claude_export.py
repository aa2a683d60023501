"""The export of Claude's apps (conversations.json): one memory a message.

A conversation has uuid, name, created_at (ISO 8601) and chat_messages {uuid, sender: human or assistant, created_at, text,
content: blocks, attachments, files}. Thinking and tools' results are passed over; of a tool's use one line is kept, of a file
its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lodmem.ingest.importers.base import Meter, iso_us, parts, word
from lodmem.ingest.importers.exports import Export
from lodmem.ingest.importers.turns import Turns, action, brief
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft

_SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}


class ClaudeImporter(Export):
    """A conversations.json, or the unpacked folder of an export."""

    name = "claude"
    mark = re.compile(rb'"chat_messages"\s*:\s*\[')

    def conversation(self, talk: dict[str, Any], where: str, meter: Meter) -> Iterator[Draft | Problem]:
        messages, name = talk.get("chat_messages"), word(talk.get("uuid"))
        if not isinstance(messages, list):
            yield Problem(where, "a conversation without its chat_messages")
            return
        if not name:
            yield Problem(where, "a conversation without a uuid")
            return
        turns = Turns(f"{self.name}:{name}", self.name)
        began, title = iso_us(word(talk.get("created_at"))), word(talk.get("name"))
        for number, message in enumerate(messages):
            speaker = _SPEAKERS.get(word(message.get("sender"))) if isinstance(message, dict) else None
            if speaker is None:
                yield Problem(f"{where}, message {number + 1}", "neither of a human nor of the assistant")
            else:
                yield from _turn(turns, speaker, message, number, title, began, meter)
        yield from turns.flush()


def _turn(
    turns: Turns, speaker: str, message: dict[str, Any], number: int, title: str, began: int | None, meter: Meter
) -> Iterator[Draft]:
    created = iso_us(word(message.get("created_at")))
    meta: dict[str, object] = {"title": title, "message": message.get("uuid")}
    if created is None and began is not None:
        created, meta["date"] = began, "of the conversation's beginning"
    said: list[str] = []
    done: list[str] = []
    for block in parts(message.get("content")):
        kind = block.get("type")
        if kind == "text":
            said.append(word(block.get("text")))
        elif kind == "tool_use":
            done.append(action(block.get("name"), block.get("input")))
        else:
            meter.skip(f"{brief(word(kind), 40) or 'untyped'} blocks")
    if not any(text.strip() for text in said) and not done:
        said = [word(message.get("text"))]
    attached = [word(file.get("file_name")) for key in ("attachments", "files") for file in parts(message.get(key))]
    said += [f"[attached: {brief(file)}]" for file in dict.fromkeys(attached) if file]
    text = "\n\n".join(piece for piece in said if piece.strip())
    if text:
        yield from turns.said(speaker, text, created, ("", number), meta)
    elif not done:
        meter.skip("empty messages")
    for line in done:
        yield from turns.did(line, created, ("", number))
