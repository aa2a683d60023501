"""What people change from the page, what they take away, and what the page does when something is missing."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from lodmem.engine import Engine
from lodmem.model.memory import Tier
from tests.conftest import FakeClock
from tests.surfaces.plane.conftest import COUNT, NOW, Page, opened, opening, serving

Own = tuple[str, Engine]


@pytest.mark.req("R14.2")
def test_promote_pin_and_demote_ask_for_a_reason_and_reach_the_store(browser: Any, own: Own) -> None:
    url, engine = own
    with opening(browser, url) as page:
        page.open("?q=compost+heap")
        page.press("k", "j", "j")
        chosen = page.state("session.selected")
        for key, verb, floor in (("p", "promote", Tier.FULL), ("d", "demote", Tier.HORIZON)):
            page.press(key)
            confirm = page.raw.locator("dialog[open] .primary")
            page.until("document.activeElement.id === 'reason'")
            assert confirm.is_disabled()
            page.raw.fill("#reason", f"because of {verb}")
            confirm.click()
            page.until(f"lodmem.session.current.floor[lodmem.session.selectedRow] === {int(floor)} && !lodmem.screen.reason")
            (memory,) = engine.expand(chosen, touch=False)
            assert memory.floor is floor
            entry = [e for e in engine.audit_log(limit=10_000) if e.verb == verb][-1]
            assert entry.detail["reason"] == f"because of {verb}"
            page.settle()
            assert page.state("session.agreement.wrong") == []
        page.raw.get_by_role("button", name="Promote", exact=True).click()
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


@pytest.mark.req("R14.1")
def test_profiles_are_compared_saved_and_used(browser: Any, own: Own) -> None:
    url, engine = own
    with opening(browser, url) as page:
        page.open("?q=proofing+basket&tab=profiles")
        page.raw.select_option("select[aria-label='Right profile']", "digest")
        page.until("document.querySelector('#desk').textContent.includes('memories rise')")
        rows = page.probe("compared")
        assert rows["α"] == ["0.9", "0.1"]
        assert rows["full"][0] != rows["full"][1]
        page.raw.fill("#alpha", "0.42")
        page.raw.fill("input[aria-label='Name of the profile']", "mine")
        page.raw.get_by_role("button", name="Save", exact=True).click()
        page.until("lodmem.session.profile.name === 'mine'")
        assert engine.profiles()["mine"].alpha == 0.42
        page.raw.select_option("select[aria-label='Right profile']", "mine")
        page.raw.get_by_role("button", name="Make it").click()
        page.until("lodmem.session.usedProfile === 'mine'")
        assert engine.profile.name == "mine"


@pytest.mark.req("R14.1")
def test_audit_lists_are_shown_and_exported_with_their_parameters(shared: Page, tmp_path: Path) -> None:
    shared.open("?tab=audit")
    shared.until("document.querySelectorAll('.names button').length >= 6")
    for name, wanted in (("Held up by a floor", "#3"), ("Secrets were masked", f"#{COUNT + 1}")):
        shared.raw.get_by_role("button", name=name).click()
        shared.until(f"document.querySelector('#audit-items')?.textContent.includes({json.dumps(wanted)})")
    with shared.raw.expect_download() as download:
        shared.raw.locator("#desk").get_by_role("button", name="CSV").click()
    lines = _saved(download, tmp_path).splitlines()
    notes = dict(line.removeprefix("# ").split(": ", 1) for line in lines if line.startswith("# "))
    assert notes["list"] == "secrets-masked"
    assert {"space", "profile", "limit", "times", "below", "days"} <= set(notes)
    with shared.raw.expect_download() as download:
        shared.raw.locator("#desk").get_by_role("button", name="JSON").click()
    parameters = json.loads(_saved(download, tmp_path))["parameters"]
    assert parameters["profile"]["name"] == "balanced"
    assert {name: parameters[name] for name in ("limit", "times", "below", "days")} == {
        "limit": 10_000, "times": 3, "below": 0.2, "days": 30.0,
    }  # fmt: skip


def _saved(download: Any, folder: Path) -> str:
    target = folder / download.value.suggested_filename
    download.value.save_as(target)
    return target.read_text(encoding="utf-8")


@pytest.mark.req("R14.2")
def test_the_table_sorts_walks_and_exports_what_the_plane_shows(shared: Page, tmp_path: Path) -> None:
    shared.open("?q=replica+lag&x=tea&a=0.7&b=5000&used=no")
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
    with shared.raw.expect_download() as download:
        shared.raw.locator(".table").get_by_role("button", name="CSV").click()
    lines = _saved(download, tmp_path).splitlines()
    assert '# query: "replica lag"' in lines
    assert '# tiers_from: "engine"' in lines
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert len(rows) == shared.state("session.measured.visible")
    assert [int(r["id"]) for r in rows] == sorted(int(r["id"]) for r in rows)
    with shared.raw.expect_download() as download:
        shared.raw.locator(".table").get_by_role("button", name="JSON").click()
    taken = json.loads(_saved(download, tmp_path))
    parameters = taken["parameters"]
    assert len(taken["items"]) == len(rows)
    assert (parameters["query"], parameters["exclude"], parameters["profile"]) == ("replica lag", ["tea"], "balanced")
    assert (parameters["alpha"], parameters["theta1"], parameters["budget"], parameters["k"]) == (0.7, 0.6, 5000, 1000)
    assert parameters["filters"]["retrieved"] == "no"
    assert parameters["at"].startswith(f"{NOW:%Y-%m-%d}")
    assert {f"# {name}: {json.dumps(value, separators=(',', ':'))}" for name, value in parameters.items()} == {
        line for line in lines if line.startswith("#")
    }


@pytest.mark.req("R14.2")
def test_without_webgl_the_page_is_whole(browser: Any, own: Own) -> None:
    url, engine = own
    with opening(browser, url) as page:
        page.raw.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
        # three.js tells the console that it gets no context, which is what is tried here.
        page.open()
        assert "no WebGL2" in page.text(".note")
        page.ask("tomato bed")
        assert page.text("#agreement") == "Preview = engine"
        page.press("j", "p")
        chosen = page.state("session.selected")
        page.raw.fill("#reason", "by table alone")
        page.raw.locator("dialog[open] .primary").click()
        page.until("lodmem.session.current.floor[lodmem.session.selectedRow] === 3")
        assert engine.expand(chosen, touch=False)[0].floor is Tier.FULL
        page.problems = [p for p in page.problems if "WebGL" not in p]


def test_hostile_text_is_shown_as_text(shared: Page) -> None:
    shared.open("?view=map")
    ids = shared.eval("() => [...lodmem.session.plane.id].slice(-5, -1)")
    seen = ""
    for chosen in ids:
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


def test_a_token_is_asked_for_kept_in_the_tab_and_never_in_the_address(browser: Any, store: Path) -> None:
    with opened(store, FakeClock(NOW)) as engine:
        token = engine.add_token("plane")
        with serving(engine, needs_token=True) as url, opening(browser, url) as page:
            page.open(phase="token")
            page.raw.fill("#token", "lodmem_wrong")
            page.press("Enter")
            page.until("document.querySelector('.gate .bad')")
            page.raw.fill("#token", token)
            page.press("Enter")
            page.until("lodmem.session.phase === 'ready'")
            page.settle()
            assert token not in page.raw.url
            assert all(token not in asked for asked in page.asked)
            page.raw.reload()
            page.until("window.lodmem && lodmem.session.phase === 'ready'")


def test_an_empty_store_says_how_to_begin_and_fills_by_itself(browser: Any, tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db", FakeClock(NOW)) as engine, serving(engine) as url, opening(browser, url) as page:
        page.open(phase="empty")
        assert "lodmem" in page.text(".gate pre")
        engine.remember("The first one.")
        page.until("lodmem.session.phase === 'ready'")
        page.settle()
        assert page.state("session.measured.visible") == 1


def test_a_server_that_goes_away_is_said_and_found_again(browser: Any, store: Path) -> None:
    with opened(store, FakeClock(NOW)) as engine:
        with serving(engine) as url:
            port = int(url.rsplit(":", 1)[1].strip("/"))
            context = opening(browser, url)
            page = context.__enter__()
            page.open()
        page.until("!lodmem.session.online")
        assert "offline" in page.text("header .badge.bad").lower()
        assert page.state("session.measured.visible") > 0
        page.raw.fill("#query", "night train")
        page.press("Enter")
        page.until("document.querySelector('.notice span')?.textContent.includes('does not answer')")
        assert page.state("session.query") == ""
        with serving(engine, port=port) as again:
            assert again == url
            page.until("lodmem.session.online")
            page.ask("oven stone")
            assert page.text("#agreement") == "Preview = engine"
        context.__exit__(None, None, None)


def test_read_only_shows_and_changes_nothing(browser: Any, store: Path) -> None:
    with opened(store, FakeClock(NOW)) as engine, serving(engine, read_only=True) as url, opening(browser, url) as page:
        page.open()
        page.press("j", "p")
        page.until("document.querySelector('.actions')")
        assert page.raw.locator("dialog[open]").count() == 0
        assert page.raw.get_by_role("button", name="Pin", exact=True).is_disabled()
        assert "read only" in page.text(".why").lower()


@pytest.mark.req("R14.2")
def test_every_key_is_shown_and_help_closes(shared: Page) -> None:
    shared.open("?view=map")
    shared.press("?")
    keys = shared.probe("texts", "dialog[open] kbd")
    assert {"/", "j", "k", "1", "4", "[", "]", "u", "p", "d", "t", "?"} <= set(keys)
    shared.press("Escape")
    shared.until("!document.querySelector('dialog[open]')")
    shared.press("t")
    shared.until("document.querySelector('canvas').clientHeight < 10")
    shared.press("t")
    shared.until("document.querySelector('.table-grid') === null")
    shared.press("t")
    shared.until("document.querySelector('.table-grid') && document.querySelector('canvas').clientHeight > 100")
    theme = shared.state("screen.theme")
    shared.press("l")
    assert shared.state("screen.theme") != theme
    shared.press("l", "/")
    assert shared.eval("() => document.activeElement.id") == "query"
    shared.press("Escape", "[", ".")
    assert shared.state("session.lens.lambda") > 0.03
    canvas = shared.raw.locator("canvas")
    canvas.focus()
    before = shared.eval("() => lodmem.plane.look.camera.position.toArray()")
    shared.press("ArrowDown", "ArrowLeft", "-")
    assert shared.eval("() => lodmem.plane.look.camera.position.toArray()") != before
