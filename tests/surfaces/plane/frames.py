"""What the plane costs, drawn in software: `python -m tests.surfaces.plane.frames` prints a table.

CPU milliseconds of the renderer's process a frame, each frame with another alpha, ended by reading back one pixel.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.conftest import FakeClock
from tests.surfaces.plane.conftest import CHROMIUM, FLAGS, NOW, Page, opened, serving
from tests.surfaces.plane.made import Made, stand_in

FRAMES = 12


def cpu_seconds(root: int) -> float:
    """User and system time of a process and all below it."""
    ticks, children = 0, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children[int(entry.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    for pid, (_, used) in children.items():
        at = pid
        while at in children and at != root:
            at = children[at][0]
        ticks += used if at == root else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(browser: Any, url: str, n: int) -> str:
    made = Made(n)
    page = Page(browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce"), url)
    stand_in(page.raw, made)
    page.open("?q=island")
    page.probe("draw", 2)
    before = cpu_seconds(os.getpid())
    walls = page.probe("draw", FRAMES)
    cpu = (cpu_seconds(os.getpid()) - before) * 1000 / FRAMES
    pick = page.probe("pick")
    page.raw.close()
    return f"| {n:,} | {cpu:.0f} | {statistics.median(walls):.0f} | {pick:.1f} | {len(made.plane()) / 1e6:.2f} |"


def main() -> None:
    sizes = [int(arg) for arg in sys.argv[1:]] or [10_000, 100_000]
    print("| memories | CPU ms a frame | wall ms a frame | pick ms | plane MB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "memory.db", FakeClock(NOW)) as engine:
        engine.remember("One.")
        with serving(engine) as url, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS), timeout=120_000)
            for n in sizes:
                print(measured(browser, url, n), flush=True)
            browser.close()


if __name__ == "__main__":
    main()
