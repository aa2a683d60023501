"""Take a picture of every state of the memory plane's page, to be looked at after a change of `web/`.

    make plane-states ARGS="pictures"         all states, both themes, three sizes; needs chromium and the embedding model
    make plane-states ARGS="pictures --only memory-,conflict --theme dark --size 400x800"
    make plane-states ARGS="pictures --only query --eyes deuteranopia"

The servers and their stores are those of plane_sites.py; they stay beside the pictures, in `.stores`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Error, Route, sync_playwright
from scripts.plane_sites import TEXTS, known, sites

from lodmem.retrieval.audits import LISTS
from tests.surfaces.plane.conftest import CHROMIUM, FLAGS, Page, link

SIZES = ("1440x900", "1024x700", "400x800")
QUERY = "how is a memory forgotten"
PROBLEM = "application/problem+json"
Act = Callable[[Page], object]


def nothing(page: Page) -> None:
    """What is opened is the picture."""


class State(NamedTuple):
    """`start`: what the page's address asks for, or how it is opened. `act`: what is done then. `site`: which server."""

    name: str
    start: Mapping[str, object] | Act
    act: Act = nothing
    site: str = "store"


# -- how a state is reached -------------------------------------------------------------------------------------------


def inject(script: str, phase: str = "ready") -> Act:
    """Opens in a browser that lacks something, or has too little of it."""

    def go(page: Page) -> None:
        page.raw.add_init_script(script)
        page.open(phase=phase)

    return go


def answered(answer: Callable[[Route], object]) -> Act:
    """Opens while the server answers otherwise than with the plane."""

    def go(page: Page) -> None:
        page.raw.route("**/api/v1/plane", answer)
        page.open(phase="failed")

    return go


def broken(route: Route) -> None:
    route.fulfill(status=500, content_type=PROBLEM, body=json.dumps({"code": "internal", "detail": "it could not be read"}))


def until_title(page: Page, begins: str) -> None:
    page.raw.goto(page.url)
    page.until(f"document.querySelector('.gate h2')?.textContent.startsWith({json.dumps(begins)})")


def loading(page: Page) -> None:
    held = "String(url).endsWith('/plane') ? new Promise(() => {}) : ask(url, how)"
    page.raw.add_init_script(f"const ask = fetch; fetch = (url, how) => ({held})")
    until_title(page, "Loading")


def busy(page: Page) -> None:
    body = json.dumps({"code": "store_busy", "detail": "the index of this store is being made (41,200 of 100,000 memories)"})
    page.raw.route("**/api/v1/plane", lambda route: route.fulfill(status=503, content_type=PROBLEM, body=body))
    until_title(page, "The index")


def wrong_token(page: Page) -> None:
    page.raw.fill("#token", "not-a-token")
    page.raw.click(".gate .primary")
    page.raw.get_by_text("did not accept").wait_for()


def whole(page: Page) -> None:
    """All of the chosen memory is in the panel."""
    page.raw.get_by_text("History from the audit log").wait_for()


def first(page: Page, *keys: str) -> None:
    page.press("j", *keys)
    page.settle()
    whole(page)


def at(heading: str) -> Act:
    def act(page: Page) -> None:
        first(page, "n")
        page.raw.locator("#desk h3", has_text=heading).first.evaluate("e => e.scrollIntoView({ block: 'start' })")

    return act


def explained(page: Page) -> None:
    first(page)
    page.raw.get_by_text("How S came about").click()
    page.raw.get_by_text("for this query").wait_for()


def chosen(name: str, then: Act = nothing) -> Act:
    """Opens on a memory that has a name here."""

    def go(page: Page) -> None:
        page.open(link(sel=known[name]))
        whole(page)
        then(page)

    return go


def button(name: str) -> Act:
    return lambda page: page.raw.get_by_role("button", name=name).first.click()


def hovered(page: Page) -> None:
    box = page.raw.locator("canvas").bounding_box()
    _, x, y = page.probe("open")[0]
    page.raw.mouse.move(box["x"] + x, box["y"] + y)
    page.until("(document.querySelector('.tip p')?.textContent ?? '…') !== '…'")


def dragged(page: Page) -> None:
    for name, by in (("theta1", -40), ("theta3", 25)):
        handle = page.raw.locator(f"[data-theta={name}] .grip")
        handle.scroll_into_view_if_needed()
        box = handle.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + 20
        page.raw.mouse.move(x, y)
        page.raw.mouse.down()
        page.raw.mouse.move(x + by, y, steps=3)
        page.raw.mouse.up()
    page.settle()


def filtering(page: Page) -> None:
    for name in ("agents", "kinds", "status"):
        page.raw.click(f"#s-{name}")
    page.raw.get_by_role("checkbox", name="semantic").check()
    page.settle()
    page.raw.locator("#f-used").scroll_into_view_if_needed()


def listed(place: int, page: Page) -> None:
    page.raw.locator(".names button").nth(place).click()
    page.raw.locator("#audit-items").wait_for()


def compared(page: Page) -> None:
    page.raw.select_option("select[aria-label='Right profile']", "digest")
    page.raw.fill("input[aria-label='Name of the profile']", "harbour")
    page.raw.get_by_text("memories rise").wait_for()


def reasoned(key: str, page: Page) -> None:
    first(page, key)
    page.raw.fill("#reason", "It was needed twice this week and stood too low.")


def differing(page: Page) -> None:
    """As if the engine had said otherwise of a few."""
    natural = "lodmem.session.tiers.natural.map((tier, i) => (i % 400 ? tier : 3 - tier))"
    page.raw.evaluate(f"lodmem.session.tiers = {{ ...lodmem.session.tiers, natural: {natural} }}")


def offline(page: Page) -> None:
    first(page)
    page.raw.context.set_offline(True)
    page.until("!lodmem.session.online")
    page.raw.fill("#query", "who left out the second column")
    page.raw.press("#query", "Enter")
    page.until("lodmem.session.notice")


def pressed(*keys: str) -> Act:
    return lambda page: page.press(*keys)


ASKING = {"q": QUERY}
NO_ROOM = "Response.prototype.arrayBuffer = () => Promise.reject(new RangeError('Array buffer allocation failed'))"
NO_CARD = "HTMLCanvasElement.prototype.getContext = () => null"
STATES = (
    State("loading", loading),
    State("busy", busy),
    State("empty", partial(Page.open, phase="empty"), site="empty"),
    State("empty-space", lambda page: page.open(link(space="nowhere/at/all"), phase="empty")),
    State("token", partial(Page.open, phase="token"), site="closed"),
    State("token-wrong", partial(Page.open, phase="token"), wrong_token, site="closed"),
    State("failed", answered(broken)),
    State("failed-offline", answered(lambda route: route.abort())),
    State("failed-address", lambda page: page.open(link(space="../"), phase="failed")),
    State("too-large", inject(NO_ROOM, "failed")),
    State("no-webgl", inject(NO_CARD), first),
    State("first", {}),
    State("query", ASKING),
    State("query-eye", {"view": "eye"}, lambda page: page.ask("release signing key")),
    State("query-exclude", {"q": "the release signing key", "x": "hardware token"}),
    State("query-nonsense", {"q": "zzz qqq xyzzy"}),
    State("read-only", ASKING, first, site="read"),
    State("budget", ASKING | {"b": 800}, first),
    State("nothing", {"tag": "no-such-tag"}),
    State("hover", ASKING, hovered),
    State("memory", ASKING, first),
    State("memory-formula", ASKING, explained),
    State("memory-neighbours", ASKING, at("True neighbours")),
    State("memory-provenance", ASKING, at("Provenance")),
    State("memory-opened", ASKING | {"view": "map"}, lambda page: first(page, "Enter")),
    *(State(f"text-{name}", chosen(name)) for name in TEXTS),
    State("text-long-whole", chosen("long", button("characters"))),
    *(State(name, chosen(name)) for name in ("pinned", "held", "superseded", "masked")),
    State("conflict", chosen("conflict", lambda page: page.raw.locator(".conflict").scroll_into_view_if_needed())),
    State("conflict-deciding", chosen("conflict", button("Newer stands"))),
    *(State(name, ASKING, partial(reasoned, key)) for name, key in (("promote", "u"), ("pin", "p"), ("demote", "d"))),
    *(State(f"camera-{view}", ASKING | {"view": view}) for view in ("eye", "elevation", "map")),
    State("thresholds", ASKING, dragged),
    State("filters", {}, filtering),
    State("time-ahead", ASKING | {"at": 120}),
    State("time-back", ASKING | {"at": -200}, first),
    State("time-before", {"at": -3000}),
    *(State(f"audit-{name}", {"tab": "audit"}, partial(listed, place)) for place, name in enumerate(LISTS)),
    State("profiles", ASKING | {"tab": "profiles"}, compared),
    State("help", {}, pressed("?")),
    State("agreement", ASKING, lambda page: page.raw.click("#agreement")),
    State("differing", ASKING, differing),
    State("differing-list", ASKING, lambda page: (differing(page), page.raw.click("#agreement"))),
    State("table", ASKING, pressed("t", "j")),
    State("table-hidden", ASKING, pressed("t", "t")),
    State("link-old", {"rev": 1}),
    State("focus", {}, pressed("/", *["Tab"] * 9)),
    State("offline", ASKING, offline),
)


# -- the pictures -----------------------------------------------------------------------------------------------------


def take(browser: Browser, state: State, url: str, path: Path, *, eyes: str, **context: Any) -> None:
    with browser.new_context(reduced_motion="reduce", **context) as opened_context:
        page = Page(opened_context.new_page(), url)
        if eyes:
            opened_context.new_cdp_session(page.raw).send("Emulation.setEmulatedVisionDeficiency", {"type": eyes})
        if callable(state.start):
            state.start(page)
        else:
            page.open(link(**state.start))
        state.act(page)
        page.eval("() => document.fonts.ready.then(() => true)")
        page.probe("frames", 4)
        page.raw.screenshot(path=path, full_page=context["viewport"]["width"] < 860)


def matches(asked: str, name: str) -> bool:
    return name.startswith(asked) if asked[-1:] in ("", "-") else name == asked


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--only", default="", help="names of states, with commas between; 'audit-' is all that begin so")
    parser.add_argument("--theme", choices=("dark", "light"), action="append")
    parser.add_argument("--size", action="append", help=f"default: {', '.join(SIZES)}")
    parser.add_argument("--eyes", default="", help="as others see it: protanopia, deuteranopia, tritanopia, achromatopsia")
    options = parser.parse_args()
    wanted = [state for state in STATES if any(matches(name, state.name) for name in options.only.split(","))]
    missing = 0
    with sites(options.folder / ".stores") as addresses, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS), timeout=120_000)
        for size, theme, state in product(options.size or SIZES, options.theme or ("dark", "light"), wanted):
            path = options.folder / f"{'-'.join(filter(None, (state.name, theme, size, options.eyes)))}.png"
            width, height = map(int, size.split("x"))
            look = {"color_scheme": theme, "viewport": {"width": width, "height": height}}
            try:
                take(browser, state, addresses[state.site], path, eyes=options.eyes, **look)
            except (AssertionError, Error) as error:
                missing += 1
                print(f"{path.name}: {str(error).splitlines()[0]}", file=sys.stderr)
            else:
                print(path, flush=True)
        browser.close()
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
