"""Starts and ends the processes of worker.py, and reads what they were told is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue

WORKER = Path(__file__).with_name("worker.py")
SECONDS = 60.0


class Nursery:
    """Forks workers on one store from a process that has loaded everything. `folder` holds the store and the board."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._started: Queue[int] = Queue()
        self._ended: Queue[tuple[int, int]] = Queue()
        self.store, self.board, self.errors = folder / "store.lod", folder / "board", folder / "errors.txt"
        self.board.mkdir()
        self.alive: set[int] = set()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            news = json.loads(line)
            if "status" in news:
                self._ended.put((news["pid"], news["status"]))
            else:
                self._started.put(news["pid"])

    def start(self, name: str, *, seed: int, steps: int, **more: int) -> int:
        """The new worker's process id."""
        assert self._process.stdin is not None
        job = {"store": str(self.store), "board": str(self.board), "name": name, "seed": seed, "steps": steps, **more}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        child = self._started.get(timeout=SECONDS)
        self.alive.add(child)
        return child

    def kill(self, child: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)

    def next_end(self) -> tuple[int, int]:
        """(process id, exit status) of a worker that has ended; below 0 the signal that ended it."""
        ended = self._ended.get(timeout=SECONDS)
        self.alive.discard(ended[0])
        return ended

    def close(self) -> None:
        for child in self.alive:
            self.kill(child)
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(SECONDS)
        self._reader.join(SECONDS)

    # -- what was acknowledged ----------------------------------------------------------------------------------------

    def acknowledged(self) -> Iterator[list[object]]:
        """Every line that was written whole."""
        for path in sorted(self.board.iterdir()):
            for line in path.read_bytes().split(b"\n")[:-1]:
                yield json.loads(line)

    def texts(self) -> dict[int, str]:
        found = [(int(str(line[1])), str(line[2])) for line in self.acknowledged() if line[0] == "text"]
        assert len({memory_id for memory_id, _ in found}) == len(found), "an id was given twice"
        return dict(found)

    def uses(self) -> Counter[int]:
        return Counter(int(str(line[1])) for line in self.acknowledged() if line[0] == "use")

    def longest(self) -> float:
        """Seconds of the longest step of the workers that were done."""
        return max((float(str(line[1])) for line in self.acknowledged() if line[0] == "done"), default=0.0)


@contextmanager
def nursery(folder: Path) -> Iterator[Nursery]:
    with (folder / "errors.txt").open("w") as errors:
        command = [sys.executable, str(WORKER)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            started = Nursery(process, folder)
            try:
                yield started
            finally:
                started.close()
