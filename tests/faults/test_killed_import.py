"""kill -9 in the middle of an import: what was reported is there, and the same command again adds exactly what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lodmem
from lodmem.errors import LodmemError
from tests.ingest.kit import write_rows

ROWS = 6_000
BEFORE = 400  # memories that are there when it is killed


def command(store: Path, source: Path, jobs: int) -> list[str]:
    return [
        *(sys.executable, "-m", "lodmem", "--store", str(store), "--embedder", "none"),
        *("ingest", str(source), "--no-wait", "--json", "--jobs", str(jobs)),
    ]


def children(pid: int) -> set[int]:
    """Processes that another one started, as Linux tells it."""
    told = Path(f"/proc/{pid}/task/{pid}/children")
    return set(map(int, told.read_text().split())) if told.exists() else set()


def alive(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def kept(store: Path) -> int:
    try:
        with lodmem.open(store, create=False, embedder="none", background=False, read_only=True) as engine:
            return engine.stats().memories
    except LodmemError:  # it is not there yet
        return 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.req("R5.20", "R5.19")
@pytest.mark.parametrize("jobs", [0, 2])
def test_an_import_that_was_killed_goes_on(folder: Path, jobs: int) -> None:
    store, source = folder / "memory.db", folder / "rows.jsonl"
    write_rows(source, *({"text": f"Box {n} was carried to the pier by whoever was there."} for n in range(ROWS)))
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(command(store, source, jobs), stdout=subprocess.DEVNULL, env=environment) as process:
        end = time.monotonic() + 60
        while kept(store) < BEFORE:
            assert process.poll() is None, "it ended by itself"
            assert time.monotonic() < end, "it never began"
            time.sleep(0.01)
        helpers = children(process.pid)
        process.kill()
    assert bool(helpers) == (bool(jobs) and sys.platform == "linux")
    while any(map(alive, helpers)):
        assert time.monotonic() < end, "a process stayed behind"
        time.sleep(0.01)
    there = kept(store)
    assert BEFORE <= there < ROWS, "it was not in the middle"
    again = subprocess.run(command(store, source, jobs), capture_output=True, check=True, env=environment, text=True)
    assert f'"added": {ROWS - there}' in again.stdout
    assert f'"unchanged": {there}' in again.stdout
    with lodmem.open(store, embedder="none", background=False) as engine:
        places = [memory.source.sequence for memory in engine._store.get(engine._store.ids(limit=ROWS + 1)) if memory.source]
        assert places == list(range(1, ROWS + 1))
        assert engine.check() == []
