"""A server from its first socket to its graceful end. It knows ports, signals and browsers, not what is served."""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Thread
from types import TracebackType
from typing import Self

import uvicorn

from lodmem.engine import Engine
from lodmem.errors import BadParameter
from lodmem.http_api.app import make_app
from lodmem.http_api.settings import Serving, is_loopback, url_of
from lodmem.http_api.work import Desk

TRIES = 50
LAST_CALLS_SECONDS = 10
MOST_CONNECTIONS = 512


def serve(engine: Engine, serving: Serving, *, ready: Callable[[str, int | None], None], loud: bool = False) -> None:
    """Serve until SIGINT or SIGTERM; blocks. The caller closes the engine.

    `ready` is told the address and, where it is another one, the port that was asked for and is taken. With `loud` each
    request is a line on standard error. Raises BadParameter, as `Listening.on` does.
    """
    _log(loud=loud)
    with Listening.on(engine, serving) as listening:
        listening.run(lambda: ready(listening.url, listening.taken))


class Listening:
    """A server whose port is open and whose application is made. `run` blocks until it is stopped, from any thread."""

    def __init__(self, sock: socket.socket, engine: Engine, serving: Serving) -> None:
        self._socket = sock
        port: int = sock.getsockname()[1]
        self.url = url_of(serving.host, port)
        self.taken = serving.port if serving.port not in (0, port) else None
        app, self.desk = make_app(engine, replace(serving, port=port))
        config = uvicorn.Config(
            app, lifespan="on", log_config=None, access_log=False, server_header=False, proxy_headers=False, ws="none",
            timeout_graceful_shutdown=LAST_CALLS_SECONDS, limit_concurrency=MOST_CONNECTIONS,
            h11_max_incomplete_event_size=64 * 1024,
        )  # fmt: skip
        self._server = _Server(config, self.desk)

    @classmethod
    def on(cls, engine: Engine, serving: Serving) -> Self:
        """A server at the address of `serving`, or at the next port that is free.

        Raises BadParameter: it would listen beyond this machine and nobody has a token; no port could be had.
        """
        if not is_loopback(serving.host):
            serving = replace(serving, needs_token=True)
            if not engine.tokens():
                raise BadParameter(
                    f"{serving.host} is reached from other machines, and nobody has a token yet",
                    hint="make one first: lodmem token add NAME; or stay on 127.0.0.1",
                )
        return cls(bind(serving.host, serving.port), engine, serving)

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve; `ready` is called once requests are answered and signals are heeded."""
        self._server.ready = ready
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """End it as a signal would. Idempotent."""
        self.desk.ending.set()
        self._server.should_exit = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._socket.close()


def bind(host: str, port: int) -> socket.socket:
    """A listening socket on that port, or on the next one that is free; 0 is any. Raises BadParameter."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last = port if port == 0 else min(port + TRIES, 65535)
    for candidate in range(port, last + 1):
        # The protocol is named, or the event loop leaves small answers waiting for the other side's acknowledgement.
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((host.removeprefix("[").removesuffix("]"), candidate))
            sock.listen(128)
        except OSError as error:
            sock.close()
            if error.errno in (errno.EADDRINUSE, errno.EACCES) and candidate < last:
                continue
            raise BadParameter(
                f"{host} port {candidate} cannot be listened on: {error.strerror or error}", hint="--port, --host"
            ) from None
        return sock
    raise BadParameter(f"port {port} is out of range", hint="--port 0 takes any that is free")


class _Server(uvicorn.Server):
    """Event streams end when the server is asked to, or it would wait for them."""

    def __init__(self, config: uvicorn.Config, desk: Desk) -> None:
        super().__init__(config)
        self._desk = desk
        self.ready: Callable[[], None] = lambda: None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.ready()

    def handle_exit(self, sig: int, frame: object) -> None:
        self._desk.ending.set()
        # Not kept: raising it again after a clean end would make that end look like a crash.
        if self.should_exit:
            self.force_exit = True
        self.should_exit = True


def open_browser(url: str, env: Mapping[str, str]) -> bool:
    """Show the address in a browser where there is a display; never waits for it."""
    if sys.platform.startswith("linux") and not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or env.get("BROWSER")):
        return False
    Thread(target=webbrowser.open, args=(url,), name="lodmem-browser", daemon=True).start()
    return True


def _log(*, loud: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s lodmem: %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("lodmem.http").setLevel(logging.INFO if loud else logging.WARNING)
