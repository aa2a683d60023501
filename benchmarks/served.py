"""What the memory plane costs the server of a store of any size: making the map, and each answer that the page asks for.

The map is made anew, in a process of its own; the server is another one. It only reads: of the kept store nothing changes but
the map.

    python -m benchmarks.served map STORE ROWS      makes the map, and the side file where there is none; figures as JSON
    python -m benchmarks.served serve STORE ROWS    prints its address, serves until it is told to end
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlencode
from urllib.request import urlopen

from benchmarks.data import STEP_US, questions
from benchmarks.stores import DAY_US, DIMS, Place
from benchmarks.watch import Watch, cpu_ms
from lodmem.http_api import Serving
from lodmem.http_api.serving import serve

ROOT = Path(__file__).resolve().parent.parent
MB = 1e6
REPEATS = 3
PATIENCE_S = 600
LENS = {"alpha": 0.9, "lambda": 0.03, "theta1": 0.6, "theta2": 0.3, "theta3": 0.05, "k": 1000}


def map_of(kept: Place) -> dict[str, float]:
    """Figures of making the map anew."""
    with _called("map", kept) as process:
        found: dict[str, float] = json.loads(process.communicate()[0])
    return found


@contextmanager
def server(kept: Place) -> Iterator[tuple[str, int]]:
    """Address and process id of a server that answers from the columns."""
    with _called("serve", kept) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            yield url, process.pid
        finally:
            process.terminate()


def _called(what: str, kept: Place) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.served", what, str(kept.path), str(kept.rows)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def make_map(kept: Place) -> dict[str, float]:
    """Make the map anew, and the side file where there is none. CPU and wall in seconds, the most memory meanwhile."""
    watch = Watch()
    with kept.opened() as engine:
        state = watch.run(lambda: engine.make_map(rebuild=True))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
        regions = len(engine.map_positions().fine)
        engine.warm()
        engine.indexing()
    spent = {"cpu_s": round(watch.cpu[0] / 1e3, 1), "wall_s": round(watch.wall[0] / 1e3, 1)}
    return {"placed": state.growth.placed, "regions": regions, **spent, "peak_mb": round(peak)}


def serve_it(kept: Place) -> None:
    """Serve the store until a signal; its address is printed once the columns are there."""
    with kept.opened(read_only=True) as engine:
        engine.warm()
        engine.indexing()
        serve(engine, Serving(port=0, read_only=True), ready=lambda url, _: print(url, flush=True))


# -- the server's answers -----------------------------------------------------------------------------------------------------


def back_days(rows: int) -> int:
    """Days ago when half of a store of so many was there."""
    return max(1, round(rows * STEP_US / DAY_US / 2))


def answers(url: str, pid: int, kept: Place) -> dict[str, dict[str, float]]:
    """Milliseconds of the server's CPU and of wall, and megabytes, of each kind of answer: medians, the first plane apart."""
    q, few = kept.asked.texts[0], range(1, min(kept.rows, 200) + 1)
    asked: dict[str, tuple[str, Mapping[str, object]]] = {
        "plane": ("plane", {}),
        "more columns": ("plane/more", {"columns": "tokens_full,tokens_summary,tokens_headline,last_tier,importance"}),
        "relevance of all": ("plane/relevance", {"q": q}),
        "tiers of all": ("plane/tiers", {"q": q, **LENS}),
        "tiers of all by decay": ("plane/tiers", {**LENS, "alpha": 0}),
        "plane in the past": ("plane", {"as_of": f"{back_days(kept.rows)} days ago"}),
        "one memory": (f"memories/{max(1, kept.rows // 2)}", {"similar": 10}),
        "200 headlines": ("memories", {"ids": ",".join(map(str, few)), "level": "headline"}),
        "audit list": ("audit/lists/never-looked-at", {}),
        "audit list of secrets": ("audit/lists/secrets-masked", {}),
        "audit list as CSV": ("audit/lists/never-looked-at", {"limit": 10_000, "format": "csv"}),
    }
    first = {"first plane": _asked(url, pid, "plane", {}, 1)}
    return first | {name: _asked(url, pid, path, given, REPEATS) for name, (path, given) in asked.items()}


def _asked(url: str, pid: int, path: str, given: Mapping[str, object], times: int) -> dict[str, float]:
    cpu, wall, size = [], [], 0
    for _ in range(times):
        began, spent = time.perf_counter(), cpu_ms(pid)
        with urlopen(f"{url}api/v1/{path}?{urlencode(given)}", timeout=PATIENCE_S) as answer:
            size = len(answer.read())
        wall.append((time.perf_counter() - began) * 1e3)
        cpu.append(cpu_ms(pid) - spent)
    return {"cpu_ms": round(median(cpu), 1), "wall_ms": round(median(wall), 1), "mb": round(size / MB, 6)}


if __name__ == "__main__":
    what, path, count = sys.argv[1:]
    here = Place(Path(path), int(count), questions(int(count), 60, dims=DIMS))
    if what == "map":
        print(json.dumps(make_map(here)))
    else:
        serve_it(here)
