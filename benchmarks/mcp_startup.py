"""How long a client waits for the MCP server: bare SDK against ours, from spawning the process to the line that answers.

    python benchmarks/mcp_startup.py [--runs 15] [--store PATH]

Prints medians in milliseconds. `discover` opens with the 2026-07-28 protocol, `initialize` with the older handshake, `search`
is the handshake followed at once by a first search, which opens the store. Run it by hand on a quiet machine: never a test.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

BARE_LOW_LEVEL = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

async def listed(context, params):
    return ListToolsResult(tools=[Tool(name="memory_search", input_schema={"type": "object"})])

async def called(context, params):
    return CallToolResult(content=[TextContent(type="text", text="hello")])

async def main():
    server = Server("bare", on_list_tools=listed, on_call_tool=called)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(main)
"""

BARE_HIGH_LEVEL = """
from mcp.server import MCPServer

server = MCPServer("bare")

@server.tool()
def memory_search(query: str) -> str:
    return "hello"

server.run("stdio")
"""

ME = {"name": "benchmark", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": ME,
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": ME},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
DISCOVER = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "memory_search", "arguments": {"query": "what did we decide about the harbour office?"}},
}
EXCHANGES = {"discover": [DISCOVER], "initialize": [INITIALIZE], "search": [INITIALIZE, INITIALIZED, SEARCH]}


def measure(command: Sequence[str], messages: Sequence[dict[str, object]]) -> float:
    """Milliseconds from spawning the command to the answer of the last message."""
    last = messages[-1]["id"]
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(json.dumps(message) + "\n" for message in messages).encode())
        process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            if answer.get("id") == last:
                if "error" in answer or answer["result"].get("isError"):
                    raise SystemExit(f"{command[-1]} answered {line.decode()}")
                break
        else:
            raise SystemExit(f"{command[:3]} ended without an answer")
        elapsed = time.perf_counter() - start
        process.stdin.close()
        process.stdout.read()
    return elapsed * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--store", type=Path, help="a store to serve; default: an empty one")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or Path(folder) / "memory.db"
        servers = {
            "SDK, low level": [sys.executable, "-c", BARE_LOW_LEVEL],
            "SDK, MCPServer": [sys.executable, "-c", BARE_HIGH_LEVEL],
            "lodmem mcp": [sys.executable, "-m", "lodmem", "mcp", "--store", str(store)],
        }
        times: dict[tuple[str, str], list[float]] = {}
        for run in range(given.runs + 1):
            for name, command in servers.items():
                for kind, messages in EXCHANGES.items():
                    elapsed = measure(command, messages)
                    if run:  # the first run fills the disk cache
                        times.setdefault((name, kind), []).append(elapsed)
    print(f"{'median of ' + str(given.runs) + ' runs, ms':28}" + "".join(f"{kind:>12}" for kind in EXCHANGES))
    for name in servers:
        print(f"{name:28}" + "".join(f"{statistics.median(times[name, kind]):12.0f}" for kind in EXCHANGES))


if __name__ == "__main__":
    main()
