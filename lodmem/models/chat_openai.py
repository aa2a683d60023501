"""A client for OpenAI's `/chat/completions`: OpenAI, Ollama, vLLM, LM Studio, llama.cpp, OpenRouter and others.

Source: https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

from collections.abc import Mapping

from lodmem.models.chat import WHO, Said, read_object, said, unreadable
from lodmem.models.http import Endpoint, Failure, Manners, checked_key, endpoint_url

DEFAULT_URL = "https://api.openai.com/v1"


class OpenAiChat:
    """Raises BadParameter for an address or key that cannot be used."""

    def __init__(self, *, model: str, base_url: str, api_key: str, manners: Manners) -> None:
        url = endpoint_url(base_url, "/chat/completions", who=WHO, example="http://localhost:11434/v1")
        key = checked_key(api_key)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._model = model
        self._endpoint = Endpoint(url, who=WHO, model=model, key=key, headers=headers, manners=manners)
        self._limit = "max_tokens"
        self._cold = True

    def __repr__(self) -> str:
        return f"OpenAiChat({self._endpoint.place}, {self._model})"

    @property
    def name(self) -> str:
        return self._model

    def ask(self, system: str, user: str, *, max_tokens: int) -> Said:
        while True:
            body = self._endpoint.post(self._payload(system, user, max_tokens))
            if isinstance(body, bytes):
                return self._read(body, (system, user), max_tokens)
            if not self._adapted(body):
                return body

    def close(self) -> None:
        self._endpoint.close()

    def _payload(self, system: str, user: str, max_tokens: int) -> dict[str, object]:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        payload: dict[str, object] = {"model": self._model, "messages": messages, self._limit: max_tokens, "stream": False}
        return payload | ({"temperature": 0} if self._cold else {})

    def _adapted(self, failure: Failure) -> bool:
        """Whether the refusal says which parameter to leave out: newer models know no max_tokens and no temperature.

        Nothing was generated, so it is no call. Each is given up once.
        """
        if failure.status != 400:
            return False
        if self._limit == "max_tokens" and "max_completion_tokens" in failure.error.message:
            self._limit = "max_completion_tokens"
            return True
        if self._cold and "temperature" in failure.error.message:
            self._cold = False
            return True
        return False

    def _read(self, body: bytes, asked: tuple[str, str], max_tokens: int) -> Said:
        answer = read_object(body)
        if isinstance(answer, Failure):
            return answer
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            return unreadable("it has no `choices[0].message`")
        text = _text(message.get("content"))
        if text is None:
            return unreadable("its `content` is no text")
        stop = _stop(choice.get("finish_reason"), message)
        names = ("prompt_tokens", "completion_tokens")
        usage = answer.get("usage")
        return said(text, model=self._model, usage=usage, names=names, asked=asked, max_tokens=max_tokens, stop=stop)


def _text(content: object) -> str | None:
    """The text of a message, which some servers send in parts."""
    if content is None:
        return ""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _stop(reason: object, message: Mapping[str, object]) -> str:
    if reason == "content_filter" or (isinstance(message.get("refusal"), str) and message["refusal"]):
        return "refused"
    return "cut" if reason == "length" else ""
