"""The tools of `lodmem mcp` over streamable HTTP, in the hands of whoever's token comes with the request.

Sessions are not kept: each request stands alone, so that no session can be taken up with another token.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams
from starlette.types import ASGIApp, Receive, Scope, Send

from lodmem._version import __version__
from lodmem.http_api.problems import Refused
from lodmem.http_api.work import Desk
from lodmem.mcp_server.calls import Calls
from lodmem.mcp_server.server import answered
from lodmem.mcp_server.tools import INSTRUCTIONS, tools

Running = Callable[[], AbstractAsyncContextManager[None]]


class _Endpoint:
    """The SDK's manager as an ASGI application."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":  # the SDK would hold a GET open, and has nothing to say on it without a session
            raise Refused(405, "method_not_allowed", "MCP comes by POST; there are no sessions", headers={"Allow": "POST"})
        await self._manager.handle_request(scope, receive, send)


def mounted(desk: Desk) -> tuple[ASGIApp, Running]:
    """An ASGI application for /mcp, and what it must run inside of."""
    serving = desk.serving
    offered = tools(default_budget=serving.mcp_budget, read_only=serving.read_only)

    async def list_tools(context: ServerRequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=offered)

    async def call_tool(context: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
        request: Any = context.request
        engine = desk.hands(request.scope["state"]["token"])
        calls = Calls(lambda: engine, default_budget=serving.mcp_budget, read_only=serving.read_only)
        return await answered(calls, params, lambda call: desk.run(call, seconds=serving.patience))

    server: Server[Any] = Server(
        "lodmem",
        version=__version__,
        title="LOD Memory",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True, max_request_body_size=serving.body)

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        async with manager.run():
            yield

    return _Endpoint(manager), running
