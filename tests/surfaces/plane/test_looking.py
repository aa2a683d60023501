"""What people see on the plane and do with it, in a real browser against a real server."""

from __future__ import annotations

import base64

import pytest

from lodmem.engine import Engine
from tests.surfaces.plane.conftest import Page, link
from tests.surfaces.plane.scene import Scene

pytestmark = pytest.mark.req("R14.1")


def colours(page: Page) -> int:
    """How many different colours the canvas shows, from a screenshot by the browser's compositor."""
    shot = page.raw.locator("canvas").screenshot(type="png")
    return int(page.probe("colours", base64.b64encode(shot).decode()))


def test_the_first_picture_shows_every_memory_and_agrees_with_the_engine(shared: Page, scene: Scene) -> None:
    shared.open()
    assert shared.state("session.plane.n") == scene.count
    assert shared.text("#agreement") == "Preview = engine"
    assert shared.agreed() == scene.count - scene.hidden
    assert sum(shared.counts()) == scene.count - scene.hidden
    assert colours(shared) > 200
    # A screen reader is told the same, and only the texts that are on the screen have been asked for.
    full, summary, headline, horizon = reversed(shared.counts())
    said = f"{full} in full, {summary} as summary, {headline} as headline, {horizon} beyond the horizon"
    assert said in shared.probe("texts", "[role=status]")
    asked = [url for url in shared.asked if "/memories?" in url]
    shared.until("document.querySelector('.table-grid .row bdi')?.textContent.length > 1")
    assert sum(url.count("%2C") + 1 for url in asked) < 60


def test_a_query_drops_in_and_the_plane_follows_every_slider_with_the_engine(shared: Page, scene: Scene) -> None:
    shared.open()
    assert shared.raw.locator("#alpha").is_disabled()
    shared.ask(scene.asks[2])
    assert shared.state("session.place.text") == scene.asks[2]
    assert shared.raw.locator(".label.query").inner_text() == scene.asks[2][:48].strip()
    assert shared.state("session.view") == "eye"
    beam, place = shared.probe("beam"), shared.state("session.place")
    assert beam["visible"]
    assert beam["at"] == pytest.approx([place["x"], 0, place["y"]], abs=1e-6)
    before = shared.counts()
    assert before[3] > 0
    for slider, value in (("alpha", "0.2"), ("theta1", "0.9"), ("theta2", "0.5"), ("theta3", "0.2"), ("lambda", "0.6")):
        shared.raw.fill(f"#{slider}", value)
        shared.settle()
        after = shared.counts()
        assert after != before, slider
        before = after
        assert shared.agreed(slider) > 0
        assert shared.text("#agreement") == "Preview = engine"
    shared.raw.get_by_role("button", name="Reset").click()
    shared.raw.get_by_role("button", name="Clear", exact=True).click()
    shared.until("!lodmem.session.hasQuery")
    shared.settle()
    assert not shared.probe("beam")["visible"]
    assert shared.raw.locator("#alpha").is_disabled()


def test_moving_a_slider_sends_no_point_to_the_card_and_nothing_is_drawn_at_rest(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[1]))
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


def test_pointing_and_clicking_find_the_right_memory(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[0], view="elevation"))
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


def test_the_panel_shows_texts_formula_history_and_neighbours(shared: Page, scene: Scene, looker: Engine) -> None:
    shared.open(link(q=scene.asks[2], view="map"))
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
    about = looker.about(first, similar=10)
    counts = {about.memory.tokens_full, about.memory.tokens_summary, about.memory.tokens_headline}
    assert {f"{count} tokens" for count in counts} == set(shared.probe("texts", "#desk .level .bar span"))
    near = [shared.raw.locator("#desk h3", has_text=title).locator("+ ul li") for title in ("True neighbours", "Before and")]
    assert [each.count() for each in near] == [len(about.similar), len(about.neighbours)]
    assert {entry.verb for entry in about.history[:12]} == set(shared.probe("texts", "#desk ol time + span > b"))
    chosen = shared.probe("selected")
    assert f"{chosen['score']:.6f}" in desk
    assert f"{chosen['s']:.6f}" in desk
    assert chosen["place"] == 0
    shared.raw.click("#formula summary")
    shared.until("document.querySelectorAll('#formula details table tr').length > 2")
    shared.press("j", "k")
    assert shared.state("session.selected") == first
    near[0].first.locator("button").click()
    shared.until(f"lodmem.session.selected === {about.similar[0].id}")


@pytest.mark.parametrize("budget", [None, 600])
def test_tiers_and_tokens_are_those_of_a_search(shared: Page, scene: Scene, looker: Engine, budget: int | None) -> None:
    shared.open(link(q=scene.asks[3]))
    if budget:
        shared.raw.fill("#budget", str(budget))
        shared.raw.press("#budget", "Enter")
        shared.settle()
    landscape = looker.search(scene.asks[3], budget=budget, touch=False)
    assert shared.state("session.tiers.header.counts") == dict(landscape.counts)
    rows = {row[0]: row[1:] for row in shared.probe("cells", "#tiers tbody tr")}
    assert {tier: row[1] for tier, row in rows.items() if tier != "horizon"} == {
        tier: f"{count:,}" for tier, count in landscape.counts.items() if tier != "horizon"
    }
    assert {tier: row[0] for tier, row in rows.items()} == {
        tier: f"{count:,}" for tier, count in zip(("horizon", "headline", "summary", "full"), shared.counts(), strict=True)
    }
    # Costs are those of the plan: a text that is drawn towards the question may be somewhat shorter.
    costs = shared.state("session.tiers.header.costs")
    spent = {tier: sum(view.tokens for view in landscape.views if view.tier.label == tier) for tier in costs}
    assert all(spent[tier] <= costs[tier] <= 1.1 * spent[tier] for tier in costs)
    assert all((rows[tier][2] not in ("", "0", "–")) == bool(costs[tier]) for tier in ("full", "summary", "headline"))
    account = shared.state("session.tiers.header.account")
    assert account["requested"] == budget
    if budget:
        assert max(account["used"], landscape.budget.used) <= budget


def test_a_budget_is_accounted_for_and_its_tiers_are_marked(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[3], b=600))
    assert "of 600 tokens" in shared.text("#account")
    agreement = shared.state("session.agreement")
    assert agreement["budgeted"] > 10
    assert agreement["wrong"] == []
    assert shared.probe("marked", 1) == agreement["budgeted"]
    assert shared.state("session.tiers.header.account.used") <= 600
    # The best are shown as they are; going down the table the budget begins to bite.
    shared.raw.locator(".table-grid").evaluate("(e) => { e.scrollTop = 800; }")
    shared.until("[...document.querySelectorAll('.table-grid .mark')].some((e) => e.textContent === 'budget')")
    shared.raw.fill("#k", "20")
    shared.raw.press("#k", "Enter")
    shared.settle()
    assert shared.state("session.agreement.wrong") == []
    assert "past k" in shared.probe("texts", ".table-grid .mark")


def test_thresholds_are_dragged_on_the_histogram(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[6]))
    handle = shared.raw.locator("[data-theta=theta1]")
    box = shared.raw.locator("svg[aria-label^=Histogram]").bounding_box()
    for name, start, end in (("theta1", 0.6, 0.8), ("theta2", 0.3, 0.45), ("theta3", 0.05, 0.15)):
        before = shared.counts()
        shared.raw.mouse.move(box["x"] + start * box["width"], box["y"] + 20)
        shared.raw.mouse.down()
        shared.raw.mouse.move(box["x"] + end * box["width"], box["y"] + 20, steps=3)
        shared.raw.mouse.up()
        assert shared.state(f"session.lens.{name}") == pytest.approx(end, abs=0.01)
        assert shared.counts() != before, name
    handle.focus()
    shared.press("ArrowLeft")
    assert shared.state("session.lens.theta1") == pytest.approx(0.79, abs=0.011)
    shared.raw.fill("#theta3", "0.9")
    lens = shared.state("session.lens")
    assert lens["theta1"] >= lens["theta2"] >= lens["theta3"] == 0.9
    shared.settle()
    assert shared.state("session.agreement.wrong") == []


def test_the_page_asks_nobody_but_its_own_server(page: Page, scene: Scene) -> None:
    page.open()
    page.ask(scene.asks[0])
    page.press("1", "2", "3", "4", "j", "n", "l", "l")
    for tab in ("audit", "profiles"):
        page.raw.click(f"#tab-{tab}")
        page.settle()
    page.eval("() => document.fonts.ready")
    asked = [url for url in page.asked if not url.startswith(("data:", "blob:"))]
    assert len(asked) > 10
    assert [url for url in asked if not url.startswith(page.url)] == []
    # And it could not: the policy that the server sends allows no other address.
    refused = page.eval("() => fetch('http://127.0.0.2:9/').then(() => '', (error) => error.name)")
    assert refused == "TypeError"
    assert any("Content Security Policy" in problem for problem in page.problems)
    page.problems = [problem for problem in page.problems if "Content Security Policy" not in problem]
