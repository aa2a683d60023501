"""MCP over streamable HTTP with a real client, in both protocol modes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from http_kit import TEA, Serve, Served
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

MODES = ("auto", "legacy")


@asynccontextmanager
async def connected(served: Served, mode: str, **headers: str) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=30) as web:
        transport = streamable_http_client(served.url + "mcp", http_client=web)
        async with Client(transport, mode=mode, read_timeout_seconds=30) as client:
            yield client


def run(talk: Callable[[], Awaitable[None]]) -> None:
    anyio.run(talk)


def text_of(result: object) -> str:
    (block,) = result.content  # type: ignore[attr-defined]
    return str(block.text)


@pytest.mark.req("R17.16")
@pytest.mark.parametrize("mode", MODES)
def test_the_tools_work(serve: Serve, mode: str) -> None:
    served = serve()

    async def talk() -> None:
        async with connected(served, mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == ["memory_search", "memory_expand", "memory_promote", "memory_remember"]
            found = await client.call_tool("memory_search", {"query": "when is the launch?"})
            assert TEA[0] in text_of(found)
            kept = await client.call_tool("memory_remember", {"text": "The launch went well."})
            assert "#7" in text_of(kept)
            assert "launch went well" in text_of(await client.call_tool("memory_expand", {"ids": [7]}))
            bad = await client.call_tool("memory_expand", {"ids": [999]})
            assert bad.is_error
            assert bad.meta is not None
            assert bad.meta["lodmem/code"] == "unknown_memory"

    run(talk)
    assert served.engine.expand(7, touch=False)[0].full == "The launch went well."


@pytest.mark.req("R17.16", "R13.4")
@pytest.mark.parametrize("mode", MODES)
def test_each_token_has_its_own_hands(serve: Serve, mode: str) -> None:
    served = serve(needs_token=True)
    served.engine.remember("Acme keeps its tea in tins.", space="acme")
    served.engine.drain()
    text = served.engine.add_token("acme", agent="scout", space="acme")

    async def talk() -> None:
        async with connected(served, mode, Authorization=f"Bearer {text}") as client:
            found = text_of(await client.call_tool("memory_search", {"query": "tea"}))
            assert "tins" in found
            assert "samovar" not in found
            assert (await client.call_tool("memory_search", {"query": "tea", "space": "main"})).is_error
            assert (await client.call_tool("memory_expand", {"ids": [1]})).is_error
            assert (await client.call_tool("memory_promote", {"id": 1})).is_error
            await client.call_tool("memory_remember", {"text": "Written by the scout."})

    run(talk)
    written = served.engine.expand(8, touch=False)[0]
    assert (written.agent, written.space) == ("scout", "acme")


def test_without_a_token_no_client_gets_in(serve: Serve) -> None:
    served = serve(needs_token=True)

    async def talk() -> None:
        async with connected(served, "auto") as client:
            await client.list_tools()

    with pytest.raises(BaseException):  # noqa: B017, PT011  the client wraps it in groups of its own
        run(talk)


@pytest.mark.req("R17.12")
def test_read_only_offers_no_writing_tool(serve: Serve) -> None:
    served = serve(engine={"read_only": True}, read_only=True)

    async def talk() -> None:
        async with connected(served, "auto") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["memory_search", "memory_expand"]
            assert "samovar" in text_of(await client.call_tool("memory_search", {"query": "samovar"}))

    run(talk)


def test_nothing_is_held_open(tea: Served) -> None:
    for method in ("GET", "DELETE", "PUT", "HEAD"):
        answer = tea.request(method, "/mcp", headers={"Accept": "text/event-stream"})
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_broken_messages_are_refused_in_words(tea: Served) -> None:
    for body in (b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"\xff", b"[" * 50_000):
        answer = tea.request("POST", "/mcp", content=body, headers={"Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500, (body[:20], answer.status_code)
    tea.get("health")
