"""`lodmem mcp` works off the queue while nobody calls it, and an end in the middle of that loses nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.ingest.work.task import LEASE_US
from tests.chat_server import ChatServer, chat_server, hang
from tests.ingest.levels_kit import FULL, good
from tests.surfaces.mcp_process import HANDSHAKE, call, command, lines, started

MEMORIES = 2
CALLS = 2 * MEMORIES  # summary and headline of each


class Later:
    """The machine's clock, when the leases of what was killed have ended."""

    def now_us(self) -> int:
        return time.time_ns() // 1000 + LEASE_US


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        made.reply = good
        yield made


@pytest.fixture(autouse=True)
def configured(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODMEM_LLM", "openai:tiny")
    monkeypatch.setenv("LODMEM_LLM_URL", server.url)


@contextmanager
def remembering(store: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server process that has acknowledged some memories."""
    texts = [FULL.format(n=n + 1) for n in range(MEMORIES)]
    sent = lines(*HANDSHAKE, *(call(n, "memory_remember", text=text) for n, text in enumerate(texts, 1)))
    with log.open("wb") as errors, started(command(store, embedder="minilm"), errors) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(sent)
        process.stdin.flush()
        for _ in range(1 + MEMORIES):
            assert process.stdout.readline()
        yield process


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def looked_at(store: Path, **more: object) -> Engine:
    return lodmem.open(store, embedder="minilm", background=False, **more)  # type: ignore[arg-type]


@pytest.mark.req("R5.22", "R5.23", "R5.21")
def test_it_embeds_judges_and_writes_levels_in_the_background(store: Path, server: ChatServer, tmp_path: Path) -> None:
    with remembering(store, tmp_path / "log"), looked_at(store) as engine:
        until(lambda: not sum(state.waiting + state.due + state.leased for state in engine.queue()))
        assert engine._store.missing_vectors(engine._store.active_model(), limit=9) == []
        assert [decision.memory for decision in engine.gate_decisions()] == [1, 2]
        assert {memory.written_by for memory in engine.expand(1, 2, touch=False)} == {"tiny"}
        assert len(server.requests) == CALLS
        assert engine.dead_work() == []
    assert (tmp_path / "log").read_bytes() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.req("R5.24")
def test_killed_in_the_middle_of_a_call_it_loses_nothing_and_one_call_is_repeated(
    store: Path, server: ChatServer, tmp_path: Path
) -> None:
    server.script = [hang]
    with remembering(store, tmp_path / "log") as process:
        until(lambda: bool(server.requests))
        process.send_signal(signal.SIGKILL)
        process.wait()
    with looked_at(store, clock=Later(), llm="openai:tiny", llm_url=server.url) as engine:
        # Calls are served side by side: either may have been the first.
        assert {memory.full for memory in engine.expand(1, 2, touch=False)} == {FULL.format(n=n) for n in (1, 2)}
        assert engine.llm_account().waiting == MEMORIES
        done = engine.work()
        assert (dict(done.failed), dict(done.dead), done.stopped) == ({}, {}, {})
        assert {memory.written_by for memory in engine.expand(1, 2, touch=False)} == {"tiny"}
        assert engine.check() == []
    asked = Counter(request["messages"][1]["content"] for request in server.requests)
    assert sorted(asked.values()) == [1] * (CALLS - 1) + [2]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"
