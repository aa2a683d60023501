"""Models from outside: what embeds, what answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from lodmem.model.spend import Caps
from lodmem.ports.basics import Floats

DEFAULT_C0, DEFAULT_C1 = 0.05, 0.70  # of all-MiniLM-L6-v2 on public conversations


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderIdentity:
    """Which vectors these are. Two identities with equal `key` give interchangeable vectors.

    c0 and c1 clip the cosine of unrelated and of clearly related texts to 0 and 1 (SPEC 2); they belong to the model.
    `latin_only`: questions in other scripts mean nothing to it and are answered by words.
    """

    name: str
    revision: str
    dims: int
    c0: float = DEFAULT_C0
    c1: float = DEFAULT_C1
    latin_only: bool = False

    @property
    def key(self) -> str:
        return f"{self.name}@{self.revision}/{self.dims}"

    @staticmethod
    def dims_of(key: str) -> int:
        """dims of the identity that has this key; 0 for ''."""
        return int(key.rpartition("/")[2]) if key else 0


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. Deterministic: the same text gives the same vector whatever its batch.

    `embed` returns float32 of shape (len(texts), dims), rows of length 1. Texts longer than the model reads are cut by it.
    Raises ModelUnavailable or ModelBadAnswer.
    """

    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed(self, texts: Sequence[str]) -> Floats: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a language model said. `cut`: it ran into `max_tokens`. Tokens as its server counted them, or an upper estimate."""

    text: str
    model: str
    tokens_in: int
    tokens_out: int
    cut: bool = False


@runtime_checkable
class LanguageModel(Protocol):
    """Answers one task a call. `name` is the model's. Safe to call from several threads."""

    @property
    def name(self) -> str: ...

    def complete(self, system: str, user: str, *, max_tokens: int, task: str) -> Answer:
        """The answer, never empty, of at most `max_tokens` tokens; `task` is what the call is counted under.

        Raises:
            ModelUnavailable: not there, not let in, or resting after failures; later it may be.
            ModelBadAnswer: it answered what nobody can use; ModelRefused: it would not.
            SpendCapReached: nothing was sent, because it might cost more than was allowed.

        It may wait for a minute or more where requests are limited, or a server asks for it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Wait:
    """Something is not done before a moment (microseconds); `why` in words."""

    until_us: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The language models of one engine by task ('' for any other), what may be spent on them, and the `run` they count in.

    `waiting`: whether one of them waits just now, for its turn or to try again."""

    models: Mapping[str, LanguageModel]
    caps: Caps
    run: str
    waiting: Callable[[], Wait | None] = field(default=lambda: None)

    def model_for(self, task: str) -> LanguageModel:
        return self.models.get(task) or self.models[""]
