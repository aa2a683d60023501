"""What the memory plane costs a browser that draws in software, and its server, while people use the page."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.served import back_days
from benchmarks.stores import Place
from benchmarks.watch import below, cpu_ms, tree_cpu_ms
from tests.surfaces.plane.conftest import SIZE, Page

MB = 1e6
PATIENCE_MS = 600_000
LONGEST = """new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.longest = Math.max(window.longest ?? 0, task.duration);
}).observe({ type: "longtask", buffered: true });"""


def used(browser: Any, url: str, pid: int, kept: Place) -> dict[str, Any]:
    """What people do on the page, each until nothing moves. Raises AssertionError where page and engine see different tiers."""
    page = Page(browser.new_page(viewport=SIZE, reduced_motion="reduce"), url, PATIENCE_MS)
    page.raw.set_default_timeout(PATIENCE_MS)
    page.raw.add_init_script(LONGEST)
    move = partial(_moved, page)
    steps: dict[str, tuple[Callable[[], object], ...]] = {
        "open": (page.open, page.agreed),
        "ask": (partial(page.ask, kept.asked.texts[0]), page.agreed),
        "move alpha": (partial(move, "#alpha", 0.5), page.agreed),
        "drag alpha, 8 steps": (partial(move, "#alpha", *(0.55 + i / 20 for i in range(8))), page.agreed),
        "select the best": (partial(_selected, page),),
        "point at it": (partial(_pointed, page),),
        "look ahead": (partial(move, "#time", 0.4), page.agreed),
        "look back": (partial(_back, page, back_days(kept.rows)),),
        "come back": (partial(page.press, "0"), page.settle, page.agreed),
        "sort the table": (partial(page.raw.click, ".sort >> text=last used"), page.settle),
        "all rows as CSV": (partial(_saved, page),),
    }
    done = {name: _done(page, pid, parts) for name, parts in steps.items()}
    own, mapped = (_memory_mb(pid, name) for name in ("RssAnon", "RssFile"))
    memory = {"server_mb": own, "server_mapped_mb": mapped, "browser_mb": _browser_mb(pid)}
    page.raw.close()
    return {"steps": done, "memory": memory, "problems": page.problems}


def _done(page: Page, pid: int, parts: Iterable[Callable[[], object]]) -> dict[str, float]:
    """Milliseconds: CPU of server and browser, wall, and the longest time that the page's one thread was taken."""
    if page.raw.url.startswith(page.url):
        page.eval("() => { window.longest = 0; }")
    began, served, browsed = time.perf_counter(), cpu_ms(pid), _browser_ms(pid)
    for part in parts:
        part()
    wall = (time.perf_counter() - began) * 1e3
    page.probe("frames", 2)  # by then the browser has told of the last long task
    return {
        "server_cpu_ms": round(cpu_ms(pid) - served),
        "browser_cpu_ms": round(_browser_ms(pid) - browsed),
        "wall_ms": round(wall),
        "longest_task_ms": round(page.eval("() => window.longest ?? 0")),
    }


def _moved(page: Page, slider: str, *places: float) -> None:
    for each in places:
        page.raw.fill(slider, f"{each:.2f}")
    page.settle()


def _back(page: Page, days: int) -> None:
    page.raw.fill(".days", f"-{days}")
    page.raw.press(".days", "Enter")
    page.until("lodmem.session.past && !lodmem.session.busy.size")
    page.settle()


def _selected(page: Page) -> None:
    page.press("3", "j")
    page.until("document.querySelector('#desk .level')")
    page.settle()


def _pointed(page: Page) -> None:
    box = page.raw.locator("canvas").bounding_box()
    at = page.eval("() => lodmem.plane.where(lodmem.session.selectedRow)")
    page.raw.mouse.move(box["x"] + at["x"], box["y"] + at["y"])
    page.until("document.querySelector('.tip')")
    page.settle()
    page.raw.mouse.move(box["x"] + 4, box["y"] - 4)


def _saved(page: Page) -> None:
    with TemporaryDirectory() as folder:
        text = page.saved(page.raw.locator(".tools button", has_text="CSV"), Path(folder))
        assert len(text.splitlines()) > page.state("session.measured.visible")


def _browser_ms(server: int) -> float:
    """CPU of all that this process began, but for itself and the server."""
    return tree_cpu_ms(os.getpid()) - cpu_ms(os.getpid()) - cpu_ms(server)


def _browser_mb(server: int) -> int:
    """Memory of all that this process began, but for the server, each shared page counted once."""
    return round(sum(_memory_mb(pid, "Pss", "smaps_rollup") for pid in below(os.getpid()) - {os.getpid(), server}))


def _memory_mb(pid: int, name: str, file: str = "status") -> int:
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text(encoding="utf-8").splitlines()
    except OSError:  # it has ended
        return 0
    return round(next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0) * 1024 / MB)
