"""Processes that work on one store until they are killed or done. Started as a nursery, which forks one for each line it reads.

    python worker.py       one JSON job a line on standard input; prints {"pid"} at its start and {"pid", "status"} at its end

A worker appends a line to its own file for each thing that was acknowledged: such a line outlives the process.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from disk import Deadly

import lodmem
from lodmem.engine import Engine
from lodmem.model.memory import Draft, Source
from lodmem.scan import scan

SHARED = 1  # the memory that every worker retrieves

# The side file is written again and again, so that processes meet and die in it.
scan.SAVE_AT, scan.SAVE_SHARE = 20, 1_000_000


class Worker:
    """`name` is unique; `board` the folder of all workers' files; `seed` decides what is done in which order."""

    def __init__(self, engine: Engine, board: Path, name: str, seed: int) -> None:
        self.engine, self.board, self.name = engine, board, name
        self.draw = random.Random(seed)
        self.file = os.open(board / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.count = 0
        self.longest = 0.0

    def acknowledge(self, kind: str, *values: object) -> None:
        os.write(self.file, (json.dumps([kind, *values]) + "\n").encode())

    def work(self, steps: int) -> None:
        ways = [self.remember] * 4 + [self.remember_many, self.find, self.find, self.find, self.retrieve, self.retrieve]
        for _ in range(steps):
            begun = time.monotonic()
            self.draw.choice(ways)()
            self.longest = max(self.longest, time.monotonic() - begun)
        self.acknowledge("done", round(self.longest, 4))

    def text(self) -> str:
        """Its first word is in no other memory."""
        self.count += 1
        return (
            f"w{self.name}x{self.count} said \u00e9\u4e2d\U0001f600 and kept silent.\r\n"
            + "More words followed. " * self.draw.randrange(40)
        )

    def remember(self) -> None:
        text = self.text()
        added = self.engine.remember(text, source=Source(self.name, "", self.count))
        self.acknowledge("text", added.id, text)

    def remember_many(self) -> None:
        texts = [self.text() for _ in range(self.draw.randrange(2, 9))]
        drafts = [
            Draft(full=text, space="main", agent=self.name, source=Source(self.name, "m", n)) for n, text in enumerate(texts)
        ]
        for added, text in zip(self.engine.remember_many(drafts), texts, strict=True):
            self.acknowledge("text", added.id, text)

    def find(self) -> None:
        """What somebody was told is kept, a search that begins now finds."""
        told = self._newest(self.draw.choice(sorted(self.board.iterdir())))
        if told is None:
            return
        memory_id, text = told
        landscape = self.engine.search(text.split(maxsplit=1)[0], limit=5, touch=self.draw.random() < 0.5)
        assert memory_id in [view.id for view in landscape.views], f"#{memory_id} was acknowledged and is not found"

    def _newest(self, path: Path) -> tuple[int, str] | None:
        lines = path.read_bytes().split(b"\n")[:-1]
        for line in reversed(lines):
            kind, *values = json.loads(line)
            if kind == "text":
                return int(values[0]), str(values[1])
        return None

    def retrieve(self) -> None:
        self.engine.expand(SHARED)
        assert self.engine._recorder.flush(60)
        assert self.engine._recorder.failed is None, self.engine._recorder.failed
        self.acknowledge("use", SHARED)


def run(job: dict[str, Any]) -> None:
    disk = Deadly(job["die_at"]).mounted() if "die_at" in job else nullcontext()
    with disk, lodmem.open(job["store"], embedder="none", agent=job["name"]) as engine:
        Worker(engine, Path(job["board"]), job["name"], job["seed"]).work(job["steps"])


def say(**line: int) -> None:
    os.write(1, (json.dumps(line) + "\n").encode())


def bury(*_: object) -> None:
    """Report every child that has ended."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            say(pid=ended[0], status=os.waitstatus_to_exitcode(ended[1]))


def nursery() -> None:
    with tempfile.TemporaryDirectory() as folder, lodmem.open(Path(folder) / "store.lod", embedder="none") as engine:
        engine.remember("What is loaded now need not be loaded by every child.")
        engine.search("child", touch=False)
    signal.signal(signal.SIGCHLD, bury)
    for line in iter(sys.stdin.readline, ""):
        job = json.loads(line)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # a child's beginning is told before its end
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            try:
                run(job)
            except BaseException:  # noqa: BLE001  # the top level of a process
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        say(pid=child)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})


if __name__ == "__main__":
    nursery()
