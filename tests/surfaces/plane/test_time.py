"""Time on the plane: ahead it is computed, back it is read from the audit log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lodmem.engine import Engine
from tests.surfaces.plane.conftest import Page, link, opening
from tests.surfaces.plane.made import Made, stand_in
from tests.surfaces.plane.scene import Scene

pytestmark = pytest.mark.req("R14.1")
BACK = 50
HOLD_RELEVANCE = """() => {
  const ask = window.fetch;
  window.fetch = async (...given) => {
    if (String(given[0]).includes("plane/relevance")) await new Promise((go) => { window.letGo = go; });
    return ask(...given);
  };
}"""


def test_time_ahead_is_computed_and_time_back_is_read_from_the_log(shared: Page, scene: Scene, looker: Engine) -> None:
    shared.open()
    now = shared.counts()
    shared.press(">", ">", ">", ">")
    shared.settle()
    assert shared.state("session.offset") == 28
    assert "computed" in shared.text("#time-saying")
    ahead = shared.counts()
    assert ahead[3] < now[3]
    assert shared.agreed() == scene.count - scene.hidden
    shared.press("0")
    shared.raw.fill(".days", f"-{BACK}")
    shared.raw.press(".days", "Enter")
    shared.until("lodmem.session.past && !lodmem.session.busy.size")
    assert f"{BACK} days back, read from the log" in shared.text("#time-saying")
    assert "log" in shared.text("#agreement").lower()
    # By then some searches had not been asked: nobody is used after the day that is looked from.
    assert shared.probe("usedLater") == 0
    then, since = shared.probe("uses")
    past = looker.plane(as_of=scene.now - timedelta(days=BACK))
    assert then == past.columns["count"].sum()
    assert then < since
    assert shared.state("session.measured.visible") < scene.count - scene.hidden
    shared.press("j")
    shared.until("document.querySelector('.actions button')")
    assert shared.raw.locator(".actions button").first.is_disabled()
    assert "nothing is written" in shared.text(".why")


def test_the_scrubber_goes_both_ways_and_comes_back(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[2]))
    now = shared.counts()
    shared.raw.fill("#time", "0.6")
    shared.settle()
    assert shared.state("session.offset") > 100
    assert shared.counts() != now
    shared.raw.fill("#time", "-0.7")
    shared.until("lodmem.session.past && !lodmem.session.busy.size")
    early = scene.now + timedelta(days=shared.state("session.offset"))
    assert early < scene.now - timedelta(days=200)
    assert shared.raw.locator("footer b").inner_text() == f"{early:%Y-%m-%d}"
    # What was superseded since stood then as it was; what did not exist yet is not there.
    assert shared.probe("made") <= shared.state("session.now")
    shared.raw.get_by_role("button", name="Now", exact=True).click()
    shared.settle()
    assert shared.state("session.offset") == 0
    assert shared.counts() == now


def test_page_and_engine_are_compared_only_with_the_relevance_of_the_day(browser: Any, served: str, scene: Scene) -> None:
    with opening(browser, served) as page:
        page.open(link(q=scene.asks[2], at=-BACK))
        page.until("lodmem.session.past && lodmem.session.query && !lodmem.session.busy.size")
        page.eval(HOLD_RELEVANCE)
        page.press("0")
        page.until("lodmem.session.tiers?.key === lodmem.session.key && lodmem.session.offset === 0")
        assert page.state("session.agreement") is None
        page.until("window.letGo")
        page.eval("() => letGo()")
        page.settle()
        page.agreed()


def test_what_is_replaced_now_stands_where_it_stood_before_that(shared: Page, scene: Scene) -> None:
    shared.open(link(at=-1, sel=scene.superseded, status="superseded"))
    shared.until("lodmem.session.past && !lodmem.session.busy.size")
    statuses = shared.state("session.plane.header.dictionaries.statuses")
    row = f"lodmem.session.{{}}.status[lodmem.session.{{}}.id.indexOf({scene.superseded})]"
    then, now = (statuses[shared.eval(f"() => {row.format(which, which)}")] for which in ("past", "current"))
    assert (then, now) == ("active", "superseded")


def test_time_runs_by_itself_until_it_is_stopped(browser: Any, served: str) -> None:
    with opening(browser, served, reduced_motion="no-preference") as page:
        page.open("?view=map")
        page.raw.locator("canvas").focus()
        page.press(" ")
        page.until("lodmem.session.offset > 1")
        page.press(" ")
        page.until("!lodmem.session.playing && lodmem.plane.still")
        offset = page.state("session.offset")
        assert offset == int(offset) >= 1
        play, now = (page.raw.get_by_role("button", name=name, exact=True) for name in ("Play", "Now"))
        play.click()
        page.until(f"lodmem.session.offset > {offset} + 1")
        now.click()
        page.settle()
        assert (page.state("session.playing"), page.state("session.offset")) == (False, 0)


def test_time_that_runs_ends_two_years_ahead(shared: Page) -> None:
    shared.open("?view=map")
    shared.raw.get_by_role("button", name="Play", exact=True).click()
    shared.until("lodmem.session.offset === 730 && !lodmem.session.playing")
    shared.settle()
    assert shared.text("footer button") == "Play"
    assert shared.state("session.agreement.wrong") == []


def test_where_the_log_does_not_reach_the_page_says_so(browser: Any, served: str) -> None:
    made = Made(300)
    made.history = {"from": "log", "complete": False}
    with opening(browser, served) as page:
        stand_in(page.raw, made)
        page.open(link(at=-30))
        page.until("lodmem.session.past && !lodmem.session.busy.size")
        assert "30 days back, read from the log, which is incomplete there" in page.text("#time-saying")
        assert page.text("#agreement") == "From the log, incomplete"
