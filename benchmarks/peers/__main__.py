"""Measure the product and its peers in one run.

    python -m benchmarks.peers --locomo FILE [--peers a,b] [--sizes 10000,100000] [--json OUT] [--page OUT]
    python -m benchmarks.peers --from RESULTS.json --page OUT        only writes the page again

Environments are made under --work (default .cache/peers) and kept; the rest goes away. Without --locomo quality is left out.
With --keep, systems that are not measured this time keep what RESULTS held about them. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.machine import load, machine
from benchmarks.peers.harness import KS, Plan, measure
from benchmarks.peers.jobs import DIMS, Laid, lay_case, lay_synthetic
from benchmarks.peers.roster import chosen
from benchmarks.peers.table import page
from lodmem.errors import LodmemError
from lodmem.evals.cache import CachingEmbedder, default_cache_dir
from lodmem.evals.datasets import Dataset
from lodmem.evals.locomo import load_locomo
from lodmem.models.minilm import MiniLmEmbedder

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    given = arguments()
    if given.source is not None:
        results = json.loads(given.source.read_text(encoding="utf-8"))
    else:
        try:
            results = run(given)
        except LodmemError as error:
            print(f"{error}\n{error.hint}" if error.hint else error, file=sys.stderr)
            return 1
    write(given.page, page(results))
    if given.json is None and given.page is None:
        print(page(results), end="")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.peers", description="Measure the product and its peers in one run.")
    parser.add_argument("--locomo", type=Path, help="a LoCoMo file, for quality")
    parser.add_argument("--peers", help="names divided by commas; default: all")
    parser.add_argument("--sizes", default="10000,100000", help="numbers of memories for speed; '' for none")
    parser.add_argument("--questions", type=int, default=60, help="questions a size, default 60")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds a peer gets above the first size, default 300")
    parser.add_argument("--json", type=Path, help="where the results go")
    parser.add_argument("--page", type=Path, help="where the page goes")
    parser.add_argument("--from", dest="source", type=Path, help="measure nothing: take these results")
    parser.add_argument("--keep", action="store_true", help="keep what --json holds of systems that are not measured now")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "peers", help="environments and what passes")
    return parser.parse_args()


def run(given: argparse.Namespace) -> dict[str, Any]:
    """Measure what was asked for; --json grows with each system. Raises LodmemError for a data set that cannot be read."""
    peers = chosen(given.peers)
    work: Path = given.work.resolve()
    passing = work / "data"
    shutil.rmtree(passing, ignore_errors=True)
    try:
        dataset, cases = (None, []) if given.locomo is None else lay_locomo(given.locomo, passing)
        counts = sorted(int(size) for size in given.sizes.split(",") if size.strip())
        say("laying invented memories")
        sizes = [lay_synthetic(passing / f"rows-{count}", count, given.questions) for count in counts]
        plan = Plan(work=work, dataset=dataset, cases=cases, sizes=sizes, limit_s=given.limit, say=say)
        results: dict[str, Any] = {
            "format": 1,
            "machine": machine(),
            "embedder": MiniLmEmbedder().identity.key,
            "dims": DIMS,
            "quality": about_quality(dataset, cases),
            "speed": {"sizes": counts, "ks": list(KS), "questions": given.questions, "seed": 0},
            "systems": kept(given, {peer.key for peer in peers}),
        }
        for peer in peers:
            results["systems"].append({**measure(peer, plan), "measured": today(), "load": load()})
            write(given.json, as_json(results))
    finally:
        for name in ("data", "homes", "stores"):
            shutil.rmtree(work / name, ignore_errors=True)
    return results


def kept(given: argparse.Namespace, fresh: set[str]) -> list[dict[str, Any]]:
    """With --keep, what --json holds of systems that are not measured now."""
    if not given.keep or given.json is None or not given.json.exists():
        return []
    known = json.loads(given.json.read_text(encoding="utf-8"))["systems"]
    return [system for system in known if system["key"] not in fresh]


def as_json(results: dict[str, Any]) -> str:
    return json.dumps(results, indent=1, ensure_ascii=False) + "\n"


def lay_locomo(path: Path, folder: Path) -> tuple[Dataset, list[Laid]]:
    """The data set and its cases on disk. Vectors come from the evaluation's cache; what it lacks is embedded."""
    dataset = load_locomo(path)
    with CachingEmbedder(MiniLmEmbedder(), default_cache_dir()) as embedder:
        cases = []
        for case in dataset.cases:
            say(f"laying {case.id}")
            cases.append(lay_case(folder / case.id, case, embedder))
    return dataset, cases


def about_quality(dataset: Dataset | None, cases: list[Laid]) -> dict[str, Any] | None:
    if dataset is None:
        return None
    return {
        "dataset": dataset.name,
        "conversations": len(cases),
        "memories": sum(case.memories for case in cases),
        "questions": sum(case.questions for case in cases),
    }


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def write(path: Path | None, text: str) -> None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        say(f"written: {path}")


def say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
