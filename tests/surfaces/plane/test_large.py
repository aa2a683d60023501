"""100,000 memories: what is sent stays small, the first picture comes soon, and everything still agrees."""

from __future__ import annotations

from typing import Any

import pytest

from tests.surfaces.plane.conftest import opening
from tests.surfaces.plane.made import Made, stand_in

N = 100_000
MANY = 210_000  # more than are drawn at once while they move, and than are looked through at each move of the pointer


@pytest.mark.slow
@pytest.mark.req("R14.1")
def test_a_hundred_thousand_memories(browser: Any, served: str) -> None:
    made = Made(N)
    assert len(made.plane()) < 3_000_000
    with opening(browser, served) as page:
        stand_in(page.raw, made)
        page.open()
        assert page.state("session.measured.visible") == N
        agreement = page.state("session.agreement")
        assert (agreement["compared"], agreement["wrong"]) == (N, [])
        page.ask("the first island")
        assert page.state("session.agreement.wrong") == []
        sent = page.state("plane.points.uploaded")
        for value in ("0.7", "0.4"):
            page.raw.fill("#alpha", value)
        page.settle()
        assert page.state("plane.points.uploaded") == sent
        assert page.state("session.agreement.wrong") == []
        assert page.raw.locator(".label").count() <= 200
        page.press("3", "j")
        page.settle()
        assert page.probe("missed", page.state("session.selectedRow")) < 1.5
        assert page.raw.locator(".table-grid .row").count() < 60


@pytest.mark.slow
@pytest.mark.req("R14.1")
def test_many_on_a_slow_card_move_thinned_and_are_whole_at_rest(browser: Any, served: str) -> None:
    with opening(browser, served) as page:
        made = Made(MANY)
        made.floor[:] = 0
        made.relevance *= 0.9
        stand_in(page.raw, made)
        page.open("?q=the+first+island&view=elevation")
        counts = "lodmem.plane.points.points.geometry.drawRange.count"
        page.eval(f"() => {{ window.drawn = []; lodmem.plane.onFrame(() => drawn.push({counts})); lodmem.plane.slow = true; }}")
        page.raw.fill("#alpha", "0.4")
        page.settle()
        drawn = page.eval("() => drawn")
        assert (drawn[0], drawn[-1]) == (MANY // 8, MANY)
        page.agreed()
        # The pointer rests, and what is under it is found.
        wanted, x, y = page.probe("open")[0]
        box = page.raw.locator("canvas").bounding_box()
        page.raw.mouse.move(box["x"] + x, box["y"] + y)
        page.until(f"document.querySelector('.tip')?.textContent.includes('#{wanted} ')")
        # Nothing reaches full: the best of all is told.
        page.raw.fill("#theta1", "1")
        page.settle()
        assert page.counts()[3] == 0
        page.until("document.querySelector('.hint')?.textContent.includes('Nothing reaches full')")
