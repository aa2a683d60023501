"""A chat server on this machine that answers as its script says: well, late, half, never, or nonsense. Both dialects."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler"], None]
Reply = Callable[[str, str], str]  # system, user


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ChatServer

    def do_POST(self) -> None:
        self.request_body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({"path": self.path, "headers": dict(self.headers), **self.request_body})
        behaviour = self.server.script.pop(0) if self.server.script else says(None)
        behaviour(self)

    @property
    def asked(self) -> tuple[str, str]:
        """System prompt and question, whatever the dialect."""
        messages = self.request_body["messages"]
        system = self.request_body.get("system") or messages[0]["content"]
        return system, messages[-1]["content"]

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        pass


class ChatServer(ThreadingHTTPServer):
    """Answers with `reply` unless `script` says otherwise; `released` ends a hanging answer. Answers count 7 + 3 tokens."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.script: list[Behaviour] = []
        self.reply: Reply = lambda system, user: "ready"
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what some tests are about."""


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    made = ChatServer()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        made.released.set()
        made.shutdown()
        thread.join()
        made.server_close()


def says(text: str | None, *, stop: str | None = None, usage: object = ..., **message: object) -> Behaviour:
    """An answer of that text, None: the server's `reply`."""

    def behave(handler: Handler) -> None:
        content = handler.server.reply(*handler.asked) if text is None else text
        if handler.path.endswith("/messages"):
            counts = {"input_tokens": 7, "output_tokens": 3} if usage is ... else usage
            blocks = [{"type": "text", "text": content}] if content else []
            body: dict[str, object] = {"content": blocks, "stop_reason": stop or "end_turn", "usage": counts}
        else:
            counts = {"prompt_tokens": 7, "completion_tokens": 3} if usage is ... else usage
            choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": stop or "stop"}
            body = {"choices": [choice], "usage": counts}
        handler.send(200, json.dumps(body).encode())

    return behave


def status(code: int, said: str = "", **headers: str) -> Behaviour:
    return lambda handler: handler.send(code, said.encode(), **headers)


def hang(handler: Handler) -> None:
    handler.server.released.wait(20)
    handler.close_connection = True


def half(handler: Handler) -> None:
    """A good beginning, and then the line goes dead."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"message": {"content": "Once upon')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def thirty_megabytes(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    try:
        for _ in range(30 * 16):
            handler.wfile.write(b" " * 65536)
    except OSError:
        pass
    handler.close_connection = True
