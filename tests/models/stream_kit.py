"""What tests of streams share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lodmem.models.chat import Unusable
from lodmem.models.chat_http import HttpChat
from lodmem.models.http import Failure
from lodmem.ports import Answer
from tests.chat_streams import Events, anthropic, openai, sse

KEY = "sk-very-secret-0123456789"
MAKERS = ("openai", "anthropic")
EVENTS: dict[str, Callable[..., Events]] = {"openai": openai, "anthropic": anthropic}
USAGE = {
    "openai": {"prompt_tokens": 7, "completion_tokens": 3},
    "anthropic": {"input_tokens": 7, "output_tokens": 3},
}
ASKED = ("Be brief.", "Who?")

Make = Callable[..., HttpChat]


def ask(client: HttpChat, max_tokens: int = 50) -> Answer | Unusable | Failure:
    return client.ask(*ASKED, max_tokens=max_tokens)


def answer(outcome: Answer | Unusable | Failure) -> Answer:
    assert isinstance(outcome, Answer), outcome
    return outcome


def failure(outcome: Answer | Unusable | Failure) -> Failure:
    assert isinstance(outcome, Failure), outcome
    return outcome


def streamed(maker: str, *deltas: Any, **more: Any) -> bytes:
    return sse(EVENTS[maker](*deltas, **more), named=maker == "anthropic")
