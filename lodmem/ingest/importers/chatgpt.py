"""The export of ChatGPT (conversations.json): one memory a turn of the branch that was last shown.

A conversation has id, title, create_time (Unix seconds), current_node, and mapping: nodes by id, each with parent and message
{author {role, name}, create_time, content {content_type, parts}, recipient, metadata}. Other branches are answers that were
asked for again or questions that were written anew. What is hidden, thoughts and tools' outputs are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lodmem.ingest.importers.base import Meter, parts, unix_us, word
from lodmem.ingest.importers.exports import Export
from lodmem.ingest.importers.turns import Turns, action, brief
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft

_THOUGHTS = frozenset({"thoughts", "reasoning_recap"})


class ChatGptImporter(Export):
    """A conversations.json, or the unpacked folder of an export."""

    name = "chatgpt"
    mark = re.compile(rb'"mapping"\s*:\s*\{')

    def conversation(self, talk: dict[str, Any], where: str, meter: Meter) -> Iterator[Draft | Problem]:
        mapping = talk.get("mapping")
        if not isinstance(mapping, dict):
            yield Problem(where, "a conversation without its mapping")
            return
        name = word(talk.get("conversation_id")) or word(talk.get("id"))
        if not name:
            yield Problem(where, "a conversation without an id")
            return
        turns = Turns(f"{self.name}:{name}", self.name)
        began = unix_us(talk.get("create_time"))
        branch = _branch(mapping, word(talk.get("current_node")))
        others = sum(1 for node in mapping.values() if _message(node)) - sum(1 for node in branch if _message(node))
        meter.skip("messages of other branches", others)
        for number, node in enumerate(branch):
            message = _message(node)
            if message:
                yield from _turn(turns, message, number, word(talk.get("title")), began, meter)
        yield from turns.flush()


def _message(node: object) -> dict[str, Any] | None:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) else None


def _branch(mapping: dict[str, Any], leaf: str) -> list[dict[str, Any]]:
    """The nodes from the root down to the leaf; where it is not named, to the last node that has no children."""
    if leaf not in mapping:
        ends = [key for key, node in mapping.items() if isinstance(node, dict) and not node.get("children")]
        leaf = ends[-1] if ends else ""
    way: list[dict[str, Any]] = []
    seen: set[str] = set()
    while leaf in mapping and leaf not in seen and isinstance(mapping[leaf], dict):
        seen.add(leaf)
        way.append(mapping[leaf])
        leaf = word(mapping[leaf].get("parent"))
    return way[::-1]


def _turn(turns: Turns, message: dict[str, Any], number: int, title: str, began: int | None, meter: Meter) -> Iterator[Draft]:
    author, content = message.get("author"), message.get("content")
    role = word(author.get("role")) if isinstance(author, dict) else ""
    metadata = message.get("metadata")
    if role not in ("user", "assistant") or not isinstance(content, dict):
        meter.skip(f"{brief(role, 40) or 'unsigned'} messages")
        return
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True:
        meter.skip("hidden messages")
        return
    if content.get("content_type") in _THOUGHTS:
        meter.skip("thoughts")
        return
    created, text = unix_us(message.get("create_time")), _text(content)
    recipient = word(message.get("recipient"))
    if recipient not in ("", "all"):
        yield from turns.did(action(recipient, text), began if created is None else created, ("", number))
        return
    meta: dict[str, object] = {"title": title, "message": message.get("id")}
    if created is None and began is not None:
        meta["date"] = "of the conversation's beginning"
    yield from turns.said(role, text, began if created is None else created, ("", number), meta)


def _text(content: dict[str, Any]) -> str:
    """Texts and transcribed speech; pictures and sounds are not text."""
    given = content.get("parts")
    pieces = [part for part in given if isinstance(part, str)] if isinstance(given, list) else []
    pieces += [word(part.get("text")) for part in parts(given)]
    return "\n\n".join(piece for piece in (*pieces, word(content.get("text"))) if piece.strip())
