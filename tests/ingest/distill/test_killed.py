"""kill -9 in the middle of a run: the next one goes on, nothing is there twice, nothing is missing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import lodmem
from lodmem.model.memory import Draft, Source

pytestmark = [
    pytest.mark.req("R5.16"),
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]
COUNT = 40
RUN = """
import os, signal, sys
import lodmem
from lodmem.ingest.distill import batches
from lodmem.stores.sqlite import distilling

batches.PAGE = 3
step, inside = int(sys.argv[2]), sys.argv[3] == "inside"
stored = []
original = distilling._count

def counted(*args):
    original(*args)
    stored.append(True)
    if inside and len(stored) == step:
        os.kill(os.getpid(), signal.SIGKILL)  # everything of the batch is written, nothing committed

distilling._count = counted
with lodmem.open(sys.argv[1], embedder="none", background=False) as engine:
    def progress(done, total):
        if not inside and len(stored) == step:
            os.kill(os.getpid(), signal.SIGKILL)
    engine.distill(progress=progress)
"""


def text(n: int) -> str:
    return f"Room {n} of the house number {n * 7} in Lindau belongs to team {n * 3}."


@pytest.mark.parametrize(("step", "where"), [(1, "inside"), (5, "inside"), (5, "after")])
def test_a_killed_run_is_resumed(tmp_path: Path, step: int, where: str) -> None:
    path = tmp_path / "memory.db"
    with lodmem.open(path, embedder="none", background=False) as engine:
        engine.remember_many([Draft(full=text(n), source=Source("chat", "s", n)) for n in range(COUNT)])
    killed = subprocess.run([sys.executable, "-c", RUN, str(path), str(step), where], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    with lodmem.open(path, embedder="none", background=False) as engine:
        done = 3 * (step if where == "after" else step - 1)
        assert len(engine._store.patterns()) == done
        (run,) = engine.distill_runs()
        assert (run.ended_us, run.counts.get("added", 0)) == (None, done)
        again = engine.distill()
        assert again.counts["episodes"] == COUNT - done
        assert [each.text for each in engine._store.patterns()] == [text(n) for n in range(COUNT)]
        assert [each.episodes for each in engine._store.patterns()] == [(n + 1,) for n in range(COUNT)]
        assert engine.distill().counts["episodes"] == 0
        assert engine.check() == []
