"""What the clients of chat servers share: the form of a client, its outcomes, and reading JSON that may be anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from lodmem.errors import ModelBadAnswer, ModelError, ModelRefused
from lodmem.models.http import Failure
from lodmem.ports import Answer

MAX_ANSWER_BYTES = 16 * 1024 * 1024  # in pieces: a token may come in a frame of some hundred bytes
LONGEST_ANSWER = 10  # times the silence that is borne: an answer in pieces may take so long
WHO = "the language model's server"
_BYTES_PER_TOKEN = 2
_FRAME_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Unusable:
    """An answer that came and was counted, and cannot be used."""

    error: ModelError
    tokens_in: int
    tokens_out: int


Said = Answer | Unusable | Failure


class ChatClient(Protocol):
    """Asks one server once. It neither tries again nor counts."""

    @property
    def name(self) -> str:
        """The model's."""
        ...

    def ask(self, system: str, user: str, *, max_tokens: int) -> Said: ...

    def close(self) -> None: ...


def most_tokens(*texts: str) -> int:
    """More tokens than a common tokenizer makes of these texts and their frame: one for two bytes (English has four)."""
    return bytes_to_tokens(*(len(text.encode("utf-8", "replace")) for text in texts))


def bytes_to_tokens(*sizes: int) -> int:
    """`most_tokens` of texts of so many bytes."""
    return _FRAME_TOKENS + sum(-(-size // _BYTES_PER_TOKEN) for size in sizes)


def said(text: str, *, model: str, used: tuple[int, int], max_tokens: int, stop: str) -> Said:
    """The outcome of an answer that was read. `used`: tokens in and out; `stop`: refused, cut or ''."""
    if stop == "refused":
        error = ModelRefused(f"{model} refused to answer", hint="the text stays as it is; another model may answer")
        return Unusable(error, *used)
    if not text.strip():
        why = f" within {max_tokens} tokens" if stop == "cut" else ""
        return Unusable(ModelBadAnswer(f"{model} answered nothing{why}"), *used)
    return Answer(text=text, model=model, tokens_in=used[0], tokens_out=used[1], cut=stop == "cut")


def counted(usage: Mapping[str, object], names: tuple[str, str], otherwise: tuple[int, int]) -> tuple[int, int]:
    """Tokens in and out as the server counted them under these names; what it did not count, or not in numbers, `otherwise`."""
    tokens_in, tokens_out = (_count(usage.get(name), most) for name, most in zip(names, otherwise, strict=True))
    return tokens_in, tokens_out


def _count(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else otherwise


def read_object(body: bytes | str) -> Mapping[str, object] | Failure:
    """The JSON object of an answer."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        bad = ModelBadAnswer(f"{WHO} did not answer in JSON", hint="check the base URL (LODMEM_LLM_URL)")
        bad.__cause__ = error
        return Failure(error=bad, worked=True)
    return answer if isinstance(answer, dict) else unreadable("its answer is no JSON object")


def unreadable(what: str) -> Failure:
    """The failure for an answer of another form."""
    error = ModelBadAnswer(f"{WHO} sent what cannot be read: {what}", hint="check the base URL (LODMEM_LLM_URL)")
    return Failure(error=error, worked=True)
