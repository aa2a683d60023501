"""Answers of chat servers as streams of events, in both dialects: lists of events, and the bytes of a list."""

from __future__ import annotations

import json
import re
from typing import Any

Events = list[dict[str, Any] | str]  # a string: the data as they are


def openai(
    *deltas: object, stop: str | None = "stop", usage: object = None, done: bool = True, name: str = "content"
) -> Events:
    """Deltas of `name`, the end (None: none is told), counts where there are any, and [DONE]."""
    events: Events = [_choice({"role": "assistant", "content": ""})]
    events += [_choice({name: delta}) for delta in deltas]
    if stop is not None:
        events.append(_choice({}, stop))
    if usage is not None:
        events.append({"choices": [], "usage": usage})
    return [*events, "[DONE]"] if done else events


def anthropic(*deltas: str, stop: str | None = "end_turn", usage: object = None, done: bool = True) -> Events:
    """As `openai`. The count of what is said begins at 1 and is told at the end."""
    first = usage | {"output_tokens": 1} if isinstance(usage, dict) and "output_tokens" in usage else usage
    events: Events = [
        {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": first}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
    ]
    events += [text_delta(delta) for delta in deltas]
    events.append({"type": "content_block_stop", "index": 0})
    if stop is not None:
        events.append({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage})
    return [*events, {"type": "message_stop"}] if done else events


def of_path(path: str, text: str, *, stop: str | None, usage: object, message: dict[str, Any]) -> bytes:
    """The whole stream of an answer, in the dialect of a request's path. `message`: other parts of it than `content`."""
    deltas = words(text)
    if path.endswith("/messages"):
        return sse(anthropic(*deltas, stop=stop or "end_turn", usage=usage), named=True)
    events = openai(*deltas, stop=stop or "stop", usage=usage)
    events[1:1] = [_choice({name: value}) for name, value in message.items()]
    return sse(events)


def words(text: str) -> list[str]:
    return re.findall(r"\S+\s*|\s+", text)


def text_delta(text: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}


def sse(events: Events, *, named: bool = False, end: str = "\n", colon: str = ": ", ascii_only: bool = False) -> bytes:
    """`end`: of a line; `colon`: between a field and its value; `named`: each event says its type in a field of its own."""
    blocks = []
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=ascii_only)
        name = [f"event{colon}{event['type']}"] if named and isinstance(event, dict) and "type" in event else []
        blocks.append(end.join([*name, f"data{colon}{data}", "", ""]))
    return "".join(blocks).encode()


def _choice(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        "usage": None,
    }
