"""What opening costs: a new process, from opening the store to its first answer, beyond interpreter, imports and model.

The file is in the operating system's memory, as it is on a machine that has just used it. Without the side file a large store
answers by words until the columns are there; that first answer and the first whole one are measured apart.

    python -m benchmarks.open STORE ROWS        one opening, as JSON (what `run` starts)
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.data import questions
from benchmarks.stores import DIMS, Place, place
from benchmarks.watch import Watch
from lodmem.scan.keeping import beside

ROOT = Path(__file__).resolve().parent.parent
BUDGET = 6_000
REPEATS = 5


def run(work: Path, rows: int, *, repeats: int = REPEATS, say: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Medians of several openings, each in a process of its own: with the side file, and without it."""
    kept = place(work, rows, say=say)
    side = beside(kept.path)
    found: dict[str, Any] = {"rows": rows}
    without = []
    for number in range(repeats if rows < 200_000 else 1):
        say(f"opening without a side file, {number + 1}")
        side.unlink(missing_ok=True)
        without.append(_once(kept))
    found["without_side_file"] = _medians(without)
    if side.exists():
        found["side_file_mb"] = round(side.stat().st_size / 1e6, 1)
        say("opening with the side file")
        found["with_side_file"] = _medians([_once(kept) for _ in range(repeats)])
    return found


def _once(kept: Place) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.open", str(kept.path), str(kept.rows)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"opening failed: {done.stderr.strip()[-300:]}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _medians(runs: list[dict[str, Any]]) -> dict[str, Any]:
    return {key: round(median(run[key] for run in runs), 3) if key != "words_only" else runs[-1][key] for key in runs[0]}


def opening(path: Path, rows: int) -> dict[str, Any]:
    """One opening in this process: milliseconds to the first answer, and to the first that meaning takes part in."""
    kept = Place(path, rows, questions(rows, 2, dims=DIMS))
    whole, first = Watch(), Watch()

    def answer() -> bool:
        return engine.search(kept.asked.texts[0], budget=BUDGET, touch=False).words_only != ""

    def whole_answer() -> None:
        engine.indexing()
        answer()

    opened = kept.opened()
    begun = Watch()
    engine = begun.run(opened.__enter__)
    try:
        words_only = first.run(answer)
        whole.run(whole_answer)
    finally:
        opened.__exit__(None, None, None)
    told: dict[str, Any] = {"words_only": words_only}
    for kind in ("cpu", "wall"):
        start, one, all_of_it = (getattr(watch, kind)[0] for watch in (begun, first, whole))
        told |= {
            f"first_answer_{kind}_ms": start + one,
            f"whole_answer_{kind}_ms": start + one + (all_of_it if words_only else 0.0),
        }
    return told


if __name__ == "__main__":
    print(json.dumps(opening(Path(sys.argv[1]), int(sys.argv[2]))))
