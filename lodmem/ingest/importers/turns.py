"""What people and agents said in a conversation, and in short what an agent did between. Values in, drafts out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lodmem.ingest.importers.base import CALLERS, MAX_NAME, clean, word
from lodmem.model.memory import Draft, Source

MAX_ACTIONS = 50
MAX_BRIEF = 200
# What of a tool's arguments tells best what was done, in this order.
_TELLING = ("command", "cmd", "file_path", "notebook_path", "pattern", "query", "url", "path", "description", "prompt", "skill")


@dataclass(slots=True)
class _Actions:
    session: str
    sequence: int
    created_us: int | None
    lines: list[str] = field(default_factory=list)
    count: int = 0


@dataclass(slots=True)
class Turns:
    """Makes one draft a turn, "speaker: text", and one of the actions between two turns.

    Actions are kept back until somebody speaks, so that a conversation which grows gives the same drafts as one that has.
    """

    uri: str
    tag: str
    doing: _Actions | None = None

    def said(
        self,
        speaker: str,
        text: str,
        created_us: int | None,
        place: tuple[str, int],
        meta: Mapping[str, object],
    ) -> Iterator[Draft]:
        """The actions before this turn, and the turn. `place`: session and sequence."""
        yield from self.flush()
        if text.strip():
            told = {key: clean(value, MAX_NAME) if isinstance(value, str) else value for key, value in meta.items() if value}
            kept = {key: value for key, value in told.items() if isinstance(value, (str, int))}
            yield self._draft(f"{speaker}: {text.strip()}", created_us, place, {"speaker": speaker, **kept})

    def did(self, line: str, created_us: int | None, place: tuple[str, int]) -> Iterator[Draft]:
        """Note an action; gives those of another session that were kept back."""
        if self.doing is not None and self.doing.session != place[0]:
            yield from self.flush()
        if self.doing is None:
            self.doing = _Actions(*place, created_us)
        self.doing.count += 1
        if len(self.doing.lines) < MAX_ACTIONS:
            self.doing.lines.append(f"- {line}")

    def flush(self) -> Iterator[Draft]:
        """The actions that were kept back, as one draft."""
        done, self.doing = self.doing, None
        if done is None:
            return
        more = done.count - len(done.lines)
        lines = [*done.lines, f"- and {more:,} more"] if more else done.lines
        text = "\n".join(["assistant did:", *lines])
        yield self._draft(text, done.created_us, (done.session, done.sequence), {"speaker": "assistant", "actions": done.count})

    def _draft(self, text: str, created_us: int | None, place: tuple[str, int], meta: Mapping[str, object]) -> Draft:
        return Draft(
            full=clean(text),
            space=CALLERS,
            agent=CALLERS,
            created_us=created_us,
            source=Source(clean(self.uri, MAX_NAME), clean(place[0], MAX_NAME), place[1]),
            tags=(self.tag,),
            meta=meta,
        )


def brief(text: str, limit: int = MAX_BRIEF) -> str:
    """The beginning of a text on one line, at most `limit` characters."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"


def action(name: object, arguments: object) -> str:
    """What a call of a tool did, on one short line."""
    told = word(arguments)
    if isinstance(arguments, dict):
        values = [arguments[key] for key in _TELLING if key in arguments] or list(arguments.values())
        first = next((value for value in values if isinstance(value, (str, list)) and value), "")
        told = first if isinstance(first, str) else " ".join(word(part) for part in first[:20])
    called = brief(word(name), 80) or "a tool"
    return f"{called}: {brief(told)}" if told.strip() else called
