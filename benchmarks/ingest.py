"""What reading and keeping transcripts of any length costs: rows a second, memories a second, and the most memory it took.

Each command runs as a user would run it, in a process and an empty home of its own; the processes that it starts are counted
in. Nothing is embedded. A turn of the transcripts is what an agent's is: a question, an answer, a tool call, its long result
and an attachment; the last two are read and passed over. `rows` are rows of the transcripts, 400,000 of them about 2 GB.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.data import BLOCK, SESSION, START_US, STEP_US, said

RESULT_TEXTS = 80  # texts of 40 words that a tool's result holds, about 20 kB
ATTACHED_TEXTS = 8
TURN = 5  # rows of a turn
FILE_TURNS = 2_000
MB = 1_000_000
LOOK_S = 0.2


def run(work: Path, rows: int, *, say: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Seconds, rows and memories a second, the highest resident memory in MB: of a dry run, of keeping, of keeping again."""
    work.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=work, prefix="ingest-") as folder:
        say("writing the transcripts")
        source, turns = Path(folder) / "projects", -(-rows // TURN)
        written = _write(source, turns)
        found: dict[str, Any] = {"rows": turns * TURN, "input_mb": round(written / MB)}
        home = Path(folder) / "home"
        home.mkdir()
        for name, arguments in (("dry_run", ["--dry-run"]), ("ingest", ["--no-wait"]), ("again", ["--no-wait"])):
            say(name.replace("_", " "))
            found |= _figures(name, turns * TURN, *_run(source, home, arguments))
        found["store_mb"] = round(sum(file.stat().st_size for file in home.rglob("*") if file.is_file()) / MB)
    return found


def _run(source: Path, home: Path, arguments: list[str]) -> tuple[Mapping[str, Any], float, float, float]:
    """What `lodmem ingest` reports, its seconds of wall and CPU, and its highest resident memory in MB."""
    command = [sys.executable, "-m", "lodmem", "--embedder", "none", "ingest", str(source), *arguments, "--json", "--quiet"]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LODMEM_")}
    out = home / "report.json"
    with out.open("wb") as report:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=report, env=inherited | {"HOME": str(home)})
        with _Memory(process.pid) as memory:
            _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed with {process.returncode}")
    told: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    out.unlink()
    return told, wall, used.ru_utime + used.ru_stime, max(memory.most, used.ru_maxrss * 1024) / MB


class _Memory:
    """Looks now and then how much memory a process and those it started take, shared pages divided among them. On Linux."""

    def __init__(self, pid: int) -> None:
        self.most = 0
        self._pid, self._done = pid, threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> _Memory:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(LOOK_S):
            self.most = max(self.most, _taken(self._pid))


def _taken(pid: int) -> int:
    """Bytes that a process and its descendants take; 0 where the system does not tell, or they are gone."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    own = sum(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
    return own + sum(_taken(int(child)) for child in children)


def _figures(name: str, rows: int, told: Mapping[str, Any], wall: float, cpu: float, peak_mb: float) -> dict[str, float]:
    kept = told["added"] + told["unchanged"]
    return {
        f"{name}_rows_per_cpu_s": round(rows / cpu),
        f"{name}_rows_per_s": round(rows / wall),
        f"{name}_memories": kept,
        f"{name}_added": told["added"],
        f"{name}_memories_per_cpu_s": round(kept / cpu),
        f"{name}_wall_s": round(wall, 1),
        f"{name}_peak_mb": round(peak_mb),
    }


def _write(folder: Path, turns: int) -> int:
    """Transcripts of so many turns, and their bytes."""
    folder.mkdir(parents=True)
    size = 0
    for start in range(0, turns, FILE_TURNS):
        session = f"benchmark-{start // FILE_TURNS}"
        path = folder / f"{session}.jsonl"
        with path.open("w", encoding="utf-8") as out:
            for turn in range(start, min(turns, start + FILE_TURNS)):
                out.writelines(json.dumps(row) + "\n" for row in _turn(session, turn))
        size += path.stat().st_size
    return size


def _turn(session: str, turn: int) -> Iterator[dict[str, Any]]:
    asked, answered = _text(2 * turn), _text(2 * turn + 1)
    long = "\n".join(_text(turn + at) for at in range(RESULT_TEXTS))
    call = {"type": "tool_use", "id": f"t{turn}", "name": "Read", "input": {"file_path": f"src/{turn % SESSION}.py"}}
    rows: list[tuple[str, object]] = [
        ("user", asked),
        ("assistant", [{"type": "text", "text": answered}]),
        ("assistant", [call]),
        ("user", [{"type": "tool_result", "tool_use_id": f"t{turn}", "content": long}]),
    ]
    for number, (role, content) in enumerate(rows):
        yield _row(session, turn, number, role) | {"message": {"role": role, "content": content}}
    attached = {"type": "nested_memory", "content": long[: len(long) * ATTACHED_TEXTS // RESULT_TEXTS]}
    yield _row(session, turn, len(rows), "attachment") | {"attachment": attached}


def _row(session: str, turn: int, number: int, kind: str) -> dict[str, Any]:
    at_s = (START_US + turn * STEP_US) / 1e6 + number
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at_s)) + ".000Z"
    name = f"{turn}-{number}"
    return {"type": kind, "uuid": name, "parentUuid": None, "sessionId": session, "timestamp": stamp, "cwd": "/work"}


def _text(number: int) -> str:
    return said(number // BLOCK)[number % BLOCK]
