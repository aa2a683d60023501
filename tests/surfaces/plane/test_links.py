"""The address holds what is seen: who opens it sees the same plane, and a link that the store has left behind says so."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest

from tests.surfaces.plane.conftest import Page, link, opening
from tests.surfaces.plane.scene import Scene

pytestmark = pytest.mark.req("R14.1")


def test_a_link_shows_the_same_plane_again(shared: Page, scene: Scene, browser: Any, served: str) -> None:
    shared.open()
    shared.ask(scene.asks[7])
    shared.raw.fill("#alpha", "0.55")
    shared.press("j", "3")
    shared.settle()
    shared.until("location.search.includes('view=elevation') && location.search.includes('sel=')")
    counts, selected, search = shared.counts(), shared.state("session.selected"), shared.eval("() => location.search")
    assert parse_qs(search[1:])["q"] == [scene.asks[7]]
    with opening(browser, served) as other:
        other.open(search)
        other.until("lodmem.session.hasQuery")
        other.settle()
        assert other.state("session.query") == scene.asks[7]
        assert other.counts() == counts
        assert other.state("session.selected") == selected
        assert other.state("session.view") == "elevation"
        assert other.state("session.lens.alpha") == 0.55


def test_everything_that_can_be_set_stands_in_the_address(shared: Page, scene: Scene) -> None:
    since, until = (f"{scene.now - timedelta(days=days):%Y-%m-%d}" for days in (500, 0))
    wanted = {"alpha": 0.8, "lambda": 0.02, "theta1": 0.7, "theta2": 0.4, "theta3": 0.1}
    given = {
        "q": scene.asks[0], "x": ["cats", "invoices"], "p": "research", "k": 500, "b": 900, "at": 14,
        **dict(zip(("a", "l", "t1", "t2", "t3"), wanted.values(), strict=True)),
        "space": scene.space, "agent": scene.agent, "kind": scene.kind, "status": ["active", "conflict"], "tag": scene.tag,
        "since": since, "until": until, "used": "no", "sel": scene.pinned, "view": "map", "tab": "profiles",
    }  # fmt: skip
    shared.open(link(**given))
    shared.until("lodmem.session.hasQuery")
    shared.settle()
    assert shared.state("session.lens") == wanted
    assert shared.state("session.filters") == {
        "space": scene.space, "agents": [scene.agent], "kinds": [scene.kind], "status": ["active", "conflict"],
        "tags": [scene.tag], "since": since, "until": until, "retrieved": "no",
    }  # fmt: skip
    assert shared.state("session.agreement.wrong") == []
    shared.until("location.search.includes('rev=')")
    now = parse_qs(shared.eval("() => location.search.slice(1)"))
    assert {name: now.get(name) for name in given} == {
        name: [str(each) for each in (value if isinstance(value, list) else [value])] for name, value in given.items()
    }
    # What an address says that makes no sense is as if it were absent.
    shared.open(link(a=7, t1="high", k=-3, view="moon", sel="x", at=1e9))
    assert shared.state("session.lens.alpha") == 0.9
    assert shared.state("session.view") == "orbit"
    assert shared.state("session.offset") == 0


def test_a_link_to_an_older_store_says_so_and_a_link_is_copied(shared: Page, scene: Scene) -> None:
    shared.raw.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shared.open(link(q=scene.asks[1], rev=1))
    assert "revision 1 then" in shared.text(".moved")
    shared.raw.locator(".moved button").click()
    assert shared.raw.locator(".moved").count() == 0
    shared.until("location.search.includes('q=')")
    shared.press("y")
    shared.until("lodmem.session.notice === 'Link copied.'")
    assert shared.eval("() => navigator.clipboard.readText()") == shared.raw.url
