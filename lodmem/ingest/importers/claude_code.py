"""Transcripts of Claude Code (~/.claude/projects/*/*.jsonl): one memory a turn, one for the actions between two turns.

A row is an object with type, uuid, parentUuid, sessionId, timestamp (ISO 8601) and message {role, content: text or blocks}.
Kept: what was said, and of each tool call one line; of a result only that it failed. Passed over: thinking, which was not said
to anybody; attachments, reminders and summaries, which hold what was put in from elsewhere or is in the transcript anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lodmem.ingest.importers.base import Meter, iso_us, parts, word
from lodmem.ingest.importers.transcripts import Transcript, Transcripts
from lodmem.ingest.importers.turns import action, brief
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft

_SPOKEN = frozenset({"user", "assistant"})
# In a helper's thread it is the agent who asks: nothing there was said by the user.
_HELPING = {"user": "task", "assistant": "helper"}
# An opening mark without its end takes the rest: what cannot be told apart from what was put in is not kept as said.
_INJECTED = re.compile(
    r"<(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat)>.*?(?:</\1>|\Z)", re.DOTALL
)


class ClaudeCodeImporter(Transcripts):
    """A transcript, a project's folder, or ~/.claude."""

    name = "claude-code"

    def knows(self, row: dict[str, Any]) -> bool:
        """Rows of a session; summaries and snapshots of files alone do not make a transcript."""
        return "sessionId" in row and ("parentUuid" in row or isinstance(row.get("message"), dict))

    def transcript(self, path: Path) -> Transcript:
        return _Session(path, self.name)


class _Session(Transcript):
    def row(self, row: dict[str, Any], number: int, meter: Meter) -> Iterator[Draft | Problem]:
        kind = word(row.get("type"))
        if kind not in _SPOKEN:
            meter.skip(f"{brief(kind, 40) or 'untyped'} rows")
            return
        if row.get("isMeta") is True or row.get("isCompactSummary") is True:
            meter.skip("inserted rows")
            return
        message = row.get("message")
        if not isinstance(message, dict) or not isinstance(message.get("content"), (str, list)):
            yield self.problem(number, f"a row of type {kind} without a message")
            return
        if not self.turns.uri:
            self.turns.uri = f"{self.turns.tag}:{word(row.get('sessionId')) or self.file.path.stem}"
        created, place = iso_us(word(row.get("timestamp"))), (self._thread(row), number)
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else parts(content)
        said: list[str] = []
        done: list[str] = []
        for block in blocks:
            self._block(block, said, done, meter)
        meta = {"line": number, "uuid": row.get("uuid"), "parent": row.get("parentUuid"), "folder": row.get("cwd")}
        text = "\n\n".join(said)
        if text:
            speaker = _HELPING[kind] if place[0] else kind
            yield from self.turns.said(speaker, text, created, place, {**meta, "model": message.get("model")})
        for line in done:
            yield from self.turns.did(line, created, place)

    def _thread(self, row: dict[str, Any]) -> str:
        """The thread of a row within its session: empty for the conversation itself, a name for a helper's."""
        if row.get("isSidechain") is not True:
            return ""
        stem = self.file.path.stem
        return word(row.get("agentId")) or (stem if stem.startswith("agent-") else "side")

    def _block(self, block: dict[str, Any], said: list[str], done: list[str], meter: Meter) -> None:
        match block.get("type"):
            case "text":
                text = _spoken(word(block.get("text")))
                if text:
                    said.append(text)
                else:
                    meter.skip("inserted texts")
            case "tool_use":
                done.append(action(block.get("name"), block.get("input")))
            case "tool_result":
                meter.skip("tool results")
                if block.get("is_error") is True:
                    content = block.get("content")
                    why = word(content) or " ".join(word(part.get("text")) for part in parts(content))
                    done.append(f"failed: {brief(_INJECTED.sub('', why))}")
            case other:
                meter.skip(f"{brief(word(other), 40) or 'untyped'} blocks")


def _spoken(text: str) -> str:
    """What of a text somebody said: reminders out, a command as it was typed."""
    if "<" not in text:
        return text.strip()
    text = _INJECTED.sub("", text).strip()
    if not text.startswith("<command-"):
        return text
    arguments = _inside(text, "command-args")
    return f"{brief(_inside(text, 'command-name'))} {arguments}".strip() if arguments else ""


def _inside(text: str, mark: str) -> str:
    """What stands between a mark and its end."""
    rest = text.partition(f"<{mark}>")[2]
    inside, end, _ = rest.partition(f"</{mark}>")
    return inside.strip() if end else ""
