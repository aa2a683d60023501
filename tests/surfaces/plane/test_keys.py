"""Everything by keyboard: what each key does, that Tab reaches everything, and a day's work without a mouse."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lodmem.model.memory import Tier
from tests.surfaces.plane.conftest import Own, Page, link, opening
from tests.surfaces.plane.scene import Scene

pytestmark = pytest.mark.req("R14.2")
CANVAS = "document.querySelector('canvas')"
FOCUS = "document.activeElement"
# Before it is a key; after it what the page then says. Names as on the page, where they differ from the keyboard's own.
NAMES = {"Esc": "Escape", "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", "−": "-", "Space": " "}
ANYWHERE = (
    ("/", f"{FOCUS}.id === 'query'"),
    ("Escape", f"{FOCUS}.id !== 'query'"),
    ("j", "session.selectedRow === probes.best()[0]"),
    ("j", "session.selectedRow === probes.best()[1]"),
    ("k", "session.selectedRow === probes.best()[0]"),
    ("Enter", f"{FOCUS}.id === 'memory-title'"),
    ("1", "session.view === 'orbit'"),
    ("2", "session.view === 'eye'"),
    ("3", "session.view === 'elevation'"),
    ("4", "session.view === 'map'"),
    ("[", "session.lens.alpha === 0.88"),
    ("]", "session.lens.alpha === 0.9"),
    (".", "session.lens.lambda > 0.0305"),
    (",", "Math.abs(session.lens.lambda - 0.03) < 5e-4"),
    ("{", "session.lens.theta1 === 0.58"),
    ("}", "session.lens.theta1 === 0.6"),
    (">", "session.offset === 7"),
    ("<", "session.offset === 0"),
    ("<", "session.offset === -7"),
    ("0", "session.offset === 0"),
    ("u", "screen.reason === 'promote'"),
    ("Escape", "screen.reason === null"),
    ("p", "screen.reason === 'pin'"),
    ("Escape", "screen.reason === null"),
    ("d", "screen.reason === 'demote'"),
    ("Escape", "screen.reason === null"),
    ("n", "screen.neighbours"),
    ("n", "!screen.neighbours"),
    ("t", f"{CANVAS}.clientHeight < 10"),
    ("t", "document.querySelector('.table-grid') === null"),
    ("t", f"document.querySelector('.table-grid') && {CANVAS}.clientHeight > 100"),
    ("l", "screen.theme === 'light'"),
    ("l", "screen.theme === 'dark'"),
    ("y", "session.notice.includes('copy') || session.notice.includes('copied')"),
    ("g", f"{FOCUS}.matches('canvas')"),
)
# On the plane itself: what changes.
ON_PLANE = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "+", "-")


def test_every_key_does_what_the_help_says(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[2]))
    for key, then in ANYWHERE:
        shared.press(key)
        try:
            shared.until(f"((session, screen) => {then})(lodmem.session, lodmem.screen)")
        except AssertionError as error:
            raise AssertionError(f"{key}: {then}") from error
    shared.settle()
    for key in ON_PLANE:
        before = shared.eval("() => lodmem.plane.look.camera.position.toArray()")
        shared.press(key)
        assert shared.eval("() => lodmem.plane.look.camera.position.toArray()") != before, key
    shared.press(" ")
    shared.until("lodmem.session.offset > 0")
    shared.press(" ")
    shared.until("!lodmem.session.playing")
    shared.press("0", "g")
    assert shared.eval(f"() => {FOCUS}.matches('.table-grid')")
    shared.press("Escape")
    assert shared.state("session.selected") is None
    shared.press("?")
    shared.until("lodmem.screen.help")
    shown = {NAMES.get(key, key) for key in shared.probe("texts", "dialog[open] kbd")}
    assert shown == {key for key, _ in ANYWHERE} | set(ON_PLANE) | {" ", "?"}
    shared.press("Escape")
    shared.until("!document.querySelector('dialog[open]')")


@pytest.mark.parametrize("tab", ["memory", "audit", "profiles"])
def test_tab_reaches_everything_that_can_be_used(shared: Page, scene: Scene, tab: str) -> None:
    shared.open(link(q=scene.asks[2], x="tea", tab=tab, sel=scene.pinned))
    shared.until("document.querySelectorAll('#desk :is(button, select)').length > 2 && !lodmem.session.busy.size")
    shared.settle()
    shared.eval("() => { document.activeElement.blur(); window.reached = new Set(); }")
    for _ in range(40):
        for _ in range(12):
            shared.press("Tab")
            shared.eval("() => { window.reached.add(document.activeElement); }")
        if shared.eval("() => probes.unreached().length === 0"):
            break
    assert shared.probe("unreached") == []
    # Of tabs, as of radio buttons, one stands for all: the arrows go on from there.
    shared.raw.locator(f"#tab-{tab}").focus()
    shared.press("ArrowRight")
    following = {"memory": "audit", "audit": "profiles", "profiles": "memory"}[tab]
    assert shared.state("session.tab") == following
    assert shared.eval(f"() => {FOCUS}.id") == f"tab-{following}"


def typed(page: Page, text: str) -> None:
    page.raw.keyboard.type(text)


def tab_to(page: Page, condition: str) -> None:
    """Tab by Tab, until the element that has the focus is the one."""
    for _ in range(150):
        if page.eval(f"() => {{ const e = {FOCUS}; return {condition}; }}"):
            return
        page.press("Tab")
    raise AssertionError(f"no Tab led to {condition}")


def test_a_days_work_without_a_mouse(browser: Any, own: Own, scene: Scene) -> None:
    url, engine = own
    with opening(browser, url) as page:
        page.open()
        page.press("/")
        typed(page, scene.asks[4])
        page.press("Enter")
        page.until("lodmem.session.hasQuery")
        page.settle()
        # A filter, a threshold on the histogram, a budget.
        everything = page.agreed()
        tab_to(page, "e.id === 's-kinds'")
        page.press("Enter")
        tab_to(page, f"e.type === 'checkbox' && e.parentElement.textContent.trim() === {json.dumps(scene.kind)}")
        page.press(" ")
        page.settle()
        assert 0 < page.agreed() < everything
        page.press(" ")
        tab_to(page, "e.dataset.theta === 'theta1'")
        page.press("PageUp", "ArrowRight", "ArrowRight")
        assert page.state("session.lens.theta1") == 0.72
        tab_to(page, "e.id === 'budget'")
        typed(page, "2000")
        page.press("Enter")
        page.settle()
        assert page.state("session.tiers.header.account.requested") == 2000
        # The table, a memory, a floor with its reason.
        tab_to(page, "e.matches('.table-grid')")
        page.press("ArrowDown", "ArrowDown", "Enter")
        chosen = page.state("session.selected")
        assert page.eval(f"() => {FOCUS}.id") == "memory-title"
        page.press("p")
        page.until(f"{FOCUS}.id === 'reason'")
        typed(page, "needed every morning")
        tab_to(page, "e.matches('dialog .primary')")
        page.press("Enter")
        page.until("lodmem.session.current.floor[lodmem.session.selectedRow] === 3 && !lodmem.screen.reason")
        assert engine.expand(chosen, touch=False)[0].floor is Tier.FULL
        # An audit list.
        tab_to(page, "e.id === 'tab-memory'")
        page.press("ArrowRight")
        page.until("document.querySelectorAll('.names button').length > 5")
        tab_to(page, "e.textContent === 'Held up by a floor'")
        page.press("Enter")
        page.until(f"[...document.querySelectorAll('#audit-items .id')].some((e) => e.textContent === '#{chosen}')")
        # What differs, if anything.
        tab_to(page, "e.id === 'agreement'")
        page.press("Enter")
        page.until("document.querySelector('dialog[open]')?.textContent.includes('All agree')")
        page.press("Escape")
        page.until("!document.querySelector('dialog[open]')")
