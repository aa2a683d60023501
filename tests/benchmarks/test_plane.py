"""The benchmark of the memory plane at a tiny size, and its section of the page."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.watch import cpu_ms, tree_cpu_ms

from benchmarks import page, served

pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")

from benchmarks import plane
from tests.surfaces.plane.conftest import CHROMIUM

ROWS = 60
MACHINE = {"cpu": "a processor", "cores": 2, "memory_gb": 4, "python": "3.11", "load": 0.1}


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium; LODMEM_CHROMIUM names one")
def test_a_server_and_a_page_are_measured_and_the_page_tells_it(tmp_path: Path) -> None:
    said: list[str] = []
    found = plane.run(tmp_path, ROWS, say=said.append)
    told = found["served"]
    assert told["map"]["placed"] == ROWS
    assert told["problems"] == []
    assert all(one["mb"] > 0 for one in told["answers"].values())
    assert all(one["wall_ms"] > 0 for one in told["steps"].values())
    assert min(told["memory"].values()) > 0
    assert said
    written = page.page({"machine": MACHINE, "versions": {}, "plane": {str(ROWS): found}})
    for name in ("frame cpu ms", "map, CPU s", *told["answers"], *told["steps"]):
        assert f"| {name} |" in written or f" {name} |" in written, name


def test_a_page_without_a_server_has_only_frames() -> None:
    frames = {"rows": ROWS, "frame_cpu_ms": 1.5}
    written = page.page({"machine": MACHINE, "versions": {}, "plane": {str(ROWS): frames}})
    assert "frame cpu ms" in written
    assert "lodmem serve" not in written


def test_half_of_a_store_was_there_half_of_its_time_ago() -> None:
    assert served.back_days(ROWS) == 1
    assert served.back_days(1_000_000) == 272


def test_the_clock_of_a_process_is_read_by_its_number() -> None:
    before = cpu_ms(os.getpid())
    sum(range(200_000))
    assert cpu_ms(os.getpid()) > before
    assert tree_cpu_ms(os.getpid()) >= 0
