"""What people see on the plane and do with it, in a real browser against a real server."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.surfaces.plane.conftest import COUNT, Page, opening

pytestmark = pytest.mark.req("R14.1")
KEYS = {"Kind": "kinds", "Status": "status", "Agent": "agents"}


def colours(page: Page) -> int:
    """How many different colours the canvas shows, from a screenshot by the browser's compositor."""
    shot = page.raw.locator("canvas").screenshot(type="png")
    return int(page.probe("colours", base64.b64encode(shot).decode()))


def test_the_first_picture_shows_every_memory_and_agrees_with_the_engine(shared: Page) -> None:
    shared.open()
    assert shared.state("session.plane.n") == COUNT + 1
    assert shared.text("#agreement") == "Preview = engine"
    agreement = shared.state("session.agreement")
    assert agreement["wrong"] == []
    assert agreement["compared"] == shared.state("session.measured.visible") > COUNT - 50
    assert sum(shared.counts()) == agreement["compared"]
    assert colours(shared) > 200


def test_a_query_drops_in_and_the_plane_follows_every_slider_with_the_engine(shared: Page) -> None:
    shared.open()
    assert shared.raw.locator("#alpha").is_disabled()
    shared.ask("the release signing key")
    assert shared.state("session.place.text") == "the release signing key"
    assert shared.raw.locator(".label.query").inner_text() == "the release signing key"
    assert shared.state("session.view") == "eye"
    before = shared.counts()
    assert before[3] > 0
    for slider, value in (("alpha", "0.2"), ("theta1", "0.9"), ("theta2", "0.5"), ("theta3", "0.2"), ("lambda", "0.6")):
        shared.raw.fill(f"#{slider}", value)
        shared.settle()
        after = shared.counts()
        assert after != before, slider
        before = after
        agreement = shared.state("session.agreement")
        assert agreement["compared"] > 0
        assert agreement["wrong"] == [], slider
        assert shared.text("#agreement") == "Preview = engine"


def test_moving_a_slider_sends_no_point_to_the_card_and_nothing_is_drawn_at_rest(shared: Page) -> None:
    shared.open("?q=night+train")
    sent, frames = shared.state("plane.points.uploaded"), shared.state("plane.frames")
    for value in ("0.8", "0.5", "0.3"):
        shared.raw.fill("#alpha", value)
    shared.raw.fill("#time", "0.3")
    shared.raw.fill("#time", "0.5")
    shared.settle()
    assert shared.state("plane.frames") > frames
    assert shared.state("plane.points.uploaded") == sent
    frames = shared.state("plane.frames")
    # Sixty times the browser was ready to draw, and the plane had nothing to.
    shared.probe("frames", 60)
    assert shared.state("plane.frames") == frames


def test_pointing_and_clicking_find_the_right_memory(shared: Page) -> None:
    shared.open("?q=sourdough+starter&view=elevation")
    found = shared.probe("open")
    assert len(found) >= 10
    box = shared.raw.locator("canvas").bounding_box()
    for wanted, x, y in found[:4]:
        shared.raw.mouse.move(box["x"] + x, box["y"] + y)
        shared.until(f"document.querySelector('.tip')?.textContent.includes('#{wanted} ')")
        shared.raw.mouse.click(box["x"] + x, box["y"] + y)
        shared.until(f"lodmem.session.selected === {wanted}")
        assert shared.text("#memory-title") == f"#{wanted}"
    shared.raw.mouse.move(box["x"] + 5, box["y"] + 5)
    shared.until("lodmem.screen.hovered === -1")


def test_the_panel_shows_texts_formula_history_and_neighbours(shared: Page) -> None:
    shared.open("?q=release+signing+key&view=map")
    before = len(shared.asked)
    shared.press("j")
    shared.until("document.querySelectorAll('#desk .level').length && lodmem.session.selectedRow >= 0")
    desk = shared.text("#desk")
    first = shared.state("session.selected")
    shared.probe("frames", 30)
    assert sum(f"memories/{first}?" in asked for asked in shared.asked[before:]) == 1
    for part in (
        "Representations",
        "tokens",
        "True neighbours by meaning",
        "History from the audit log",
        "Provenance",
        "LOD",
        "exp(",
    ):
        assert part in desk
    chosen = shared.probe("selected")
    assert f"{chosen['score']:.6f}" in desk
    assert f"{chosen['s']:.6f}" in desk
    assert chosen["place"] == 0
    shared.raw.click("#formula summary")
    shared.until("document.querySelectorAll('#formula details table tr').length > 2")
    shared.press("j", "k")
    assert shared.state("session.selected") == first


def test_cameras_labels_and_lines(shared: Page) -> None:
    shared.open("?q=cello+lesson")
    eyes = set()
    for key, view in (("1", "orbit"), ("2", "eye"), ("3", "elevation"), ("4", "map")):
        shared.press(key)
        shared.settle()
        assert shared.state("session.view") == view
        assert shared.raw.locator(".views button[aria-pressed=true]").first.inner_text().lower() in (view, "query eye")
        eyes.add(tuple(round(x, 2) for x in shared.eval("() => lodmem.plane.look.camera.position.toArray()")))
    assert len(eyes) == 4
    shared.press("1")
    shared.settle()
    names = shared.probe("texts", ".label.sheet")
    assert {"FULL ≥ 0.60", "SUMMARY ≥ 0.30"} <= set(names)
    boxes = shared.probe("boxes", ".label")
    assert 3 <= len(boxes) <= 200
    apart = [a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1] for i, a in enumerate(boxes) for b in boxes[i + 1 :]]
    assert all(apart)
    frames = shared.state("plane.frames")
    shared.press("j", "n")
    shared.until(f"document.querySelectorAll('#desk h3').length > 3 && lodmem.plane.frames > {frames} && lodmem.plane.still")
    assert shared.state("screen.neighbours") is True
    shared.press("n", "Escape")


def test_filters_narrow_page_and_engine_alike(shared: Page) -> None:
    shared.open()
    everything = shared.state("session.measured.visible")
    raw = shared.raw

    def narrowed(name: str) -> None:
        shared.settle()
        visible, agreement = shared.state("session.measured.visible"), shared.state("session.agreement")
        assert 0 < visible < everything, name
        assert agreement["wrong"] == [], name
        assert agreement["compared"] == visible, name
        raw.get_by_role("button", name="Clear all").click()
        shared.settle()
        assert shared.state("session.measured.visible") == everything, name

    for title, choice in (("Kind", "semantic"), ("Status", "superseded"), ("Agent", "writer")):
        raw.click(f"#s-{KEYS[title]}")
        raw.get_by_label(choice, exact=True).check()
        narrowed(title)
    raw.select_option("#f-used", "yes")
    narrowed("Retrieved")
    raw.fill("#f-since", "2026-01-01")
    narrowed("Since")
    raw.fill("#f-tags", "sailing")
    raw.press("#f-tags", "Enter")
    narrowed("Tags")
    raw.select_option("#f-space", "home")
    shared.until(f"lodmem.session.plane.header.dictionaries.spaces.length >= 1 && lodmem.session.plane.n < {COUNT // 2}")
    narrowed("Space")


def test_a_budget_is_accounted_for_and_its_tiers_are_marked(shared: Page) -> None:
    shared.open("?q=harbour+fee&b=600")
    assert "of 600 tokens" in shared.text("#account")
    agreement = shared.state("session.agreement")
    assert agreement["budgeted"] > 10
    assert agreement["wrong"] == []
    assert shared.probe("marked", 1) == agreement["budgeted"]
    assert shared.state("session.tiers.header.account.used") <= 600
    # The best are shown as they are; going down the table the budget begins to bite.
    shared.raw.locator(".table-grid").evaluate("(e) => { e.scrollTop = 800; }")
    shared.until("[...document.querySelectorAll('.table-grid .mark')].some((e) => e.textContent === 'budget')")


def test_thresholds_are_dragged_on_the_histogram(shared: Page) -> None:
    shared.open("?q=rye+flour")
    handle = shared.raw.locator("[data-theta=theta1]")
    box = shared.raw.locator("svg[aria-label^=Histogram]").bounding_box()
    shared.raw.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 20)
    shared.raw.mouse.down()
    shared.raw.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 20, steps=3)
    shared.raw.mouse.up()
    assert shared.state("session.lens.theta1") == pytest.approx(0.8, abs=0.01)
    handle.focus()
    shared.press("ArrowLeft")
    assert shared.state("session.lens.theta1") == pytest.approx(0.79, abs=0.011)
    shared.raw.fill("#theta3", "0.9")
    lens = shared.state("session.lens")
    assert lens["theta1"] >= lens["theta2"] >= lens["theta3"] == 0.9
    shared.settle()
    assert shared.state("session.agreement.wrong") == []


def test_time_ahead_is_computed_and_time_back_is_read_from_the_log(shared: Page) -> None:
    shared.open()
    now = shared.counts()
    shared.press(">", ">", ">", ">")
    shared.settle()
    assert shared.state("session.offset") == 28
    assert "computed" in shared.text("#time-saying")
    ahead = shared.counts()
    assert ahead[3] < now[3]
    assert shared.state("session.agreement.wrong") == []
    shared.press("0")
    shared.raw.fill(".days", "-50")
    shared.raw.press(".days", "Enter")
    shared.until("lodmem.session.past && !lodmem.session.busy.size")
    assert "read from the log" in shared.text("#time-saying")
    assert "log" in shared.text("#agreement").lower()
    # Fifty days ago two of the four searches had not been asked: nobody is used after the day that is looked from.
    assert shared.probe("usedLater") == 0
    then, since = shared.probe("uses")
    assert then < since
    assert shared.state("session.measured.visible") < COUNT
    shared.press("j")
    shared.until("document.querySelector('.actions button')")
    assert shared.raw.locator(".actions button").first.is_disabled()


def test_a_link_shows_the_same_plane_again(shared: Page, browser: Any, served: str) -> None:
    shared.open()
    shared.ask("ferry ticket")
    shared.raw.fill("#alpha", "0.55")
    shared.press("j", "3")
    shared.settle()
    shared.until("location.search.includes('view=elevation') && location.search.includes('sel=')")
    counts, selected, search = shared.counts(), shared.state("session.selected"), shared.eval("() => location.search")
    assert "q=ferry+ticket" in search
    with opening(browser, served) as other:
        other.open(search)
        other.until("lodmem.session.query === 'ferry ticket'")
        other.settle()
        assert other.counts() == counts
        assert other.state("session.selected") == selected
        assert other.state("session.view") == "elevation"
        assert other.state("session.lens.alpha") == 0.55
