"""Measure what a search, a write and an opening cost at any number of memories.

    python -m benchmarks search --rows 100000 [--json]        also open, write, plane, ingest
    python -m benchmarks page                                 the page and the picture from the results

Stores are made under --work (default .cache/benchmarks) and kept. Results go to --results, where each figure replaces the one
of the same kind and size. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.machine import machine, versions
from benchmarks.page import draw, page

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("search", "write", "open", "plane", "ingest")


def main(words: list[str] | None = None) -> int:
    given = arguments(words)
    if given.what == "page":
        results = kept(given.results)
        write(given.page, page(results))
        if len(results.get("search", {})) > 1:
            draw(results, given.picture)
            say(f"written: {given.picture}")
        return 0
    for rows in given.rows:
        say(f"{given.what} at {rows:,} memories")
        figures = {**import_module(f"benchmarks.{given.what}").run(work=given.work, rows=rows, say=say)}
        facts = {"machine": machine(), "versions": versions()}
        # Each figure keeps the machine it was measured on; the one of the whole is that of figures which name none.
        results = facts | kept(given.results) | {"versions": facts["versions"]}
        results.setdefault(given.what, {})[str(rows)] = figures | {"machine": facts["machine"]}
        write(given.results, json.dumps(results, indent=1, ensure_ascii=False) + "\n")
        print(json.dumps({**figures, **facts}, indent=1) if given.json else as_text(figures))
    return 0


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What a memory engine costs by size.")
    parser.add_argument("what", choices=[*KINDS, "page"])
    parser.add_argument(
        "--rows",
        type=sizes,
        default=[10_000],
        help="numbers of memories, of transcript rows for ingest, divided by commas; default 10000",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks", help="where stores are kept")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results.json", help="where the figures are kept")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "reference" / "benchmarks.md", help="the page to write")
    parser.add_argument(
        "--picture", type=Path, default=ROOT / "docs" / "images" / "cost-by-size.svg", help="the picture to write"
    )
    return parser.parse_args(words)


def sizes(text: str) -> list[int]:
    """Numbers of memories, rising. Raises ValueError."""
    found = sorted({int(part.replace("_", "")) for part in text.split(",")})
    if found[0] < 1:
        raise ValueError(text)
    return found


def kept(path: Path) -> dict[str, Any]:
    """Results so far."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def as_text(figures: dict[str, Any]) -> str:
    """One figure a line."""
    return "\n".join(f"{name:32} {value}" for name, value in figures.items())


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    say(f"written: {path}")


def say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
