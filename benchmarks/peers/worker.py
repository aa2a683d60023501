"""One peer at work: keeps the memories of a job, or answers its questions, and writes what that took.

    python worker.py JOB.json OUT.json

It runs in the peer's environment, so it knows the standard library and numpy alone. A job names an adapter file, whose
`PACKAGES` are the distributions it measures and whose `open_store(folder, given)` gives an object with

    add(memories, vectors)   keep memories (dicts with id, text, created_at, session, sequence), whatever a batch is to the peer
    finish()                 what a user must do before asking, such as building an index; leaves everything on disk
    calls()                  {name: function(text, vector, k) -> ids, best first}
    close()                  let go of the files

`given` has `dims`, `options`, and `embed(texts)`, which looks vectors up for a peer that embeds by itself. Time spent in it is
not counted. Ids are the numbers of `memories`. Network is refused; what was tried is reported.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

BATCH = 500
WARM = 3


class Given:
    """What an adapter is handed besides its folder."""

    def __init__(self, dims: int, options: dict[str, Any]) -> None:
        self.dims = dims
        self.options = options
        self.wall = 0
        self.cpu = 0
        self._vectors: dict[str, Any] = {}

    def know(self, texts: Sequence[str], vectors: Any) -> None:
        for text, vector in zip(texts, vectors, strict=True):
            self._vectors[text] = vector
            self._vectors.setdefault(text.strip(), vector)  # some peers trim what they are asked

    def embed(self, texts: Sequence[str]) -> list[Any]:
        """The vector of each text, float32 of length 1. A text of several known lines is the direction of their mean."""
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        try:
            return [self._vectors[text] if text in self._vectors else self._mean(text) for text in texts]
        finally:
            self.wall += time.perf_counter_ns() - wall
            self.cpu += time.process_time_ns() - cpu

    def _mean(self, text: str) -> Any:
        mean = np.mean([self._vectors[line] for line in text.split("\n")], axis=0)
        return (mean / np.linalg.norm(mean)).astype(np.float32)


class Watch:
    """Milliseconds of wall and of CPU (all threads) since it was started, less what was spent looking vectors up."""

    def __init__(self, given: Given) -> None:
        self._given = given
        self._wall = time.perf_counter_ns() - given.wall
        self._cpu = time.process_time_ns() - given.cpu

    def read(self) -> tuple[float, float]:
        cpu = time.process_time_ns() - self._given.cpu - self._cpu
        wall = time.perf_counter_ns() - self._given.wall - self._wall
        return wall / 1e6, cpu / 1e6


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    tried: list[str] = []
    with no_network(tried):
        adapter, import_ms = load(Path(job["adapter"]))
        out = {
            "versions": {name: importlib.metadata.version(name) for name in adapter.PACKAGES},
            "import_ms": import_ms,
            "import_rss_mb": rss_mb(),
            "cases": [build(adapter, case) if job["phase"] == "build" else ask(adapter, case) for case in job["cases"]],
        }
    out["network_tried"] = sorted(set(tried))
    Path(sys.argv[2]).write_text(json.dumps(out), encoding="utf-8")


def load(path: Path) -> tuple[ModuleType, float]:
    """The adapter and how long importing it took. Its name must not be that of a package it imports."""
    begun = time.perf_counter()
    spec = importlib.util.spec_from_file_location("peer_adapter", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is not Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules["peer_adapter"] = module
    spec.loader.exec_module(module)
    return module, (time.perf_counter() - begun) * 1e3


def build(adapter: ModuleType, case: dict[str, Any]) -> dict[str, Any]:
    """Keep the memories of one case; times of adding and of finishing."""
    data, given = Path(case["data"]), Given(case["dims"], case["options"])
    memories, vectors = lines(data / "memories.jsonl"), np.load(data / "memories.npy")
    given.know([memory["text"] for memory in memories], vectors)
    if (data / "readings.jsonl").exists():
        given.know(lines(data / "readings.jsonl"), np.load(data / "readings.npy"))
    store = adapter.open_store(Path(case["store"]), given)
    watch = Watch(given)
    for start in range(0, len(memories), BATCH):
        store.add(memories[start : start + BATCH], vectors[start : start + BATCH])
    added, _ = watch.read()
    store.finish()
    wall, cpu = watch.read()
    store.close()
    return {"memories": len(memories), "add_ms": added, "wall_ms": wall, "cpu_ms": cpu}


def ask(adapter: ModuleType, case: dict[str, Any]) -> dict[str, Any]:
    """Ask every question of one case with each call and each k, in a store that another process built."""
    data, given = Path(case["data"]), Given(case["dims"], case["options"])
    texts, vectors = [question["text"] for question in lines(data / "questions.jsonl")], np.load(data / "questions.npy")
    given.know(texts, vectors)
    watch = Watch(given)
    store = adapter.open_store(Path(case["store"]), given)
    calls = {name: call for name, call in store.calls().items() if name in case["calls"] or not case["calls"]}
    first = next(iter(calls.values()))
    first(texts[0], vectors[0], min(case["ks"]))
    ready, ready_cpu = watch.read()
    answers = {}
    for name, call in calls.items():
        for k in case["ks"]:
            for text, vector in zip(texts[:WARM], vectors[:WARM], strict=True):
                call(text, vector, k)
            answers[f"{name}@{k}"] = timed(call, given, texts, vectors, k)
    held = rss_mb()
    store.close()
    return {"ready_ms": ready, "ready_cpu_ms": ready_cpu, "rss_mb": held, "answers": answers}


def timed(call: Callable[[str, Any, int], list[int]], given: Given, texts: list[str], vectors: Any, k: int) -> dict[str, Any]:
    wall, cpu, ids = [], [], []
    for text, vector in zip(texts, vectors, strict=True):
        watch = Watch(given)
        found = call(text, vector, k)
        took = watch.read()
        wall.append(took[0])
        cpu.append(took[1])
        ids.append([int(one) for one in found])
    return {"wall_ms": wall, "cpu_ms": cpu, "ids": ids}


def lines(path: Path) -> list[Any]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def rss_mb() -> float:
    """Resident memory of this process in MB, mapped files included; NaN where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return float("nan")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


@contextmanager
def no_network(tried: list[str]) -> Iterator[None]:
    """Connections to other machines fail at once; their addresses are added to `tried`."""
    connect, resolve = socket.socket.connect, socket.getaddrinfo

    def guarded(self: socket.socket, address: Any) -> None:
        host = str(address[0]) if isinstance(address, tuple) else ""
        if host and host not in ("127.0.0.1", "::1", "localhost"):
            tried.append(host)
            raise ConnectionRefusedError(f"no network in a benchmark: {host}")
        connect(self, address)

    def looked_up(host: Any, *args: Any, **named: Any) -> Any:
        if host not in (None, "", "127.0.0.1", "::1", "localhost"):
            tried.append(str(host))
            raise socket.gaierror(f"no network in a benchmark: {host}")
        return resolve(host, *args, **named)

    socket.socket.connect, socket.getaddrinfo = guarded, looked_up  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        socket.socket.connect, socket.getaddrinfo = connect, resolve  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
