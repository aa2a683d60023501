"""A chat server on this machine that answers as its script says: well, late, half, never, or nonsense. Both dialects."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests import chat_streams

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

    def begin(self, content_type: str = "text/event-stream") -> None:
        """The head of a good answer that is sent in pieces."""
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def piece(self, data: bytes) -> None:
        """One piece; b'' ends the answer."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        pass


class ChatServer(ThreadingHTTPServer):
    """Answers with `reply` unless `script` says otherwise, as a stream where one is asked for and it `streams`; 7 + 3 tokens.

    `released` ends an answer that hangs, `hung_up` tells that a client did not hear one out.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.script: list[Behaviour] = []
        self.reply: Reply = lambda system, user: "ready"
        self.streams = True
        self.released = threading.Event()
        self.hung_up = threading.Event()

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
        anthropic = handler.path.endswith("/messages")
        names = ("input_tokens", "output_tokens") if anthropic else ("prompt_tokens", "completion_tokens")
        counts = dict(zip(names, (7, 3), strict=True)) if usage is ... else usage
        if handler.server.streams and handler.request_body.get("stream"):
            body = chat_streams.of_path(handler.path, content, stop=stop, usage=counts, message=message)
            handler.send(200, body, Content_Type="text/event-stream")
            return
        if anthropic:
            blocks = [{"type": "text", "text": content}] if content else []
            answer: dict[str, object] = {"content": blocks, "stop_reason": stop or "end_turn", "usage": counts}
        else:
            choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": stop or "stop"}
            answer = {"choices": [choice], "usage": counts}
        handler.send(200, json.dumps(answer).encode())

    return behave


def pours(*pieces: bytes, then: Behaviour | None = None, content_type: str = "text/event-stream") -> Behaviour:
    """An answer in these pieces, and after them its end, or what `then` does."""

    def behave(handler: Handler) -> None:
        handler.begin(content_type)
        for piece in pieces:
            handler.piece(piece)
        if then is None:
            handler.piece(b"")
        else:
            then(handler)

    return behave


def drips(piece: bytes, *, every_s: float = 0.01, times: int = 10_000) -> Behaviour:
    """Goes on with that piece, one every so often, until the client hangs up."""

    def behave(handler: Handler) -> None:
        try:
            for _ in range(times):
                handler.piece(piece)
                if handler.server.released.wait(every_s):
                    break
        except OSError:
            handler.server.hung_up.set()
        handler.close_connection = True

    return behave


def breaks_off(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


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
    breaks_off(handler)


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
