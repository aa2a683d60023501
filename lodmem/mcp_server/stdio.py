"""The SDK's standard input and output with two additions: answers outlive the client's last word, and bad lines get one.

Knows messages and their ids, nothing of what they ask.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, redirect_stdout
from types import TracebackType
from typing import Protocol, Self

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

DRAIN_SECONDS = 10.0


class _Sink(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...

    async def aclose(self) -> None: ...


class Exchange:
    """The two streams a server runs on, and which requests wait for their answer.

    `idle` is for the end: it returns when every request that came in has been answered.
    """

    def __init__(self, requests: MemoryObjectReceiveStream[SessionMessage | Exception], sink: _Sink) -> None:
        self.requests = requests
        self.answers = _Answers(sink, self)
        self._waiting: set[int | str] = set()
        self._changed = anyio.Event()

    def asked(self, message: SessionMessage) -> None:
        match message.message:
            case JSONRPCRequest(id=request):
                self._waiting.add(request)
            case JSONRPCNotification(method="notifications/cancelled", params={"requestId": int() | str() as request}):
                self.settled(request)

    def settled(self, request: int | str | None) -> None:
        if request is not None:
            self._waiting.discard(request)
        self._changed.set()

    async def idle(self, *, seconds: float) -> None:
        """Wait until nothing waits for an answer, but no longer than `seconds`."""
        with anyio.move_on_after(seconds):
            while self._waiting:
                self._changed = anyio.Event()
                await self._changed.wait()


class _Answers:
    """The write stream, noting each answer."""

    def __init__(self, sink: _Sink, exchange: Exchange) -> None:
        self._sink = sink
        self._exchange = exchange

    async def send(self, item: SessionMessage, /) -> None:
        await self._sink.send(item)
        if isinstance(item.message, (JSONRPCResponse, JSONRPCError)):
            self._exchange.settled(item.message.id)

    async def aclose(self) -> None:
        await self._sink.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


@asynccontextmanager
async def open_stdio() -> AsyncIterator[Exchange]:
    """Streams over standard input and output. Until it is left, everything else that prints goes to standard error.

    When the client closes its end, requests still under way get up to DRAIN_SECONDS to be answered before the stream ends:
    the SDK alone would cancel them, and a client that pipes its requests in would see no answers.
    """
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        # The SDK has moved file descriptor 1; this catches what Python would buffer and flush after it is moved back.
        with redirect_stdout(sys.stderr):
            feed, requests = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            exchange = Exchange(requests, outgoing)

            async def relay() -> None:
                async with feed:
                    async for item in incoming:
                        if isinstance(item, SessionMessage):
                            exchange.asked(item)
                            await feed.send(item)
                        else:
                            await exchange.answers.send(_unreadable())
                    await exchange.idle(seconds=DRAIN_SECONDS)

            tasks.start_soon(relay)
            yield exchange
            tasks.cancel_scope.cancel()


def _unreadable() -> SessionMessage:
    error = ErrorData(code=PARSE_ERROR, message="The line is not a JSON-RPC message in UTF-8.")
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error))
