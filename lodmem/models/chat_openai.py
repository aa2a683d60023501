"""A client for OpenAI's `/chat/completions`: OpenAI, Ollama, vLLM, LM Studio, llama.cpp, OpenRouter and others.

Source: https://platform.openai.com/docs/api-reference/chat and https://platform.openai.com/docs/api-reference/chat-streaming
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from lodmem.models.chat import WHO, unreadable
from lodmem.models.chat_http import Heard, HttpChat
from lodmem.models.http import Endpoint, Failure, Manners, checked_key, endpoint_url

DEFAULT_URL = "https://api.openai.com/v1"
_THOUGHTS = ("reasoning_content", "reasoning")  # the same, by the names of different servers


class OpenAiChat(HttpChat):
    """Raises BadParameter for an address or key that cannot be used."""

    counts = ("prompt_tokens", "completion_tokens")
    # Newer models know no max_tokens and no temperature, smaller servers no count of a stream.
    optional: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "stream_options": "stream_options|include_usage",
            "max_tokens": "max_completion_tokens",
            "temperature": "temperature",
            "stream": r"\bstream(ing)?\b",
        }
    )

    def __init__(self, *, model: str, base_url: str, api_key: str, manners: Manners, stream: bool = True) -> None:
        url = endpoint_url(base_url, "/chat/completions", who=WHO, example="http://localhost:11434/v1")
        key = checked_key(api_key)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        super().__init__(Endpoint(url, who=WHO, model=model, key=key, headers=headers, manners=manners), model, stream=stream)

    def payload(self, system: str, user: str, max_tokens: int) -> dict[str, object]:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        limit = "max_completion_tokens" if "max_tokens" in self._without else "max_tokens"
        payload: dict[str, object] = {"model": self._model, "messages": messages, limit: max_tokens, "stream": self.streams}
        if self.streams and "stream_options" not in self._without:
            payload["stream_options"] = {"include_usage": True}
        return payload if "temperature" in self._without else payload | {"temperature": 0}

    def thinks_unseen(self) -> bool:
        return "max_tokens" in self._without  # the models that want another limit think first, and show nothing of it

    def read(self, answer: Mapping[str, object], heard: Heard) -> Failure | None:
        choice = _choice(answer)
        message = choice.get("message")
        if not isinstance(message, dict):
            return unreadable("it has no `choices[0].message`")
        if wrong := _say(message, heard):
            return wrong
        _end(choice.get("finish_reason") or "stop", heard)
        _count(answer, heard)
        return None

    def hear(self, event: Mapping[str, object], heard: Heard) -> Failure | None:
        _count(event, heard)
        choice = _choice(event)
        part = choice.get("delta") or choice.get("message")
        if isinstance(part, dict) and (wrong := _say(part, heard)):
            return wrong
        _end(choice.get("finish_reason"), heard)
        return None


def _choice(answer: Mapping[str, object]) -> Mapping[str, object]:
    """The first choice, empty where there is none."""
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else {}


def _say(message: Mapping[str, object], heard: Heard) -> Failure | None:
    content = message.get("content")
    if isinstance(content, list):  # some servers send it in parts
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "".join(part for part in parts if isinstance(part, str))
    if content is not None and not isinstance(content, str):
        return unreadable("its `content` is no text")
    heard.say(content)
    heard.say(next(filter(None, map(message.get, _THOUGHTS)), None), thought=True)
    if message.get("refusal") and isinstance(message["refusal"], str):
        heard.end = "refused"
    return None


def _count(answer: Mapping[str, object], heard: Heard) -> None:
    usage = answer.get("usage")
    if isinstance(usage, dict):
        heard.usage |= usage


def _end(reason: object, heard: Heard) -> None:
    if reason and heard.end != "refused":
        heard.end = "refused" if reason == "content_filter" else "cut" if reason == "length" else "said"
