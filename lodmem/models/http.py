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

    `worked`: the server may have begun to answer, and charge for it; `used`: tokens in and out until then, where that is known.
    `status`: of HTTP, 0 where it came to none.
    """

    error: ModelError
    passing: bool = False
    wait_s: float | None = None
    worked: bool = False
    used: tuple[int, int] | None = None
    status: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a server is spoken to. It may be silent for `timeout_s`; an answer that comes as a whole has to be there by then, one
    that comes in pieces by `longest_s`. A Retry-After of more than `longest_wait_s` seconds is not waited for; an answer of
    more than `max_bytes` is cut off."""

    timeout_s: float = 30.0
    longest_s: float = 300.0
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
        body = bytearray()

        def take(piece: bytes) -> bool:
            body.extend(piece)
            return True

        failure = self._ask(payload, take, self._manners.timeout_s)
        return bytes(body) if failure is None else failure

    def stream(self, payload: Mapping[str, object], take: Callable[[bytes], bool]) -> Failure | None:
        """Give each piece of a good answer to `take` as it comes, until there are no more or it wants none; or why there are no
        more, after one attempt. Pieces are cut anywhere."""
        return self._ask(payload, take, self._manners.longest_s)

    def close(self) -> None:
        """Close connections. Idempotent; a later question opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def refusal(self, status: int, said: str, *, retry: str | None = None, begun: bool = False) -> Failure:
        """What an error of that status means. `said`: in the server's words; `retry`: its Retry-After; `begun`: it came in the
        middle of an answer."""
        said = self.clean(said)
        what = f"{'broke off its answer with' if begun else 'answered'} {status}" + (f": {said}" if said else "")
        if status in PASSING:
            wait_s = retry_after(retry, self._manners.now())
            error = self.unavailable(what)
            if wait_s is not None and wait_s > self._manners.longest_wait_s:
                error.hint = f"it asks to wait {wait_s:.0f} s; try again then"
                return Failure(error=error, worked=begun, status=status)
            return Failure(error=error, passing=True, wait_s=wait_s, worked=begun, status=status)
        if status in (401, 403):
            return Failure(error=self.unavailable(what, hint="check the API key"), worked=begun, status=status)
        if status == 404:
            hint = f"check the base URL and that the server has the model {self._model}"
            return Failure(error=self.unavailable(what, hint=hint), worked=begun, status=status)
        return Failure(error=self.bad(what, hint=self._manners.bad_request_hint), worked=begun, status=status)

    def unavailable(self, what: str, *, hint: str = "") -> ModelUnavailable:
        """The error that this server `what`."""
        return ModelUnavailable(f"{self._who} at {self.place} {what}", hint=hint or "is it running?")

    def bad(self, what: str, *, hint: str = "") -> ModelBadAnswer:
        """The error that this server `what`."""
        return ModelBadAnswer(f"{self._who} at {self.place} {what}", hint=hint)

    def clean(self, text: str) -> str:
        """One short line of what the server said, without the key should it echo it."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_EXCERPT]

    def _ask(self, payload: Mapping[str, object], take: Callable[[bytes], bool], within_s: float) -> Failure | None:
        import httpx

        size, silence_s = 0, self._manners.timeout_s
        try:
            started = time.monotonic()
            with self._connection().stream("POST", self._url, json=dict(payload)) as response:
                good, refused = response.status_code == 200, bytearray()
                for piece in response.iter_bytes():
                    size += len(piece)
                    if size > self._manners.max_bytes:
                        most = f"sent more than {self._manners.max_bytes // 2**20} MB"
                        return Failure(error=self.bad(most, hint="check the base URL"), worked=True)
                    # A server that drips bytes is never silent for long.
                    if time.monotonic() - started > within_s:
                        return self._away(f"did not end its answer within {within_s:g} s", None, worked=True)
                    if not good:
                        refused += piece
                    elif not take(piece):
                        return None
                retry = response.headers.get("retry-after")
                return None if good else self.refusal(response.status_code, refused.decode("utf-8", "replace"), retry=retry)
        except httpx.TimeoutException as error:
            what = f"fell silent for {silence_s:g} s" if size else f"did not answer within {silence_s:g} s"
            return self._away(what, error, worked=not isinstance(error, httpx.ConnectTimeout))
        except httpx.TransportError as error:
            what = "broke off its answer" if size else "cannot be reached"
            return self._away(f"{what}: {self.clean(str(error))}", error, worked=not isinstance(error, httpx.ConnectError))
        except httpx.DecodingError as error:
            bad = self.bad("sent a damaged answer")
            bad.__cause__ = error
            return Failure(error=bad, worked=True)

    def _away(self, what: str, cause: Exception | None, *, worked: bool) -> Failure:
        error = self.unavailable(what)
        error.__cause__ = cause
        return Failure(error=error, passing=True, worked=worked)

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
