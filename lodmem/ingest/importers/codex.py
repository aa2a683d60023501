"""Transcripts of Codex (~/.codex/sessions/**/rollout-*.jsonl): one memory a turn, one for the actions between two turns.

A row is {timestamp, type, payload}; session_meta names the session, response_item holds messages (role, content: blocks with
text) and calls. Older files hold the payloads alone. Events repeat the messages, reasoning is encrypted or was not said, tools'
outputs are long: all passed over, as are the instructions and surroundings that Codex puts in as if the user had said them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lodmem.ingest.importers.base import Meter, iso_us, parts, word
from lodmem.ingest.importers.transcripts import Transcript, Transcripts
from lodmem.ingest.importers.turns import action, brief
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft

_WRAPPED = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_INSERTED = (
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<turn_aborted>",
    "# AGENTS.md instructions",
)
_MAX_ARGUMENTS = 100_000


class CodexImporter(Transcripts):
    """A rollout, a day's folder, or ~/.codex."""

    name = "codex"

    def knows(self, row: dict[str, Any]) -> bool:
        """Wrapped rows of any kind; the first row of older files, which has the session's id and instructions."""
        wrapped = row.get("type") in _WRAPPED if isinstance(row.get("type"), str) else False
        return (wrapped and isinstance(row.get("payload"), dict)) or {"id", "timestamp", "instructions"} <= row.keys()

    def transcript(self, path: Path) -> Transcript:
        return _Rollout(path, self.name)


class _Rollout(Transcript):
    def __init__(self, path: Path, tag: str) -> None:
        super().__init__(path, tag)
        # rollout-2025-05-01T10-00-00-<id of 36 characters>
        self.turns.uri = f"{tag}:{path.stem[-36:]}"
        self.started: int | None = None
        self.folder = ""
        self.named = False

    def row(self, row: dict[str, Any], number: int, meter: Meter) -> Iterator[Draft | Problem]:
        kind, payload = word(row.get("type")), row.get("payload")
        created = iso_us(word(row.get("timestamp"))) or self.started
        if kind == "session_meta" or {"id", "timestamp", "instructions"} <= row.keys():
            self._begin(payload if isinstance(payload, dict) else row)
            return
        if kind in _WRAPPED and kind != "response_item":
            meter.skip(f"{kind} rows")
            return
        if kind != "response_item":
            payload = row
        if not isinstance(payload, dict):
            yield self.problem(number, "a response without a payload")
            return
        yield from self._item(payload, created, number, meter)

    def _begin(self, meta: dict[str, Any]) -> None:
        """The first one counts: a fork begins with what it was forked from."""
        if self.named:
            return
        self.named = True
        self.started = iso_us(word(meta.get("timestamp")))
        self.folder = word(meta.get("cwd"))
        self.turns.uri = f"{self.turns.tag}:{word(meta.get('id')) or self.file.path.stem[-36:]}"

    def _item(self, item: dict[str, Any], created: int | None, number: int, meter: Meter) -> Iterator[Draft | Problem]:
        place = ("", number)
        match item.get("type"):
            case "message":
                yield from self._message(item, created, number, meter)
            case "function_call":
                yield from self.turns.did(action(item.get("name"), _arguments(item.get("arguments"))), created, place)
            case "custom_tool_call":
                yield from self.turns.did(action(item.get("name"), item.get("input")), created, place)
            case "local_shell_call":
                yield from self.turns.did(action("shell", item.get("action")), created, place)
            case "web_search_call":
                yield from self.turns.did(action("web search", item.get("action")), created, place)
            case other:
                meter.skip(f"{brief(word(other), 40) or 'untyped'} rows")

    def _message(self, item: dict[str, Any], created: int | None, number: int, meter: Meter) -> Iterator[Draft | Problem]:
        role, content = word(item.get("role")), item.get("content")
        if not isinstance(content, (str, list)):
            yield self.problem(number, "a message without content")
            return
        texts = [content] if isinstance(content, str) else [word(part.get("text")) for part in parts(content)]
        said = [text for text in texts if text.strip() and not (role == "user" and text.lstrip().startswith(_INSERTED))]
        if role not in ("user", "assistant") or not said:
            meter.skip("inserted rows")
            return
        yield from self.turns.said(role, "\n\n".join(said), created, ("", number), {"line": number, "folder": self.folder})


def _arguments(text: object) -> object:
    """The arguments of a call, which are JSON in a string; as they are where they are not, or are too long to look into."""
    if not isinstance(text, str) or len(text) > _MAX_ARGUMENTS:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
