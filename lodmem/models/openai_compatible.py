"""An embedder behind any server that speaks OpenAI's `/embeddings`: OpenAI, Ollama, vLLM, LM Studio and others.

It sends texts, waits, retries what may pass, and says plainly what does not. It refuses to know what the texts are, and no
error or representation of it ever holds the key.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from lodmem.errors import BadParameter, ModelBadAnswer
from lodmem.models.embedding_answer import unit_rows
from lodmem.models.http import Endpoint, Manners, checked_key, endpoint_url, wait_before
from lodmem.ports import DEFAULT_C0, DEFAULT_C1, EmbedderIdentity, Floats

_WHO = "the embedding server"
_MAX_ANSWER_BYTES = 64 * 1024 * 1024


class OpenAiCompatibleEmbedder:
    """Embedder over HTTP. Thread-safe. The first use of `identity` or `embed` asks the server how long its vectors are.

    `base_url` usually ends in /v1. `dimensions` asks the server for vectors of that length. Texts are cut at `max_chars`
    characters. A request takes at most `timeout_s` seconds and is tried `attempts` times; a Retry-After of more than
    `longest_wait_s` seconds is not waited for. `c0` and `c1` calibrate the model's cosines (see EmbedderIdentity;
    None: its defaults).
    Raises BadParameter for an address, model name, key or number that cannot be used.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str = "",
        dimensions: int | None = None,
        batch: int = 32,
        max_chars: int = 6000,
        timeout_s: float = 30.0,
        attempts: int = 4,
        longest_wait_s: float = 60.0,
        c0: float | None = None,
        c1: float | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        url = endpoint_url(base_url, "/embeddings", who=_WHO, example="http://localhost:11434/v1")
        key = checked_key(api_key)
        if not model.strip():
            raise BadParameter("the embedding model has no name", hint="set embedding_model, e.g. nomic-embed-text")
        for name, value in (("batch", batch), ("max_chars", max_chars), ("timeout_s", timeout_s), ("attempts", attempts)):
            if value <= 0:
                raise BadParameter(f"{name} must be positive, got {value!r}")
        if dimensions is not None and dimensions <= 0:
            raise BadParameter(f"dimensions must be positive, got {dimensions!r}")
        self._model = model.strip()
        self._asked_dims = dimensions
        self._dims = dimensions
        self._batch, self._max_chars, self._attempts = batch, max_chars, attempts
        self._c0, self._c1 = DEFAULT_C0 if c0 is None else c0, DEFAULT_C1 if c1 is None else c1
        if not -1.0 <= self._c0 < self._c1 <= 1.0:
            raise BadParameter(
                f"c0 and c1 must be cosines, c0 the lower one, got {self._c0!r} and {self._c1!r}",
                hint="'lodmem calibrate' measures them",
            )
        self._sleep = sleep
        self._lock = threading.Lock()
        self._endpoint = Endpoint(
            url,
            who=_WHO,
            model=self._model,
            key=key,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            manners=Manners(
                timeout_s=timeout_s,
                longest_wait_s=longest_wait_s,
                max_bytes=_MAX_ANSWER_BYTES,
                bad_request_hint="check the model's name; for texts too long lower max_chars",
                now=now,
            ),
        )

    def __repr__(self) -> str:
        return f"OpenAiCompatibleEmbedder({self._endpoint.place}, {self._model})"

    @property
    def identity(self) -> EmbedderIdentity:
        """Model and dimensions; not the address, so that a server may move.

        Asks the server while the dimensions are unknown, once, so that opening a store does not wait for one that is down;
        then raises like `embed`.
        """
        dims = self._dims or self._rows(["dimensions"], attempts=1).shape[1]
        return EmbedderIdentity(name="openai-compatible", revision=self._model, dims=dims, c0=self._c0, c1=self._c1)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit rows, one a text, in order.

        Raises:
            ModelUnavailable: no connection, refused key, unknown model, or no answer after all attempts.
            ModelBadAnswer: the answer is not what was asked for.
        """
        if not texts:
            return np.empty((0, self.identity.dims), np.float32)
        parts: list[Floats] = []
        for start in range(0, len(texts), self._batch):
            # Servers refuse the empty string.
            batch = [text[: self._max_chars] or " " for text in texts[start : start + self._batch]]
            parts.append(self._rows(batch, attempts=self._attempts))
        return np.concatenate(parts)

    def close(self) -> None:
        """Close connections. Idempotent; a later `embed` opens new ones."""
        self._endpoint.close()

    def _rows(self, batch: list[str], *, attempts: int) -> Floats:
        rows = unit_rows(self._ask(batch, attempts), count=len(batch), dims=self._dims)
        with self._lock:
            if self._dims is None:
                self._dims = rows.shape[1]
            expected = self._dims
        if rows.shape[1] != expected:
            raise ModelBadAnswer(f"the embedding server sent vectors of {rows.shape[1]} and of {expected} dimensions")
        return rows

    def _ask(self, batch: list[str], attempts: int) -> bytes:
        """The body of a good answer, after at most so many attempts."""
        payload: dict[str, object] = {"model": self._model, "input": batch}
        if self._asked_dims is not None:
            payload["dimensions"] = self._asked_dims
        attempt = 1
        while True:
            outcome = self._endpoint.post(payload)
            if isinstance(outcome, bytes):
                return outcome
            if not outcome.passing or attempt >= attempts:
                raise outcome.error
            self._sleep(wait_before(attempt, outcome.wait_s))
            attempt += 1
