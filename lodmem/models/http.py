"""One address of a model's server: a question goes out as JSON, an answer comes back in bounded time and size, or a failure.

It knows what may pass and what will not, and no failure or representation ever holds the key. It refuses to know what the
question and the answer are.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lodmem.errors import BadParameter, ModelBadAnswer, ModelError, ModelUnavailable

if TYPE_CHECKING:
    import httpx

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_FIRST_WAIT_S = 0.5
_LONGEST_OWN_WAIT_S = 8.0
_EXCERPT = 200
_CONNECT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why there is no answer. `passing`: another attempt may mend it, after `wait_s` if the server said so.

    `worked`: the server may have begun to answer, and charge for it. `status`: of HTTP, 0 where it came to none.
    """

    error: ModelError
    passing: bool = False
    wait_s: float | None = None
    worked: bool = False
    status: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a server is spoken to. A request takes at most `timeout_s`; a Retry-After of more than `longest_wait_s` seconds is
    not waited for; an answer of more than `max_bytes` is cut off."""

    timeout_s: float = 30.0
    longest_wait_s: float = 60.0
    max_bytes: int = 64 * 1024 * 1024
    bad_request_hint: str = "check the model's name"
    now: Callable[[], float] = field(default=time.time)


class Endpoint:
    """An address and its key. Thread-safe. `who` names the server in errors; `headers` hold the key where one is needed."""

    def __init__(self, url: str, *, who: str, model: str, key: str, headers: Mapping[str, str], manners: Manners) -> None:
        self._url, self._who, self._model, self._key = url, who, model, key
        self._headers = dict(headers)
        self._manners = manners
        self.place = without_credentials(url)
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def __repr__(self) -> str:
        return f"Endpoint({self.place})"

    def post(self, payload: Mapping[str, object]) -> bytes | Failure:
        """The body of a good answer, after one attempt."""
        import httpx

        started = time.monotonic()
        try:
            with self._connection().stream("POST", self._url, json=dict(payload)) as response:
                body = self._read(response, started)
        except httpx.ConnectTimeout as error:
            return self._away(f"did not answer within {self._manners.timeout_s:g} s", error, worked=False)
        except httpx.TimeoutException as error:
            return self._away(f"did not answer within {self._manners.timeout_s:g} s", error, worked=True)
        except httpx.TransportError as error:
            worked = not isinstance(error, httpx.ConnectError)
            return self._away(f"cannot be reached: {self._clean(str(error))}", error, worked=worked)
        except httpx.DecodingError as error:
            bad = ModelBadAnswer(f"{self._who} at {self.place} sent a damaged answer")
            bad.__cause__ = error
            return Failure(error=bad, worked=True)
        if isinstance(body, Failure):
            return body
        return body if response.status_code == 200 else self._refused(response, body)

    def close(self) -> None:
        """Close connections. Idempotent; a later question opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _read(self, response: httpx.Response, started: float) -> bytes | Failure:
        import httpx

        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > self._manners.max_bytes:
                size = self._manners.max_bytes // 2**20
                message = f"{self._who} at {self.place} sent more than {size} MB"
                return Failure(error=ModelBadAnswer(message, hint="check the base URL"), worked=True)
            # A server that drips bytes never meets the read time-out.
            if time.monotonic() - started > self._manners.timeout_s:
                raise httpx.ReadTimeout("answer too slow")
        return bytes(body)

    def _refused(self, response: httpx.Response, body: bytes) -> Failure:
        status = response.status_code
        said = self._clean(body.decode("utf-8", "replace"))
        what = f"answered {status}" + (f": {said}" if said else "")
        if status in PASSING:
            wait_s = retry_after(response.headers.get("retry-after"), self._manners.now())
            error = self._unavailable(what)
            if wait_s is not None and wait_s > self._manners.longest_wait_s:
                error.hint = f"it asks to wait {wait_s:.0f} s; try again then"
                return Failure(error=error, status=status)
            return Failure(error=error, passing=True, wait_s=wait_s, status=status)
        if status in (401, 403):
            return Failure(error=self._unavailable(what, hint="check the API key"), status=status)
        if status == 404:
            hint = f"check the base URL and that the server has the model {self._model}"
            return Failure(error=self._unavailable(what, hint=hint), status=status)
        bad = ModelBadAnswer(f"{self._who} at {self.place} {what}", hint=self._manners.bad_request_hint)
        return Failure(error=bad, status=status)

    def _away(self, what: str, cause: Exception, *, worked: bool) -> Failure:
        error = self._unavailable(what)
        error.__cause__ = cause
        return Failure(error=error, passing=True, worked=worked)

    def _unavailable(self, what: str, *, hint: str = "") -> ModelUnavailable:
        return ModelUnavailable(f"{self._who} at {self.place} {what}", hint=hint or "is it running?")

    def _clean(self, text: str) -> str:
        """One short line of what the server said, without the key should it echo it."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_EXCERPT]

    def _connection(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                seconds = self._manners.timeout_s
                timeout = httpx.Timeout(seconds, connect=min(seconds, _CONNECT_S))
                self._client = httpx.Client(headers=self._headers, timeout=timeout)
            return self._client


def wait_before(attempt: int, asked_s: float | None, chance: float = 0.0) -> float:
    """Seconds to wait after a failed attempt (1, 2, ...): what the server asked for, else doubled each time up to 8; `chance`,
    0 to 1, adds up to half of it, so that many who failed together do not come back together."""
    own = min(_FIRST_WAIT_S * 2.0 ** (attempt - 1), _LONGEST_OWN_WAIT_S)
    return (own if asked_s is None else asked_s) + own * chance / 2


def retry_after(value: str | None, now: float) -> float | None:
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


def endpoint_url(base_url: str, path: str, *, who: str, example: str) -> str:
    """The base URL with `path` at its end. Raises BadParameter for an address that cannot be used; it is not repeated."""
    url = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise BadParameter(f"{who}'s base URL cannot be used", hint=f"e.g. {example}")
    return url if url.endswith(path) else url + path


def without_credentials(url: str) -> str:
    """The address with no name and password in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def checked_key(key: str) -> str:
    """The key without white space around it. Raises BadParameter, which does not hold it."""
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise BadParameter("the API key holds characters that no key has", hint="copy it again, without quotes or line ends")
    return key
