"""What the tests of `lodmem mcp` share: a server process, and clients and lines to talk to it with."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO, Any

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolResult

from lodmem.mcp_server.tools import MAX_CHARS
from lodmem.models.tokenizer import WordPieceCounter

MODERN, LEGACY = "2026-07-28", "2025-11-25"
MOST_TOKENS = 25_000

ME = {"name": "test", "version": "1"}
HANDSHAKE = (
    {"id": 0, "method": "initialize", "params": {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": ME}},
    {"method": "notifications/initialized"},
)


def command(store: Path, *more: str, embedder: str = "none") -> list[str]:
    return [sys.executable, "-m", "lodmem", "mcp", "--store", str(store), "--embedder", embedder, *more]


@asynccontextmanager
async def connected(store: Path, *more: str, mode: str = MODERN, embedder: str = "none") -> AsyncIterator[Client]:
    """A client of a server process of its own; what the server logs must hold no traceback."""
    line = command(store, *more, embedder=embedder)
    log = store.parent / f"{store.name}.log"
    with log.open("a+") as errors:
        server = StdioServerParameters(command=line[0], args=line[1:], env=dict(os.environ))
        how = "legacy" if mode == LEGACY else "auto"
        async with Client(stdio_client(server, errlog=errors), mode=how, read_timeout_seconds=60) as client:
            assert client.protocol_version == mode
            yield client
    assert "Traceback" not in log.read_text()


def text_of(result: CallToolResult) -> str:
    """The only thing a result may hold: one block of text within what clients take."""
    assert result.structured_content is None
    (block,) = result.content
    assert block.type == "text"
    assert len(block.text) <= MAX_CHARS
    assert WordPieceCounter().count(block.text) < MOST_TOKENS
    return block.text


async def ok(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return text_of(result)


async def refused(client: Client, tool: str, **arguments: object) -> tuple[str, str]:
    """(machine code, text) of a call that must fail as a tool error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    assert result.meta is not None
    return str(result.meta["lodmem/code"]), text_of(result)


def id_of(answer: str) -> int:
    match = re.search(r"emembered as #(\d+)", answer)
    assert match, answer
    return int(match[1])


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    anyio.run(main)


def call(number: int, tool: str, **arguments: object) -> dict[str, object]:
    return {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def lines(*messages: dict[str, object]) -> bytes:
    return b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages)


@contextmanager
def started(argv: Sequence[str], log: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log) as process:
        try:
            yield process
        finally:
            process.kill()


def answers(output: bytes) -> dict[object, dict[str, Any]]:
    """Every line must be a protocol message; answers by id."""
    found = [json.loads(line) for line in output.splitlines()]
    assert all(message["jsonrpc"] == "2.0" and "id" in message for message in found)
    return {message["id"]: message for message in found}
