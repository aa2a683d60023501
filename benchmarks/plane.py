"""What the memory plane costs in the browser, drawn in software: CPU of the browser a frame, each frame with another alpha,
ended by reading back one pixel. The columns are invented and packed as the server packs them; page and browser are real.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
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


def run(work: Path, rows: int, *, say: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Medians over FRAMES frames of the page with `rows` invented memories; `work` is not needed."""
    if CHROMIUM is None:
        raise RuntimeError("there is no chromium; LODMEM_CHROMIUM names one")
    with TemporaryDirectory() as folder, opened(Path(folder) / "memory.db", FakeClock(NOW)) as engine:
        engine.remember("One.")
        with serving(engine) as url, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS), timeout=120_000)
            say("drawing")
            found = measured(browser, url, rows)
            browser.close()
    return {"rows": rows, **found}


def measured(browser: Any, url: str, rows: int) -> dict[str, float]:
    """Cost of a frame and a pick, and how much the page was sent for the plane."""
    made = Made(rows)
    page = Page(browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce"), url)
    stand_in(page.raw, made)
    began = time.perf_counter()
    page.open("?q=island")
    first = time.perf_counter() - began
    page.probe("draw", 2)
    before = cpu_seconds(os.getpid())
    walls = page.probe("draw", FRAMES)
    cpu = (cpu_seconds(os.getpid()) - before) * 1e3 / FRAMES
    pick = page.probe("pick")
    page.raw.close()
    return {
        "frame_cpu_ms": round(cpu, 1),
        "frame_wall_ms_p50": round(statistics.median(walls), 1),
        "pick_ms": round(pick, 2),
        "first_picture_wall_ms": round(first * 1e3),
        "plane_mb": round(len(made.plane()) / 1e6, 2),
    }
