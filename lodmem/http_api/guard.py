"""What every request passes before anything else: who is asked, who asks, how much is sent; and what every answer carries.

Browsers are the danger on loopback: a page from elsewhere may point a name at this machine (DNS rebinding) or send requests
here (CSRF). So the host must be one of ours, and whatever a browser says comes from another origin is refused.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lodmem.errors import LodmemError
from lodmem.http_api.problems import Refused, of_error, problem
from lodmem.http_api.settings import Serving, address_of, is_loopback
from lodmem.model.access import AccessToken

logger = logging.getLogger("lodmem.http")

Admit = Callable[[str], Awaitable[AccessToken | None]]

SAFE = ("GET", "HEAD", "OPTIONS")
CLOSED = ("/api/", "/mcp")
OPEN = ("/api/v1/health",)
UPLOADS = ("/api/v1/import",)

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?\Z")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")

CSP = "; ".join(
    (
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "font-src 'self'",
        "connect-src 'self'", "worker-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'",
    )
)  # fmt: skip
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class Guard:
    """An ASGI application around another. `scope["state"]` gets `request_id` and `token`, None where none was given."""

    def __init__(self, app: ASGIApp, serving: Serving, admit: Admit) -> None:
        self._app, self._serving, self._admit = app, serving, admit
        self._local = is_loopback(serving.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send)
        try:
            limited = self._checked(scope, receive)
            scope["state"]["token"] = await self._token(scope["path"], Headers(scope=scope))
            await self._app(scope, limited, answer.send)
        except Refused as refused:
            await answer.instead(refused.answer(answer.request_id), scope, receive)
        except LodmemError as error:
            await answer.instead(of_error(error, answer.request_id), scope, receive)
        except Exception as error:  # the top level: the caller gets a sentence, the log the rest
            logger.exception("request %s failed", answer.request_id)
            text = f"unexpected {type(error).__name__}"
            hint = "the server's log has the details under this request id"
            await answer.instead(problem(500, "internal", text, hint=hint, request_id=answer.request_id), scope, receive)
        finally:
            answer.note(scope)

    def _checked(self, scope: Scope, receive: Receive) -> Receive:
        """`receive` with a limit on the body. Raises Refused."""
        headers, path = Headers(scope=scope), scope["path"]
        self._check_host(headers)
        _check_origin(headers, scope["method"], path)
        limit = self._serving.upload if path in UPLOADS else self._serving.body
        return _limited(receive, headers, limit)

    def _check_host(self, headers: Headers) -> None:
        given = headers.getlist("host")
        match = _HOST.match(given[0]) if len(given) == 1 else None
        name = "" if match is None else match[1].lower()
        address = address_of(name)
        known = name in ("localhost", *self._serving.names, self._serving.host.lower())
        if not known and address is not None:
            # A name can be pointed at us by anybody, an address cannot.
            known = address.is_loopback if self._local else True
        if not known:
            raise Refused(
                421, "unknown_host", f"this server does not answer to the host {given[0][:100] if given else ''!r}",
                hint="use its address, or start it with --allow-host NAME",
            )  # fmt: skip

    async def _token(self, path: str, headers: Headers) -> AccessToken | None:
        given = headers.get("authorization")
        closed = path.startswith(CLOSED) and path not in OPEN
        if given is None:
            if closed and self._serving.needs_token:
                raise _unauthorized("this server asks for a token")
            return None
        if not closed:
            return None
        scheme, _, text = given.partition(" ")
        token = await self._admit(text.strip()) if scheme.lower() == "bearer" and text.strip() else None
        if token is None:
            raise _unauthorized("there is no such token")
        return token


def _unauthorized(detail: str) -> Refused:
    hint = "send 'Authorization: Bearer TOKEN'; 'lodmem token add NAME' makes one"
    return Refused(401, "unauthorized", detail, hint=hint, headers={"WWW-Authenticate": 'Bearer realm="lodmem"'})


def _check_origin(headers: Headers, method: str, path: str) -> None:
    """Raises Refused for what a browser sends on behalf of a page that is not ours."""
    origins, host = headers.getlist("origin"), headers.get("host", "").lower()
    if origins and (len(origins) > 1 or urlsplit(origins[0].lower()).netloc != host):
        raise Refused(403, "foreign_origin", "requests from other origins are refused")
    site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
    visiting = method in SAFE and mode == "navigate" and not path.startswith(CLOSED)
    if site not in (None, "same-origin", "none") and not visiting:
        raise Refused(403, "foreign_origin", "requests from other sites are refused")


def _limited(receive: Receive, headers: Headers, limit: int) -> Receive:
    """`receive` that refuses a body beyond the limit: at once where its length is told, else when it is passed."""
    told = headers.get("content-length", "0")
    # Longer than any limit, and than what int() reads in no time.
    if len(told) > 18 or not told.isascii() or not told.isdigit() or int(told) > limit:
        raise _too_large(limit)
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > limit:
            raise _too_large(limit)
        return message

    return limited


def _too_large(limit: int) -> Refused:
    return Refused(413, "too_large", f"the request's body is larger than {limit:,} bytes", headers={"Connection": "close"})


class _Answer:
    """One answer on its way out: gets the headers that all have, and is noted in the log without its query string."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send, self._began = send, time.monotonic()
        self._status = 0
        given = Headers(scope=scope).get("x-request-id", "")
        self.request_id = given if _REQUEST_ID.match(given) else secrets.token_hex(8)
        scope.setdefault("state", {}).update(request_id=self.request_id, token=None)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers["X-Request-ID"] = self.request_id
            headers.setdefault("Cache-Control", "no-store")
        await self._send(message)

    async def instead(self, answer: Any, scope: Scope, receive: Receive) -> None:
        """Another answer than the one that failed, unless that one is on its way already: then it breaks off."""
        if self._status:
            raise ConnectionAbortedError("the answer broke off")
        await answer(scope, receive, self.send)

    def note(self, scope: Scope) -> None:
        token: AccessToken | None = scope["state"]["token"]
        took = (time.monotonic() - self._began) * 1000.0
        logger.info(
            "%s %s %s %.1f ms%s id=%s", scope["method"], repr(scope["path"])[1:-1][:200], self._status or "broken off", took,
            "" if token is None else f" token={token.name!r}", self.request_id,
        )  # fmt: skip
