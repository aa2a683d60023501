"""kill -9 of a worker in the middle of a call loses nothing and repeats one call at most. Two workers do nothing twice."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.ingest.work.task import LEASE_US
from tests.chat_server import ChatServer, chat_server, hang, says
from tests.ingest.levels_kit import FULL, good

AT_WORK = Path(__file__).with_name("at_work.py")
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


def opened(path: Path, server: ChatServer, **more: object) -> Engine:
    given = {"embedder": "none", "background": False, "llm": "openai:tiny", "llm_url": server.url} | more
    return lodmem.open(path, **given)  # type: ignore[arg-type]


def filled(path: Path, server: ChatServer, count: int) -> None:
    with opened(path, server) as engine:
        for n in range(count):
            engine.remember(FULL.format(n=n + 1))


def worker(path: Path, server: ChatServer) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(AT_WORK), str(path), server.url]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def asked(server: ChatServer) -> Counter[str]:
    """How often each question was put."""
    return Counter(request["messages"][1]["content"] for request in server.requests)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.req("R5.24")
@pytest.mark.parametrize("at", range(CALLS))
def test_a_killed_worker_loses_nothing_and_repeats_one_call(folder: Path, server: ChatServer, at: int) -> None:
    path = folder / "memory.db"
    filled(path, server, MEMORIES)
    server.script = [says(None)] * at + [hang]
    with worker(path, server) as killed:
        end = time.monotonic() + 60
        while len(server.requests) <= at:
            assert time.monotonic() < end
            time.sleep(0.01)
        killed.kill()
    with opened(path, server, clock=Later()) as engine:
        (headlines, summaries) = [state for state in engine.queue() if state.task in ("levels", "headline")]
        assert headlines.due + summaries.due + (MEMORIES - engine.llm_account().waiting) == MEMORIES
        done = engine.work()
        assert (dict(done.failed), dict(done.dead), done.stopped) == ({}, {}, {})
        assert engine.llm_account().waiting == 0
        assert {memory.written_by for memory in engine.expand(*range(1, MEMORIES + 1), touch=False)} == {"tiny"}
        assert engine.check() == []
    assert len(server.requests) == CALLS + 1
    assert sorted(asked(server).values()) == [1] * (CALLS - 1) + [2]


@pytest.mark.req("R5.24")
def test_workers_in_two_processes_and_threads_do_nothing_twice(folder: Path, server: ChatServer) -> None:
    path, count = folder / "memory.db", 10
    filled(path, server, count)
    met = threading.Barrier(2)

    def together(handler: object) -> None:
        met.wait(60)
        says(None)(handler)  # type: ignore[arg-type]

    server.script = [together, together]  # the first of each: both have begun before anything is done
    with worker(path, server) as one, opened(path, server) as engine:
        done = engine.work(workers=1).done
        while engine.llm_account().waiting:
            time.sleep(0.02)
            engine.work(workers=3)
        assert one.wait(60) == 0
        assert done
    assert set(asked(server).values()) == {1}
    assert len(server.requests) == 2 * count
