"""Everybody can use it: axe finds nothing serious in any state, light and dark; and motion is left out where it is unwanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.plane.conftest import Page, opening

AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
STATES = {
    "orbit": ("", ()),
    "memory": ("?q=oven+stone&b=800", ("j",)),
    "audit": ("?tab=audit", ()),
    "profiles": ("?tab=profiles", ()),
    "help": ("", ("?",)),
    "reason": ("?q=oven+stone", ("j", "p")),
    "table": ("?gl=0", ("j",)),
}


@pytest.mark.req("R14.2")
@pytest.mark.skipif(not AXE.is_file(), reason="axe-core comes with npm ci in web/")
def test_axe_finds_nothing_serious(shared: Page) -> None:
    found = []
    for name, (search, keys) in STATES.items():
        shared.open(search)
        shared.press(*keys)
        shared.until("!lodmem.session.busy.size")
        shared.eval(AXE.read_text(encoding="utf-8") + "; undefined")
        # What colours cannot change is looked at once, contrast in both themes.
        for theme, rules in (("dark", None), ("light", ["color-contrast"])):
            shared.eval("(theme) => lodmem.screen.setTheme(theme)", theme)
            result = shared.probe("axe", rules)
            for violation in result["violations"]:
                nodes = [(node["html"][:160], node.get("failureSummary", "")[:200]) for node in violation["nodes"][:3]]
                if violation["impact"] in ("serious", "critical"):
                    found.append((name, theme, violation["id"], nodes))
    assert found == []


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
