"""What people change from the page, what others change meanwhile, and what they take away."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from lodmem.model.memory import Tier
from tests.surfaces.plane.conftest import Own, Page, link, opening
from tests.surfaces.plane.scene import Scene


@pytest.mark.req("R14.2")
def test_promote_pin_and_demote_ask_for_a_reason_and_reach_the_store(browser: Any, own: Own, scene: Scene) -> None:
    url, engine = own
    with opening(browser, url) as page:
        page.open(link(q=scene.asks[4]))
        page.press("k", "j", "j")
        chosen = page.state("session.selected")
        (memory,) = engine.expand(chosen, touch=False)
        above = Tier(min((memory.last_tier or 0) + 1, Tier.FULL))
        for key, name, verb, floor in (
            ("u", "Promote", "promote", above),
            ("d", "Demote", "demote", Tier.HORIZON),
            ("p", "Pin", "promote", Tier.FULL),
            ("", "Demote", "demote", Tier.HORIZON),
        ):
            if key:
                page.press(key)
            else:
                page.raw.locator(".actions").get_by_role("button", name=name, exact=True).click()
            confirm = page.raw.locator("dialog[open] .primary")
            page.until("document.activeElement.id === 'reason'")
            assert confirm.is_disabled()
            assert confirm.inner_text() == name
            page.raw.fill("#reason", f"because of {name} by {key or 'button'}")
            confirm.click()
            page.until(f"lodmem.session.current.floor[lodmem.session.selectedRow] === {int(floor)} && !lodmem.screen.reason")
            (memory,) = engine.expand(chosen, touch=False)
            assert memory.floor is floor
            entry = [e for e in engine.audit_log(limit=10_000) if e.verb == verb][-1]
            assert entry.detail["reason"] == f"because of {name} by {key or 'button'}"
            page.until(f"document.querySelector('#desk')?.textContent.includes({json.dumps(entry.detail['reason'])})")
            page.settle()
            assert page.state("session.agreement.wrong") == []
        page.raw.locator(".actions").get_by_role("button", name="Promote", exact=True).click()
        page.press("Escape")
        page.until("!document.querySelector('dialog[open]')")
        assert engine.expand(chosen, touch=False)[0].floor is Tier.HORIZON


@pytest.mark.req("R14.1")
def test_what_others_write_appears_by_itself(browser: Any, own: Own) -> None:
    url, engine = own
    with opening(browser, url) as page:
        page.open()
        page.until("lodmem.session.online")
        before = page.state("session.current.n")
        added = engine.remember("A new mooring buoy was laid out in front of the harbour office.").id
        page.until(f"lodmem.session.current.n === {before + 1}")
        page.settle()
        page.press("j")
        page.until(f"[...document.querySelectorAll('.table-grid .row')].some((r) => r.id === 'row-{added}')")
        assert page.state("session.agreement.wrong") == []


@pytest.mark.req("R14.2")
def test_the_table_sorts_walks_and_exports_what_the_plane_shows(shared: Page, scene: Scene, tmp_path: Path) -> None:
    shared.open(link(q=scene.asks[9], x="tea", a=0.7, b=5000, used="no"))
    grid = shared.raw.locator(".table-grid")
    assert int(grid.get_attribute("aria-rowcount")) == shared.state("session.measured.visible") + 1
    assert shared.raw.locator(".table-grid .row").count() < 60
    grid.focus()
    shared.press("ArrowDown", "ArrowDown", "End", "Home", "PageDown")
    assert shared.probe("selected")["place"] > 3
    # The row is drawn when the table has scrolled to it.
    shared.until(
        "document.querySelector('.table-grid').getAttribute('aria-activedescendant') === `row-${lodmem.session.selected}`"
    )
    for title, read in (("uses", "count"), ("id", "id")):
        shared.raw.get_by_role("columnheader", name=title).get_by_role("button").click()
        values = shared.probe("column", read)
        assert len(values) > 5
        assert values == sorted(values, reverse=read == "count")
    lines = shared.saved(shared.raw.locator(".table").get_by_role("button", name="CSV"), tmp_path).splitlines()
    assert f"# query: {json.dumps(scene.asks[9], ensure_ascii=False)}" in lines
    assert '# tiers_from: "engine"' in lines
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert len(rows) == shared.state("session.measured.visible")
    assert [int(r["id"]) for r in rows] == sorted(int(r["id"]) for r in rows)
    taken = json.loads(shared.saved(shared.raw.locator(".table").get_by_role("button", name="JSON"), tmp_path))
    parameters = taken["parameters"]
    assert len(taken["items"]) == len(rows)
    assert (parameters["query"], parameters["exclude"], parameters["profile"]) == (scene.asks[9], ["tea"], "balanced")
    assert (parameters["alpha"], parameters["theta1"], parameters["budget"], parameters["k"]) == (0.7, 0.6, 5000, 1000)
    assert parameters["filters"]["retrieved"] == "no"
    assert parameters["at"].startswith(f"{scene.now:%Y-%m-%d}")
    assert {
        f"# {name}: {json.dumps(value, separators=(',', ':'), ensure_ascii=False)}" for name, value in parameters.items()
    } == {line for line in lines if line.startswith("#")}


@pytest.mark.req("R14.2")
def test_without_webgl_the_page_is_whole(browser: Any, own: Own, scene: Scene) -> None:
    url, engine = own
    with opening(browser, url) as page:
        page.raw.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
        # three.js tells the console that it gets no context, which is what is tried here.
        page.open()
        assert "no WebGL2" in page.text(".note")
        page.ask(scene.asks[10])
        assert page.text("#agreement") == "Preview = engine"
        page.press("j", "p")
        chosen = page.state("session.selected")
        page.raw.fill("#reason", "by table alone")
        page.raw.locator("dialog[open] .primary").click()
        page.until("lodmem.session.current.floor[lodmem.session.selectedRow] === 3")
        assert engine.expand(chosen, touch=False)[0].floor is Tier.FULL
        page.problems = [p for p in page.problems if "WebGL" not in p]


def test_hostile_text_is_shown_as_text(shared: Page, scene: Scene) -> None:
    shared.open("?view=map")
    seen = ""
    for chosen in scene.hostile:
        shared.eval("(id) => { lodmem.session.selected = id; }", chosen)
        shared.until(
            f"document.querySelector('#memory-title')?.textContent === '#{chosen}' && document.querySelector('#desk .level')"
        )
        seen += shared.text("#desk")
        shared.probe("hover", chosen)
        shared.until("document.querySelector('.tip p') && document.querySelector('.tip p').textContent !== '…'")
        seen += shared.text(".tip")
    assert "<script>window.pwned=1</script>" in seen
    assert "<img src=x" in seen
    assert "RLO" in seen
    assert "ZWSP" in seen
    assert shared.eval("() => window.pwned") is None
    assert shared.raw.locator("#page img, #page script").count() == 0
