"""What the clients over HTTP share: they ask, and read the answer while it comes, as events or as one JSON object.

A server that was asked for a stream and knows none sends one object. A stream is an answer once its end was told; what breaks
after that costs the count only. What broke off before is a failure, however much was said, and counts with what came.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from lodmem.models.chat import Said, bytes_to_tokens, counted, most_tokens, read_object, said, unreadable
from lodmem.models.events import Event, Events, looks_like_events
from lodmem.models.http import Endpoint, Failure

MAX_EVENT_BYTES = 1024 * 1024
# Longer ones are rare in any language: an answer of more characters than this for each token allowed was not kept short.
LONG_TOKEN = 8
_DONE = "[DONE]"
_HEAD = 64
# What makers call the statuses of errors that come inside a stream.
_STATUSES: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


@dataclass(slots=True)
class Heard:
    """An answer as far as it came. `end` '': it has none yet. `usage`: tokens as the server counted them, under its names."""

    text: list[str] = field(default_factory=list)
    usage: dict[str, object] = field(default_factory=dict)
    end: Literal["", "said", "cut", "refused"] = ""
    closed: bool = False
    pieces: int = 0  # with thoughts
    characters: int = 0
    bytes: int = 0

    def say(self, text: object, *, thought: bool = False) -> None:
        """Take in a piece of text; a thought is counted, and no part of the answer."""
        if not isinstance(text, str) or not text:
            return
        self.pieces += 1
        self.characters += len(text)
        self.bytes += len(text.encode("utf-8", "replace"))
        if not thought:
            self.text.append(text)

    def overran(self, max_tokens: int) -> bool:
        """Whether more came than so many tokens can be, whether the server sends one at a time or cuts them up."""
        return self.pieces > max_tokens and self.characters > LONG_TOKEN * max_tokens


class HttpChat(ABC):
    """Asks one server once. A parameter that it refuses by name is given up for good, if it can be done without."""

    counts: ClassVar[tuple[str, str]]  # names of tokens in and out
    optional: ClassVar[Mapping[str, str]]  # parameters to do without, and the pattern by which a refusal names each

    def __init__(self, endpoint: Endpoint, model: str, *, stream: bool) -> None:
        self._endpoint, self._model = endpoint, model
        self._without: set[str] = set() if stream else {"stream"}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._endpoint.place}, {self._model})"

    @property
    def name(self) -> str:
        return self._model

    @property
    def streams(self) -> bool:
        """Whether answers are asked for in pieces."""
        return "stream" not in self._without

    def ask(self, system: str, user: str, *, max_tokens: int) -> Said:
        while True:
            outcome = self._once(system, user, max_tokens)
            if not isinstance(outcome, Failure) or not self._adapted(outcome):
                return outcome

    def close(self) -> None:
        self._endpoint.close()

    @abstractmethod
    def payload(self, system: str, user: str, max_tokens: int) -> dict[str, object]: ...

    @abstractmethod
    def read(self, answer: Mapping[str, object], heard: Heard) -> Failure | None:
        """Take in a whole answer; or why it cannot be read."""

    @abstractmethod
    def hear(self, event: Mapping[str, object], heard: Heard) -> Failure | None:
        """Take in one event of a stream; or why it cannot be read."""

    def thinks_unseen(self) -> bool:
        """Whether what came may be the smaller part of what was generated."""
        return False

    def failed(self, error: object, heard: Heard) -> Failure:
        """An error that the server sent in the place of an answer, or in the middle of one: as an answer of that status."""
        told = error if isinstance(error, Mapping) else {"message": error}
        message = told.get("message")
        words = message if isinstance(message, str) else json.dumps(error)
        begun = heard.pieces > 0
        for name in ("code", "status", "type"):
            if status := _status(told.get(name)):
                return self._endpoint.refusal(status, words, begun=begun)
        bad = self._endpoint.bad(f"{'broke off its answer' if begun else 'answered'}: {self._endpoint.clean(words)}")
        return Failure(error=bad, passing=True, worked=True)

    def unfinished(self) -> Failure:
        """A stream that ended, and had not come to its end."""
        error = self._endpoint.unavailable(
            "ended its answer in the middle", hint="where it always does, LODMEM_LLM_STREAM=off asks for whole answers"
        )
        return Failure(error=error, passing=True, worked=True)

    def _once(self, system: str, user: str, max_tokens: int) -> Said:
        answer = Incoming(self, max_tokens)
        payload = self.payload(system, user, max_tokens)
        if self.streams:
            wrong = self._endpoint.stream(payload, answer.take)
        else:
            body = self._endpoint.post(payload)
            wrong = body if isinstance(body, Failure) else None
            if isinstance(body, bytes):
                answer.take(body)
        heard, wrong = answer.heard, wrong or answer.complete()
        most = bytes_to_tokens(heard.bytes)
        if not heard.overran(max_tokens):
            most = min(max_tokens, most)
        used = counted(heard.usage, self.counts, (most_tokens(system, user), most))
        if wrong is not None and not heard.end:
            known = wrong.worked and heard.pieces and not self.thinks_unseen()
            return replace(wrong, used=(used[0], max(used[1], most))) if known else wrong
        stop = "" if heard.end == "said" else heard.end
        return said("".join(heard.text), model=self._model, used=used, max_tokens=max_tokens, stop=stop)

    def _adapted(self, failure: Failure) -> bool:
        """Whether the refusal names a parameter that is to be left out from now on. Nothing was generated, so it is no call."""
        if failure.status not in (400, 422) or failure.worked:
            return False
        for name, pattern in self.optional.items():
            if name not in self._without and re.search(pattern, failure.error.message):
                self._without.add(name)
                return True
        return False


class Incoming:
    """One answer on its way."""

    def __init__(self, chat: HttpChat, max_tokens: int) -> None:
        self.heard = Heard()
        self._chat, self._max_tokens = chat, max_tokens
        self._body = bytearray()
        self._events: Events | None = None
        self._wrong: Failure | None = None

    def take(self, piece: bytes) -> bool:
        """The next piece; whether more is wanted."""
        if self._events is None:
            self._body += piece
            if not looks_like_events(bytes(self._body[:_HEAD])):
                return True
            self._events, piece = Events(max_bytes=MAX_EVENT_BYTES), bytes(self._body)
        return self._hear(self._events.feed(piece))

    def complete(self) -> Failure | None:
        """No more comes: why that is no answer, if it is none."""
        if self._events is None:
            answer = read_object(bytes(self._body))
            return answer if isinstance(answer, Failure) else self._whole(answer)
        if self._wrong is None and not self.heard.end:
            self._hear(self._events.rest())
        return self._wrong or (None if self.heard.end else self._chat.unfinished())

    def _whole(self, answer: Mapping[str, object]) -> Failure | None:
        if error := answer.get("error"):
            return self._chat.failed(error, self.heard)
        return self._chat.read(answer, self.heard)

    def _hear(self, events: Iterator[Event]) -> bool:
        try:
            for event in events:
                self._wrong = self._one(event)
                if self._wrong is not None or self.heard.closed:
                    return False
        except ValueError as error:
            self._wrong = unreadable(str(error))
            return False
        return True

    def _one(self, event: Event) -> Failure | None:
        heard = self.heard
        if event.data.strip() == _DONE:
            heard.end, heard.closed = heard.end or "said", True
            return None
        body = read_object(event.data)
        if event.name == "error" or (isinstance(body, Mapping) and body.get("error")):
            told = body.get("error", body) if isinstance(body, Mapping) else event.data
            return self._chat.failed(told, heard)
        if isinstance(body, Failure):
            return body
        wrong = self._chat.hear(body, heard)
        if wrong is None and heard.overran(self._max_tokens):
            heard.end, heard.closed = "cut", True
        return wrong


def _status(value: object) -> int:
    """The status of HTTP that a code, or an error's name, stands for; 0: none."""
    if isinstance(value, str):
        value = _STATUSES.get(value.lower(), int(value) if value.isascii() and value.isdigit() else 0)
    return value if isinstance(value, int) and 400 <= value < 600 else 0
