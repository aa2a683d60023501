"""Any lines to the server on standard input: it answers in the protocol, says nothing else, and goes on."""

from __future__ import annotations

import json
import random
from pathlib import Path

from examples import SOAK
from mcp_process import HANDSHAKE, answers, call, command, lines, started

import lodmem

LINES = 1500 if SOAK else 150
GOOD: dict[str, dict[str, object]] = {
    "memory_search": {"query": "ferry"},
    "memory_expand": {"ids": [1]},
    "memory_promote": {"id": 1},
    "memory_remember": {"text": "The ferry was late."},
    "nothing": {},
}
NO_MESSAGES: list[object] = [[], {}, 1, "x", None, [{"jsonrpc": "2.0"}], {"jsonrpc": "1.0", "id": 1, "method": "ping"}]
NAMES = [
    "query",
    "text",
    "id",
    "ids",
    "to",
    "budget",
    "exclude",
    "since",
    "until",
    "tags",
    "space",
    "limit",
    "kind",
    "created_at",
    "",
    "x",
]
VALUES: list[object] = [
    None, True, 0, -1, 1, 2**63, 2**70, 1e308, "", " ", "ferry", "last week", "\0", "\ud800", "x" * 5000,
    "full", "NEAR(", [], [1], ["a", None],
    {}, {"a": {"b": []}}, [[[[[]]]]], "2024-02-30",
]  # fmt: skip
METHODS = [
    "tools/call",
    "tools/list",
    "ping",
    "initialize",
    "resources/list",
    "prompts/get",
    "notifications/cancelled",
    "nothing",
    "",
    7,
    None,
]


def message(**fields: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


def a_call(draw: random.Random, number: int) -> bytes:
    """A call of a tool with arguments that are good, but for up to two of them."""
    tool = draw.choice(list(GOOD))
    arguments = {**GOOD[tool], **{draw.choice(NAMES): draw.choice(VALUES) for _ in range(draw.randrange(3))}}
    return message(id=number, method="tools/call", params={"name": tool, "arguments": arguments})


def a_line(draw: random.Random, number: int) -> bytes:
    kind = draw.randrange(10)
    if kind == 0:
        return draw.randbytes(draw.randrange(60)).replace(b"\n", b"")
    if kind == 1:
        whole = a_call(draw, number)
        at = draw.randrange(len(whole))
        return whole[:at] + draw.choice([b"", b"\0", b"\xff", b'"', b"{", b"}}}}"]) + whole[at + draw.randrange(3) :]
    if kind == 2:
        return json.dumps(draw.choice(NO_MESSAGES)).encode()
    if kind == 3:
        return message(id=draw.choice([number, *VALUES]), method=draw.choice(METHODS), params=draw.choice(VALUES))
    if kind == 4:
        return message(
            id=number, method="tools/call", params={"name": draw.choice(list(GOOD)), "arguments": draw.choice(VALUES)}
        )
    return a_call(draw, number)


def test_any_lines(tmp_path: Path) -> None:
    store, draw = tmp_path / "store.lod", random.Random()
    seed = random.randrange(2**32) if SOAK else 1
    draw.seed(seed)
    sent = b"\n".join(a_line(draw, number) for number in range(100, 100 + LINES)) + b"\n"
    last = lines(call(10, "memory_remember", text="The ferry leaves at nine."), call(11, "memory_search", query="ferry"))
    with (tmp_path / "log").open("wb") as log, started(command(store), log) as server:
        output, _ = server.communicate(lines(*HANDSHAKE) + sent + last, timeout=100)
        assert server.returncode == 0, seed
    assert b"Traceback" not in (tmp_path / "log").read_bytes(), seed
    found = answers(output)
    assert sum("result" in answer and not answer["result"].get("isError") for answer in found.values()) > LINES // 20
    assert "emembered as" in str(found[10]), seed
    assert "result" in found[11], seed
    assert "failed: " not in output.decode(), seed
    with lodmem.open(store, embedder="none", background=False) as engine:
        assert engine.check() == []
        assert "The ferry leaves at nine." in [
            memory.full for memory in engine.expand(*engine.recent(touch=False).ids, touch=False)
        ]
