"""An embedder behind any server that speaks OpenAI's `/embeddings`: OpenAI, Ollama, vLLM, LM Studio and others.

It sends texts, waits, retries what may pass, and says plainly what does not. It refuses to know what the texts are, and no
error or representation of it ever holds the key.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from lodmem.errors import BadParameter, ModelBadAnswer, ModelError, ModelUnavailable
from lodmem.models.embedding_answer import unit_rows
from lodmem.ports import DEFAULT_C0, DEFAULT_C1, EmbedderIdentity, Floats

if TYPE_CHECKING:
    import httpx

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_FIRST_WAIT_S = 0.5
_LONGEST_OWN_WAIT_S = 8.0
_MAX_ANSWER_BYTES = 64 * 1024 * 1024
_EXCERPT = 200


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
        self._url = _endpoint(base_url)
        self._place = _without_credentials(self._url)
        self._key = _checked_key(api_key)
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
        self._timeout_s, self._longest_wait_s = timeout_s, longest_wait_s
        self._c0, self._c1 = DEFAULT_C0 if c0 is None else c0, DEFAULT_C1 if c1 is None else c1
        if not -1.0 <= self._c0 < self._c1 <= 1.0:
            raise BadParameter(
                f"c0 and c1 must be cosines, c0 the lower one, got {self._c0!r} and {self._c1!r}",
                hint="'lodmem calibrate' measures them",
            )
        self._sleep, self._now = sleep, now
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def __repr__(self) -> str:
        return f"OpenAiCompatibleEmbedder({self._place}, {self._model})"

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
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

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
        attempt = 1
        while True:
            outcome = self._try(batch)
            if isinstance(outcome, bytes):
                return outcome
            if attempt >= attempts:
                raise outcome.error
            self._sleep(outcome.wait_s if outcome.wait_s is not None else _own_wait(attempt))
            attempt += 1

    def _try(self, batch: list[str]) -> bytes | _Passing:
        import httpx

        payload: dict[str, object] = {"model": self._model, "input": batch}
        if self._asked_dims is not None:
            payload["dimensions"] = self._asked_dims
        started = time.monotonic()
        try:
            with self._connection().stream("POST", self._url, json=payload) as response:
                body = self._read(response, started)
        except httpx.TimeoutException as error:
            return _Passing(self._unavailable(f"did not answer within {self._timeout_s:g} s", error))
        except httpx.TransportError as error:
            return _Passing(self._unavailable(f"cannot be reached: {self._clean(str(error))}", error))
        except httpx.DecodingError as error:
            raise ModelBadAnswer(f"the embedding server at {self._place} sent a damaged answer") from error
        if response.status_code == 200:
            return body
        return self._refused(response, body)

    def _read(self, response: httpx.Response, started: float) -> bytes:
        import httpx

        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > _MAX_ANSWER_BYTES:
                raise ModelBadAnswer(
                    f"the embedding server at {self._place} sent more than {_MAX_ANSWER_BYTES // 2**20} MB",
                    hint="check the base URL",
                )
            # A server that drips bytes never meets the read time-out.
            if time.monotonic() - started > self._timeout_s:
                raise httpx.ReadTimeout("answer too slow")
        return bytes(body)

    def _refused(self, response: httpx.Response, body: bytes) -> _Passing:
        """What may pass later. Raises what will not."""
        status = response.status_code
        said = self._clean(body.decode("utf-8", "replace"))
        what = f"answered {status}" + (f": {said}" if said else "")
        if status in _PASSING:
            wait_s = _retry_after(response.headers.get("retry-after"), self._now())
            error = self._unavailable(what)
            if wait_s is not None and wait_s > self._longest_wait_s:
                error.hint = f"it asks to wait {wait_s:.0f} s; try again then"
                raise error
            return _Passing(error, wait_s)
        if status in (401, 403):
            raise self._unavailable(what, hint="check the API key")
        if status == 404:
            raise self._unavailable(what, hint=f"check the base URL and that the server has the model {self._model}")
        raise ModelBadAnswer(
            f"the embedding server at {self._place} {what}", hint="check the model's name; for texts too long lower max_chars"
        )

    def _unavailable(self, what: str, cause: Exception | None = None, *, hint: str = "") -> ModelUnavailable:
        error = ModelUnavailable(f"the embedding server at {self._place} {what}", hint=hint or "is it running?")
        error.__cause__ = cause
        return error

    def _clean(self, text: str) -> str:
        """One short line of what the server said, without the key should it echo it."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_EXCERPT]

    def _connection(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                timeout = httpx.Timeout(self._timeout_s, connect=min(self._timeout_s, 10.0))
                self._client = httpx.Client(headers=headers, timeout=timeout)
            return self._client


class _Passing:
    """A failure that another attempt may mend; `wait_s` is what the server asked for."""

    def __init__(self, error: ModelError, wait_s: float | None = None) -> None:
        self.error = error
        self.wait_s = wait_s


def _own_wait(attempt: int) -> float:
    return float(min(_FIRST_WAIT_S * 2 ** (attempt - 1), _LONGEST_OWN_WAIT_S))


def _retry_after(value: str | None, now: float) -> float | None:
    """Seconds to wait from a Retry-After header, in seconds or as a date; None when there is none that can be read."""
    if value is None:
        return None
    try:
        return max(0.0, float(int(value)))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now)


def _endpoint(base_url: str) -> str:
    url = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise BadParameter("the embedding server's base URL cannot be used", hint="e.g. http://localhost:11434/v1")
    return url if url.endswith("/embeddings") else url + "/embeddings"


def _without_credentials(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _checked_key(key: str) -> str:
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise BadParameter("the API key holds characters that no key has", hint="copy it again, without quotes or line ends")
    return key
