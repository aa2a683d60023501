"""Everybody can use it: axe finds nothing serious in any state, light and dark; and motion is left out where it is unwanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest

from tests.surfaces.plane.conftest import Page, opening
from tests.surfaces.plane.scene import Scene

AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Address, keys, and where to look: the rest of the page is as in the first two.
STATES = {
    "orbit": ("", (), ""),
    "memory": ("?q={ask}&b=800", ("j",), ""),
    "audit": ("?tab=audit", (), "#desk"),
    "profiles": ("?tab=profiles", (), "#desk"),
    "help": ("", ("?",), "dialog[open]"),
    "reason": ("?q={ask}", ("j", "p"), "dialog[open]"),
    "table": ("?gl=0", ("j",), "main"),
}


def serious(page: Page, within: str) -> list[tuple[str, str, list[str]]]:
    """What axe has against a part of the page as it is: theme, rule, elements. What colours cannot change is looked at once,
    contrast in both themes."""
    page.eval(AXE.read_text(encoding="utf-8") + "; undefined")
    found = []
    for theme, rules in (("dark", None), ("light", ["color-contrast"])):
        page.eval("(theme) => lodmem.screen.setTheme(theme)", theme)
        for violation in page.probe("axe", {"within": within, "rules": rules})["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = [f"{node['html'][:160]} {node.get('failureSummary', '')[:200]}" for node in violation["nodes"][:3]]
                found.append((theme, violation["id"], nodes))
    return found


@pytest.mark.req("R14.2")
@pytest.mark.skipif(not AXE.is_file(), reason="axe-core comes with npm ci in web/")
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_serious(shared: Page, scene: Scene, state: str) -> None:
    search, keys, within = STATES[state]
    shared.open(search.format(ask=quote_plus(scene.asks[0])))
    shared.press(*keys)
    shared.until("!lodmem.session.busy.size")
    if within:
        shared.until(f"document.querySelector({within!r})")
    assert serious(shared, within) == []


def test_motion_is_left_out_where_it_is_unwanted_and_there_where_it_is_not(browser: Any, served: str) -> None:
    frames = {}
    for wish in ("reduce", "no-preference"):
        with opening(browser, served, reduced_motion=wish) as page:
            page.open()
            before = page.state("plane.frames")
            page.press("4")
            page.until("!lodmem.plane.look.flying && lodmem.plane.still")
            frames[wish] = page.state("plane.frames") - before
    assert frames["reduce"] <= 2
    assert frames["no-preference"] > 2
