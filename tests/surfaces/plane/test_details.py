"""Small things that are seen at once when they are wrong: what is cut off, what stands too near, what says too little."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lodmem.model.memory import Draft
from tests.surfaces.plane.conftest import Own, Page, link, opening
from tests.surfaces.plane.scene import Scene

pytestmark = pytest.mark.req("R14.2")


def box(page: Page, selector: str) -> tuple[float, ...]:
    return tuple(page.probe("boxes", selector)[0])


def test_the_chosen_row_of_the_table_is_never_cut(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[0]))
    for keys in (["j"] * 12, ["k"] * 4):
        for key in keys:
            shared.press(key)
            row = f"#row-{shared.state('session.selected')}"
            shared.until(f"document.querySelector('{row}')")
            _, top, _, bottom = box(shared, row)
            assert top >= box(shared, ".headrow")[3] - 1
            assert bottom <= box(shared, ".table-grid")[3] + 1


def test_on_the_map_a_memory_is_looked_at_from_as_far_as_elsewhere(shared: Page, scene: Scene) -> None:
    far = []
    for view in ("orbit", "map"):
        shared.open(link(q=scene.asks[5], view=view))
        shared.press("j", "Enter")
        shared.settle()
        far.append(shared.state("plane.look.distance"))
    assert far[0] == pytest.approx(far[1], rel=0.01)


@pytest.mark.parametrize("size", [(1440, 900), (1024, 700), (400, 800)])
def test_the_orbit_shows_every_sheet_whole(browser: Any, served: str, size: tuple[int, int]) -> None:
    with opening(browser, served, viewport={"width": size[0], "height": size[1]}) as page:
        page.open()
        width, height = page.eval("() => [lodmem.plane.canvas.clientWidth, lodmem.plane.canvas.clientHeight]")
        for x, y in page.probe("rims"):
            assert 0 <= x <= width
            assert 0 <= y <= height
        assert page.eval("() => document.documentElement.scrollWidth") == size[0]


def test_what_the_filters_leave_out_says_so(shared: Page, scene: Scene) -> None:
    shared.open(link(sel=scene.superseded))
    shared.until("document.querySelector('#desk .status')")
    assert "not in view" in shared.text("#desk .title")
    assert "filters leave it out" in shared.text("#formula")
    shared.raw.click("#s-status")
    shared.raw.get_by_role("checkbox", name="superseded", exact=True).check()
    shared.settle()
    assert shared.state("session.filters.status") == ["active", "stale", "conflict", "superseded"]
    assert "filters leave it out" not in shared.text("#formula")
    shared.raw.get_by_role("checkbox", name="superseded", exact=True).uncheck()
    assert shared.state("session.filters.status") == []


def test_when_no_memory_passes_the_filters_a_button_leads_back(shared: Page, scene: Scene) -> None:
    shared.open(link(tag="nobody-has-this"))
    shared.raw.get_by_role("button", name="Look without them").click()
    shared.settle()
    assert shared.state("session.measured.visible") == scene.count - scene.hidden


def test_a_browser_without_a_network_says_so_and_finds_the_server_again(page: Page, scene: Scene) -> None:
    page.open(link(q=scene.asks[0]))
    page.press("j")
    page.until("document.querySelector('.actions') && lodmem.session.online")
    page.raw.context.set_offline(True)
    page.until("!lodmem.session.online")
    assert "offline" in page.text("header .badge.bad").lower()
    assert page.raw.get_by_role("button", name="Pin", exact=True).is_disabled()
    assert "nothing can be written" in page.text(".why")
    page.raw.context.set_offline(False)
    page.until("lodmem.session.online")
    assert page.raw.get_by_role("button", name="Pin", exact=True).is_enabled()


def test_a_text_is_cut_at_the_end_of_its_own_direction(browser: Any, own: Own) -> None:
    url, engine = own
    added = engine.remember_many([Draft(full="שלום עולם, " * 40)])[0].id
    with opening(browser, url) as page:
        page.open(link(sel=added))
        page.until(f"document.querySelector('#row-{added} bdi')?.textContent.startsWith('שלום')")
        assert page.eval(f"() => getComputedStyle(document.querySelector('#row-{added} bdi')).direction") == "rtl"


def test_a_memory_with_a_date_to_come_is_seen_as_by_a_search(browser: Any, own: Own, scene: Scene) -> None:
    url, engine = own
    added = engine.remember("The ferry to the island leaves at six.", created_at=scene.now + timedelta(days=9)).id
    engine.reindex()
    with opening(browser, url) as page:
        page.open(link(sel=added))
        assert page.agreed() == scene.count - scene.hidden + 1
        assert page.eval("() => lodmem.session.visible[lodmem.session.selectedRow]") == 1
        where = page.eval("() => lodmem.plane.where(lodmem.session.selectedRow)")
        assert page.eval("(at) => lodmem.plane.at(at.x, at.y) >= 0", where)
        page.raw.fill("#time", "-0.2")
        page.until("lodmem.session.past && !lodmem.session.busy.size")
        assert page.eval("() => lodmem.session.visible[lodmem.session.selectedRow]") == 0
