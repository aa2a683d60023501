"""Commands that hand over to other surfaces: `eval` and `mcp`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    """A made-up conversation of four turns with two questions, in LoCoMo's format."""
    turns = ["Shall we meet at the lighthouse?", "My violin has a new string.", "The ferry leaves at noon.", "I planted beans."]
    sample = {
        "sample_id": "made-up",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Ida", "dia_id": f"D1:{n}", "text": text} for n, text in enumerate(turns, 1)],
        },
        "qa": [
            {"question": "When does the ferry leave?", "answer": "noon", "evidence": ["D1:3"], "category": 1},
            {"question": "What did she plant?", "answer": "beans", "evidence": ["D1:4"], "category": 4},
            {"question": "Nobody knows?", "answer": "", "evidence": [], "category": 4},
        ],
    }
    file = tmp_path / "made-up.json"
    file.write_text(json.dumps([sample]))
    return file


def test_eval_locomo(lodmem: Any, lodmem_json: Any, locomo: Path, store: Path) -> None:
    report = lodmem_json("eval", "locomo", locomo)
    assert report["questions"] == 2
    assert list(report["recall_at"]) == ["5", "10", "20", "50"]
    assert report["recall_at"]["50"] == 1.0
    assert set(report["by_category"]) == {"1", "4"}
    assert report["embedder"] == "none"
    assert lodmem_json("eval", "locomo", locomo, "--limit", 1)["questions"] == 1
    table = lodmem("eval", "locomo", locomo).stdout
    assert "R@10" in table
    assert "1 multi-hop" in table
    assert not store.exists()


def test_eval_keeps_embeddings_where_it_is_told(lodmem: Any, locomo: Path, tmp_path: Path) -> None:
    cache = tmp_path / "embeddings"
    lodmem("eval", "locomo", locomo, "--cache", cache, "--embedder", "minilm")
    assert any(cache.iterdir())


def test_eval_shows_how_far_it_is(at_terminal: Any, locomo: Path) -> None:
    code, out = at_terminal("eval", "locomo", locomo)
    assert code == 0
    assert "made-up: asking" in out


def test_eval_of_something_else(lodmem: Any, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text("{}")
    assert "not in LoCoMo's format" in lodmem("eval", "locomo", file, expect=2).stderr


def test_mcp_speaks_only_protocol_on_stdout(process: Any) -> None:
    process("remember", "the ferry leaves at noon")
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "memory_search", "arguments": {"query": "ferry"}},
        },
    ]
    done = process("mcp", "--budget", "500", input="".join(json.dumps(each) + "\n" for each in messages).encode())
    assert done.returncode == 0, done.stderr
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[1]["result"]["serverInfo"]["name"] == "lodmem"
    assert "the ferry leaves at noon" in answers[2]["result"]["content"][0]["text"]


def test_mcp_tells_bad_settings_at_once(process: Any) -> None:
    done = process("mcp", LODMEM_ZONE="Mars/Base")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: 'Mars/Base' is not a time zone")
