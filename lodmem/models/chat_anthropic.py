"""A client for Anthropic's `/v1/messages`.

Source: https://docs.anthropic.com/en/api/messages and https://docs.anthropic.com/en/docs/build-with-claude/streaming
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from lodmem.models.chat import WHO, unreadable
from lodmem.models.chat_http import Heard, HttpChat
from lodmem.models.http import Endpoint, Failure, Manners, checked_key, endpoint_url

DEFAULT_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"


class AnthropicChat(HttpChat):
    """Raises BadParameter for an address or key that cannot be used."""

    counts = ("input_tokens", "output_tokens")
    # Newer models know no temperature.
    optional: ClassVar[Mapping[str, str]] = MappingProxyType({"temperature": "temperature", "stream": r"\bstream(ing)?\b"})

    def __init__(self, *, model: str, base_url: str, api_key: str, manners: Manners, stream: bool = True) -> None:
        base = base_url.strip().rstrip("/").removesuffix("/v1")
        url = endpoint_url(base, "/v1/messages", who=WHO, example=DEFAULT_URL)
        key = checked_key(api_key)
        headers = {"anthropic-version": VERSION} | ({"x-api-key": key} if key else {})
        super().__init__(Endpoint(url, who=WHO, model=model, key=key, headers=headers, manners=manners), model, stream=stream)

    def payload(self, system: str, user: str, max_tokens: int) -> dict[str, object]:
        payload: dict[str, object] = {
            "model": self._model,
            "max_tokens": max_tokens,
            "system": system,
            "messages": [{"role": "user", "content": user}],
            "stream": self.streams,
        }
        return payload if "temperature" in self._without else payload | {"temperature": 0}

    def read(self, answer: Mapping[str, object], heard: Heard) -> Failure | None:
        content = answer.get("content")
        if not isinstance(content, list):
            return unreadable("it has no list `content`")
        for block in content:
            if isinstance(block, dict) and block.get("type") == "text":
                heard.say(block.get("text"))
        _count(answer, heard, self.counts)
        _end(answer, heard)
        heard.end = heard.end or "said"
        return None

    def hear(self, event: Mapping[str, object], heard: Heard) -> Failure | None:
        match event.get("type"):
            case "message_start":
                # Its count of what was said is that of the beginning.
                _count(event.get("message"), heard, self.counts[:1])
            case "content_block_start":
                _say(event.get("content_block"), heard)
            case "content_block_delta":
                _say(event.get("delta"), heard)
            case "message_delta":
                _count(event, heard, self.counts)
                _end(event.get("delta"), heard)
            case "message_stop":
                heard.end, heard.closed = heard.end or "said", True
        return None


def _say(part: object, heard: Heard) -> None:
    if isinstance(part, dict):
        if part.get("type") in ("text", "text_delta"):
            heard.say(part.get("text"))
        heard.say(part.get("thinking"), thought=True)


def _count(part: object, heard: Heard, names: tuple[str, ...]) -> None:
    usage = part.get("usage") if isinstance(part, Mapping) else None
    if isinstance(usage, dict):
        heard.usage |= {name: usage[name] for name in names if name in usage}


def _end(part: object, heard: Heard) -> None:
    match part.get("stop_reason") if isinstance(part, Mapping) else None:
        case None:
            pass
        case "refusal":
            heard.end = "refused"
        case "max_tokens" | "model_context_window_exceeded":
            heard.end = "cut"
        case _:
            heard.end = "said"
