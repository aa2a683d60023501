"""What the memory plane costs in the browser, drawn in software: CPU of the browser a frame, each frame with another alpha,
ended by reading back one pixel. The columns are invented and packed as the server packs them; page and browser are real.
Then the same with a server over a store: what it answers (served.py), and what people do (looking.py).
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks import looking, served
from benchmarks.stores import place
from benchmarks.watch import tree_cpu_ms
from tests.conftest import FakeClock
from tests.surfaces.plane.conftest import CHROMIUM, FLAGS, NOW, SIZE, Page, serving
from tests.surfaces.plane.made import Made, stand_in
from tests.surfaces.plane.scene import opened

FRAMES = 12


def run(work: Path, rows: int, *, say: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Medians over FRAMES frames of the page with `rows` invented memories; `served`: with the store of so many in `work`."""
    if CHROMIUM is None:
        raise RuntimeError("there is no chromium; LODMEM_CHROMIUM names one")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS), timeout=120_000)
        with TemporaryDirectory() as folder, opened(Path(folder) / "memory.db", FakeClock(NOW)) as engine:
            engine.remember("One.")
            with serving(engine) as url:
                say("drawing")
                found = measured(browser, url, rows)
        kept = place(work, rows, say=say)
        say("making the map")
        more: dict[str, Any] = {"map": served.map_of(kept)}
        with served.server(kept) as (url, process):
            say("asking the server")
            more["answers"] = served.answers(url, process, kept)
            say("using the page")
            more |= looking.used(browser, url, process, kept)
        browser.close()
    return {"rows": rows, **found, "first_picture_wall_ms": more["steps"]["open"]["wall_ms"], "served": more}


def measured(browser: Any, url: str, rows: int) -> dict[str, Any]:
    """Cost of a frame, at rest and in motion, and of a pick, and how much the page was sent for the plane."""
    made = Made(rows)
    page = Page(browser.new_page(viewport=SIZE, reduced_motion="reduce"), url, looking.PATIENCE_MS)
    stand_in(page.raw, made)
    page.open("?q=island")
    frame, walls = _frames(page, "draw")
    moving, _ = _frames(page, "drawMoving")
    pick = page.probe("pick")
    page.raw.close()
    return {
        "frame_cpu_ms": frame,
        "frame_wall_ms_p50": round(statistics.median(walls), 1),
        "moving_frame_cpu_ms": moving,
        "pick_ms": round(pick, 2),
        "plane_mb": round(len(made.plane()) / 1e6, 2),
    }


def _frames(page: Page, probe: str) -> tuple[float, list[float]]:
    """CPU milliseconds of a frame, and the wall of each."""
    page.probe(probe, 2)
    before = tree_cpu_ms(os.getpid())
    walls: list[float] = page.probe(probe, FRAMES)
    return round((tree_cpu_ms(os.getpid()) - before) / FRAMES, 1), walls
