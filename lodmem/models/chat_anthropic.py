"""A client for Anthropic's `/v1/messages`. Source: https://docs.anthropic.com/en/api/messages"""

from __future__ import annotations

from lodmem.models.chat import WHO, Said, read_object, said, unreadable
from lodmem.models.http import Endpoint, Failure, Manners, checked_key, endpoint_url

DEFAULT_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"

_STOPS = {"refusal": "refused", "max_tokens": "cut", "model_context_window_exceeded": "cut"}


class AnthropicChat:
    """Raises BadParameter for an address or key that cannot be used."""

    def __init__(self, *, model: str, base_url: str, api_key: str, manners: Manners) -> None:
        base = base_url.strip().rstrip("/").removesuffix("/v1")
        url = endpoint_url(base, "/v1/messages", who=WHO, example=DEFAULT_URL)
        key = checked_key(api_key)
        headers = {"anthropic-version": VERSION} | ({"x-api-key": key} if key else {})
        self._model = model
        self._endpoint = Endpoint(url, who=WHO, model=model, key=key, headers=headers, manners=manners)
        self._cold = True

    def __repr__(self) -> str:
        return f"AnthropicChat({self._endpoint.place}, {self._model})"

    @property
    def name(self) -> str:
        return self._model

    def ask(self, system: str, user: str, *, max_tokens: int) -> Said:
        payload: dict[str, object] = {
            "model": self._model,
            "max_tokens": max_tokens,
            "system": system,
            "messages": [{"role": "user", "content": user}],
        }
        body = self._endpoint.post(payload | ({"temperature": 0} if self._cold else {}))
        if isinstance(body, Failure) and self._cold and body.status == 400 and "temperature" in body.error.message:
            self._cold = False  # newer models know none; nothing was generated
            body = self._endpoint.post(payload)
        return body if isinstance(body, Failure) else self._read(body, (system, user), max_tokens)

    def close(self) -> None:
        self._endpoint.close()

    def _read(self, body: bytes, asked: tuple[str, str], max_tokens: int) -> Said:
        answer = read_object(body)
        if isinstance(answer, Failure):
            return answer
        content = answer.get("content")
        if not isinstance(content, list):
            return unreadable("it has no list `content`")
        parts = [block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"]
        text = "".join(part for part in parts if isinstance(part, str))
        return said(
            text,
            model=self._model,
            usage=answer.get("usage"),
            names=("input_tokens", "output_tokens"),
            asked=asked,
            max_tokens=max_tokens,
            stop=_STOPS.get(str(answer.get("stop_reason")), ""),
        )
