"""What the page says of its own picture: what has no place yet, where it and the engine differ, what it cannot show."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from lodmem.model.memory import Draft
from tests.surfaces.plane.conftest import Own, Page, opening

NEW, LIES = 12, 5


@pytest.mark.req("R14.1")
def test_what_waits_for_its_place_stands_at_the_rim_until_the_map_has_it(browser: Any, own: Own) -> None:
    url, engine = own
    with opening(browser, url) as page:
        page.open("?view=map")
        assert page.state("session.current.waiting") == 0
        assert "not placed" not in page.text(".hud")
        added = engine.remember_many(
            [Draft(full=f"The lighthouse lamp number {i} burns since {1880 + i}.") for i in range(NEW)]
        )
        engine.reindex()
        page.until(f"lodmem.session.current.waiting === {NEW}")
        page.settle()
        assert f"{NEW} not placed yet" in page.text(".hud")
        ids = [outcome.id for outcome in added]
        assert page.probe("waiting") == ids
        outside = page.probe("places", ids)
        assert all(max(abs(x), abs(y)) == pytest.approx(1.08) for x, y in outside)
        assert len({(round(x, 3), round(y, 3)) for x, y in outside}) == NEW
        page.probe("hover", ids[0])
        page.until("document.querySelector('.tip')?.textContent.includes('not placed yet')")
        page.ask("lighthouse lamp")
        # Where nothing that it is like has a place, the query drops among what is placed, never among what waits.
        place = page.state("session.place")
        assert place["x"] is None or max(abs(place["x"]), abs(place["y"])) <= 1
        assert page.state("session.agreement.wrong") == []
        engine.make_map()
        page.until("lodmem.session.current.waiting === 0")
        page.settle()
        assert "not placed" not in page.text(".hud")
        assert all(max(abs(x), abs(y)) <= 1 for x, y in page.probe("places", ids))


def test_points_glide_to_their_places_on_a_new_map(browser: Any, own: Own) -> None:
    url, engine = own
    with opening(browser, url, reduced_motion="no-preference") as page:
        page.open("?view=map")
        page.probe("watchMoves")
        version = page.state("session.current.header.map.version")
        engine.make_map(rebuild=True)
        page.until(f"lodmem.session.current.header.map.version !== {json.dumps(version)}")
        page.until("moves.some((move) => move > 0 && move < 1) && moves.at(-1) === 1 && lodmem.plane.still")
        frames = page.state("plane.frames")
        page.probe("frames", 30)
        assert page.state("plane.frames") == frames


def lie(body: bytes, rows: int) -> bytes:
    """An answer with tiers in which the first rows have another natural tier than the engine gave them."""
    head = json.loads(body[8 : 8 + struct.unpack("<I", body[4:8])[0]])
    start = next(column["offset"] for column in head["columns"] if column["name"] == "natural")
    changed = bytearray(body)
    for row in range(start, start + rows):
        changed[row] = (changed[row] + 2) % 4
    return bytes(changed)


@pytest.mark.req("R14.2")
def test_where_page_and_engine_differ_every_memory_is_listed(page: Page) -> None:
    def handle(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=lie(answer.body(), LIES))

    page.raw.route("**/api/v1/plane/tiers?**", handle)
    page.open("?view=map")
    wrong = page.state("session.agreement.wrong")
    assert [each["row"] for each in wrong] == list(range(LIES))
    assert str(LIES) in page.text("#agreement")
    page.raw.click("#agreement")
    dialog = page.raw.locator("dialog[open]")
    assert f"{LIES} differ" in dialog.inner_text()
    rows = dialog.locator("tbody tr")
    assert rows.count() == LIES
    names = ["horizon", "headline", "summary", "full"]
    cells = rows.nth(2).locator("td").all_inner_texts()
    assert cells[2:] == [names[wrong[2]["page"]], names[wrong[2]["engine"]]]
    rows.nth(2).locator("button").click()
    page.until(f"lodmem.session.selectedRow === {wrong[2]['row']}")
    assert page.probe("marked", 2) == LIES


def test_a_day_before_the_first_memory_says_so(page: Page) -> None:
    page.open("?at=-3000")
    page.until("lodmem.session.past && !lodmem.session.busy.size")
    page.until("document.querySelector('.table .none')?.textContent.includes('by that day')")
    assert page.state("session.measured.visible") == 0
