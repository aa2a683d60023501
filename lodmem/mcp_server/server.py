"""The protocol's side: a server of the official SDK whose calls run in worker threads, from the first line to a clean end.

Knows when things happen, not what a tool does. The SDK is imported before anything of the engine.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

with redirect_stdout(sys.stderr):
    import anyio
    import anyio.to_thread
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError
    from mcp.types import (
        INVALID_PARAMS,
        CallToolRequestParams,
        CallToolResult,
        ListToolsResult,
        PaginatedRequestParams,
        TextContent,
    )

from lodmem._version import __version__
from lodmem.errors import LodmemError
from lodmem.mcp_server.calls import Calls
from lodmem.mcp_server.lazy import LazyEngine
from lodmem.mcp_server.stdio import Exchange, open_stdio
from lodmem.mcp_server.tools import INSTRUCTIONS, tools

if TYPE_CHECKING:
    from lodmem.engine import Engine

logger = logging.getLogger(__name__)

PARALLEL_CALLS = 8
WARM_DELAY = 0.1
# Clients send SIGKILL two seconds after SIGTERM.
LAST_CALLS_SECONDS = 1.0
WRITE_SECONDS = 0.05
CLOSE_SECONDS = 10.0
MAX_ERROR_CHARS = 2000


def run(open_engine: Callable[[], Engine], *, default_budget: int, read_only: bool) -> None:
    """See `lodmem.mcp_server.serve`."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="lodmem: %(levelname)s %(name)s: %(message)s")
    engine = LazyEngine(open_engine)
    calls = Calls(engine.get, default_budget=default_budget, read_only=read_only)
    served = _Served(engine, calls, default_budget=default_budget, read_only=read_only)
    try:
        anyio.run(served.serve)
    except* (BrokenPipeError, ConnectionResetError):
        logger.warning("the client stopped reading")
    finally:
        engine.close()


class _Served:
    def __init__(self, engine: LazyEngine, calls: Calls, *, default_budget: int, read_only: bool) -> None:
        self._engine = engine
        self._calls = calls
        self._tools = tools(default_budget=default_budget, read_only=read_only)
        self._server: Server[Any] = Server(
            "lodmem",
            version=__version__,
            title="LOD Memory",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self._server.middleware.append(self._note_answer)

    async def serve(self) -> None:
        self._threads = anyio.CapacityLimiter(PARALLEL_CALLS)
        self._answered = anyio.Event()
        async with open_stdio() as exchange, anyio.create_task_group() as tasks:
            tasks.start_soon(self._warm)
            if sys.platform != "win32":
                tasks.start_soon(self._end_on_signal, exchange)
            await self._server.run(exchange.requests, exchange.answers, self._server.create_initialization_options())
            tasks.cancel_scope.cancel()

    async def _list_tools(self, context: ServerRequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=self._tools)

    async def _call_tool(self, context: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
        return await answered(self._calls, params, lambda call: anyio.to_thread.run_sync(call, limiter=self._threads))

    async def _note_answer(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        self._answered.set()
        return result

    async def _warm(self) -> None:
        # Opening competes with answering for the interpreter, so it waits until the handshake is through.
        await self._answered.wait()
        await anyio.sleep(WARM_DELAY)
        await anyio.to_thread.run_sync(self._engine.warm, abandon_on_cancel=True)

    async def _end_on_signal(self, exchange: Exchange) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                break
        await exchange.idle(seconds=LAST_CALLS_SECONDS)
        # The SDK hands the last answer to a writing thread, which cannot be waited for.
        await anyio.sleep(WRITE_SECONDS)
        with anyio.move_on_after(CLOSE_SECONDS):
            await anyio.to_thread.run_sync(self._engine.close, abandon_on_cancel=True)
        # A thread is blocked reading standard input, and no cancellation reaches it.
        sys.stderr.flush()
        os._exit(0)


async def answered(
    calls: Calls, params: CallToolRequestParams, in_thread: Callable[[Callable[[], str]], Awaitable[str]]
) -> CallToolResult:
    """The result of one call of a tool, whatever happens in it. Raises MCPError for a tool that is not there."""
    call = calls.by_name.get(params.name)
    if call is None:
        raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {params.name[:100]}")
    try:
        text = await in_thread(lambda: call(params.arguments or {}))
    except LodmemError as error:
        return _failed(error.message, error.hint, error.code)
    except Exception as error:  # the top level: the model gets a sentence, the log the rest
        logger.exception("%s failed", params.name)
        return _failed(f"{params.name} failed: {type(error).__name__}", "the server's log has the details", "internal")
    return CallToolResult(content=[TextContent(type="text", text=text)])


def _failed(message: str, hint: str, code: str) -> CallToolResult:
    text = f"{message}\nHint: {hint}" if hint else message
    if len(text) > MAX_ERROR_CHARS:
        text = text[:MAX_ERROR_CHARS] + " ..."
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True, _meta={"lodmem/code": code})
