"""The page while it has nothing to show, or not all: loading, empty, closed, failed, offline, too large, read only."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FakeClock
from tests.surfaces.plane.conftest import NOW, Page, link, opened, opening, serving
from tests.surfaces.plane.made import Made, stand_in
from tests.surfaces.plane.scene import Scene

TOO_LARGE = "Response.prototype.arrayBuffer = () => Promise.reject(new RangeError('Array buffer allocation failed'))"


def heading(page: Page, begins: str) -> None:
    page.until(f"document.querySelector('.gate h2')?.textContent.startsWith('{begins}')")


def test_it_says_what_it_loads(page: Page, scene: Scene) -> None:
    held: list[Any] = []
    page.raw.route("**/api/v1/plane", lambda route: held.append(route))
    page.raw.goto(page.url)
    heading(page, f"Loading {scene.count:,} memories")
    assert held
    assert page.state("session.phase") == "loading"
    for route in held:
        route.continue_()
    page.until("lodmem.session.phase === 'ready'")
    page.settle()
    assert page.agreed() == scene.count - scene.hidden


def test_an_empty_store_says_how_to_begin_and_fills_by_itself(browser: Any, tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db", FakeClock(NOW)) as engine, serving(engine) as url, opening(browser, url) as page:
        page.open(phase="empty")
        assert "lodmem" in page.text(".gate pre")
        engine.remember("The first one.")
        page.until("lodmem.session.phase === 'ready'")
        page.settle()
        assert page.state("session.measured.visible") == 1


def test_a_token_is_asked_for_kept_in_the_tab_and_never_in_the_address(browser: Any, scene: Scene) -> None:
    with scene.open() as engine:
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


def test_a_store_that_the_browser_has_no_room_for_says_what_to_do(page: Page) -> None:
    page.raw.add_init_script(TOO_LARGE)
    page.open(phase="failed")
    assert "too large" in page.text(".gate h2")
    assert "?space=" in page.text(".gate p")
    assert page.raw.get_by_role("button", name="Try again").is_visible()


def broken(route: Any) -> None:
    body = {"status": 500, "code": "internal", "detail": "the store could not be read"}
    route.fulfill(status=500, content_type="application/problem+json", json=body)


@pytest.mark.parametrize(("how", "title", "said"), [
    (broken, "The plane could not be loaded", "The store could not be read."),
    (lambda route: route.abort(), "The server does not answer", "lodmem serve"),
])  # fmt: skip
def test_what_fails_is_said_and_tried_again(page: Page, scene: Scene, how: Any, title: str, said: str) -> None:
    page.raw.route("**/api/v1/plane", how)
    page.open(phase="failed")
    assert page.text(".gate h2") == title
    assert said in page.text(".gate .card")
    page.raw.unroute("**/api/v1/plane")
    page.raw.get_by_role("button", name="Try again").click()
    page.until("lodmem.session.phase === 'ready'")
    page.settle()
    assert page.agreed() == scene.count - scene.hidden


def test_an_index_in_the_making_is_waited_for(page: Page) -> None:
    made, asked = [False], [0]

    def handle(route: Any) -> None:
        if made[0]:
            return route.continue_()
        asked[0] += 1
        return route.fulfill(
            status=503, content_type="application/problem+json",
            json={"status": 503, "code": "store_busy", "detail": "the index of this store is being made (5 of 9 memories)"},
        )  # fmt: skip

    page.raw.route("**/api/v1/plane", handle)
    page.raw.goto(page.url)
    page.until("document.querySelector('.gate h2')?.textContent.includes('5 of 9')")
    made[0] = True
    assert asked[0] >= 1
    page.until("lodmem.session.phase === 'ready'")
    page.settle()


@pytest.mark.parametrize(("search", "said", "button"), [
    ("?space=nowhere/at/all", "No memory is in nowhere/at/all", "Look everywhere"),
    ("?space=..%2F", "is not a space", "Open without what the address asks for"),
])  # fmt: skip
def test_an_address_that_leads_nowhere_leads_back(page: Page, search: str, said: str, button: str) -> None:
    page.raw.goto(page.url + search)
    page.until("document.querySelector('.gate button')")
    assert said in page.text(".gate .card")
    page.raw.get_by_role("button", name=button).click()
    page.until("window.lodmem && lodmem.session.phase === 'ready'")
    page.settle()
    assert page.state("session.measured.visible") > 0


def test_a_server_that_goes_away_is_said_and_found_again(browser: Any, scene: Scene) -> None:
    with ExitStack() as stack, scene.open() as engine:
        with serving(engine) as url:
            port = int(url.rsplit(":", 1)[1].strip("/"))
            page = stack.enter_context(opening(browser, url))
            page.open()
        page.until("!lodmem.session.online")
        assert "offline" in page.text("header .badge.bad").lower()
        assert page.state("session.measured.visible") > 0
        page.raw.fill("#query", scene.asks[1])
        page.press("Enter")
        page.until("document.querySelector('.notice span')?.textContent.includes('does not answer')")
        assert page.state("session.query") == ""
        with serving(engine, port=port) as again:
            assert again == url
            page.until("lodmem.session.online")
            page.ask(scene.asks[11])
            assert page.text("#agreement") == "Preview = engine"


def test_read_only_shows_and_changes_nothing(browser: Any, scene: Scene) -> None:
    with scene.open() as engine, serving(engine, read_only=True) as url, opening(browser, url) as page:
        page.open()
        page.press("j", "p")
        page.until("document.querySelector('.actions')")
        assert page.raw.locator("dialog[open]").count() == 0
        assert page.raw.get_by_role("button", name="Pin", exact=True).is_disabled()
        assert "read only" in page.text(".why").lower()


@pytest.mark.req("R14.2")
def test_a_graphics_card_that_is_lost_leaves_the_table(page: Page, scene: Scene) -> None:
    page.open(link(q=scene.asks[0]))
    page.eval("() => lodmem.plane.canvas.getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()")
    page.until("lodmem.session.table === 'whole'")
    assert "graphics card was lost" in page.text(".note")
    page.press("j")
    page.until("document.querySelector('.table-grid .row.on')")
    assert page.text("#memory-title") == f"#{page.state('session.selected')}"
    page.problems = [problem for problem in page.problems if "Context Lost" not in problem]


def test_a_store_without_a_model_and_a_map_says_so(browser: Any, tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db", FakeClock(NOW), embedder="none") as engine, serving(engine) as url:
        for i in range(20):
            engine.remember(f"The lighthouse lamp number {i} burns since {1880 + i}.", created_at=f"{1990 + i}-03-01")
        with opening(browser, url) as page:
            page.open()
            assert "Words only" in page.text("header .state")
            assert "makeshift" in page.text(".hud")
            assert "height is decay alone" in page.text(".hud")
            # Without meaning nothing reaches a high threshold: the page offers the one that would show the best.
            page.ask("when was the lamp number 7 lit")
            page.raw.fill("#theta1", "1")
            page.settle()
            assert page.counts()[3] == 0
            page.raw.get_by_role("button", name="Lower θ₁ to it").click()
            page.settle()
            assert page.counts()[3] > 0
            page.agreed()


def test_a_map_in_the_making_says_how_far_it_is(browser: Any, served: str) -> None:
    made = Made(500)
    made.making = (120, 500)
    with opening(browser, served) as page:
        stand_in(page.raw, made)
        page.open()
        assert "Map in the making, 120 of 500." in page.text(".hud")
        made.making = None
        page.until("!document.querySelector('.hud').textContent.includes('in the making')")


@pytest.mark.slow
def test_a_change_of_a_very_large_store_is_announced_and_loaded_on_demand(browser: Any, tmp_path: Path) -> None:
    made = Made(250_001)
    with opened(tmp_path / "memory.db", FakeClock(NOW)) as engine, serving(engine) as url, opening(browser, url) as page:
        engine.remember("The first one.")
        stand_in(page.raw, made)
        page.open("?gl=0")
        before = sum(url.endswith("/plane") or "/plane?" in url for url in page.asked)
        engine.remember("The second one.")
        button = page.raw.get_by_role("button", name="The store has changed. Load it")
        button.wait_for()
        assert sum(url.endswith("/plane") or "/plane?" in url for url in page.asked) == before
        button.click()
        page.until("!lodmem.session.moved")
        page.settle()
        assert page.agreed() == made.n
