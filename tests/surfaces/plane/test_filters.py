"""Filters and exclusions: the page narrows at once, and to the same memories as the engine."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from lodmem.engine import Engine
from tests.surfaces.plane.conftest import Page, link
from tests.surfaces.plane.scene import Scene

pytestmark = pytest.mark.req("R14.1")
LISTS = {"kind": "kinds", "status": "status", "agent": "agents"}


def narrowed(page: Page, scene: Scene, name: str) -> int:
    """How many memories are left; afterwards all are there again."""
    page.settle()
    visible = page.agreed(name)
    assert 0 < visible < scene.count - scene.hidden, name
    page.raw.get_by_role("button", name="Clear all").click()
    page.settle()
    assert page.agreed(name) == scene.count - scene.hidden
    return visible


@pytest.mark.parametrize("name", LISTS)
def test_by_kind_status_and_agent(shared: Page, scene: Scene, name: str) -> None:
    shared.open()
    column, choice = {"kind": ("kind", scene.kind), "agent": ("agent", scene.agent), "status": ("status", "superseded")}[name]
    shared.raw.click(f"#s-{LISTS[name]}")
    shared.raw.get_by_role("checkbox", name=choice, exact=True).check()
    for other in shared.state(f"session.plane.header.dictionaries.{'statuses' if name == 'status' else LISTS[name]}"):
        shared.raw.get_by_role("checkbox", name=other, exact=True).set_checked(other == choice)
    shared.settle()
    assert shared.probe("seen", column) == [choice]
    assert shared.text(f"#s-{LISTS[name]}") == choice
    assert narrowed(shared, scene, name) > (0 if name == "status" else 10)


def test_by_tag_and_by_use(shared: Page, scene: Scene, looker: Engine) -> None:
    shared.open()
    shared.raw.fill("#f-tags", scene.tag)
    shared.raw.press("#f-tags", "Enter")
    shared.settle()
    tagged = shared.eval("() => [...lodmem.session.seen].map((row) => lodmem.session.plane.id[row])")
    assert all(scene.tag in memory.tags for memory in looker.expand(*tagged[:50], touch=False))
    narrowed(shared, scene, "tag")
    used = {}
    for choice in ("yes", "no"):
        shared.raw.select_option("#f-used", choice)
        used[choice] = narrowed(shared, scene, choice)
    assert used["yes"] + used["no"] == scene.count - scene.hidden


def test_by_time(shared: Page, scene: Scene) -> None:
    shared.open()
    days = [f"{scene.now - timedelta(days=days):%Y-%m-%d}" for days in (301, 300, 201, 200)]
    parts = []
    for since, until in (("", days[0]), (days[1], days[2]), (days[3], "")):  # both days are included
        shared.raw.fill("#f-since", since)
        shared.raw.fill("#f-until", until)
        parts.append(narrowed(shared, scene, f"{since} to {until}"))
    assert sum(parts) == scene.count - scene.hidden


def test_by_space_with_those_below_it(shared: Page, scene: Scene) -> None:
    shared.open()
    sizes = {}
    for space in ("main", "main/research", scene.space):
        shared.raw.select_option("#f-space", space)
        shared.until(f"lodmem.session.plane.n < {scene.count} && lodmem.session.filters.space === '{space}'")
        shared.settle()
        assert all(name == space or name.startswith(f"{space}/") for name in shared.probe("seen", "space"))
        sizes[space] = narrowed(shared, scene, space)
        shared.until(f"lodmem.session.plane.n === {scene.count}")
    assert sizes["main"] > sizes["main/research"]


def test_filters_add_up_and_hold_for_a_query(shared: Page, scene: Scene, looker: Engine) -> None:
    shared.open(link(kind=scene.kind, agent=scene.agent, tag=scene.tag))
    shared.ask(scene.asks[4])
    assert shared.agreed() > 0
    asking: dict[str, Any] = {"kinds": scene.kind, "agents": scene.agent, "tags": scene.tag, "touch": False}
    landscape = looker.search(scene.asks[4], **asking)
    assert shared.state("session.measured.visible") == landscape.considered
    assert shared.state("session.tiers.header.counts") == dict(landscape.counts)


def test_an_excluded_word_takes_its_memories_away(shared: Page, scene: Scene, looker: Engine) -> None:
    shared.open(link(q=scene.asks[0]))
    before = shared.agreed()
    shared.press("j")
    best = shared.state("session.selected")
    word = max(re.findall(r"\b[a-z]{4,}\b", looker.expand(best, touch=False)[0].full), key=len)
    shared.raw.get_by_role("button", name="Exclude").click()
    without = shared.raw.get_by_label("Exclude, terms with commas between")
    without.fill(word)
    without.press("Enter")
    shared.until(f"lodmem.session.exclude[0] === '{word}'")
    shared.settle()
    landscape = looker.search(scene.asks[0], exclude=[word], touch=False)
    assert landscape.excluded > 0
    assert shared.state("session.tiers.header.excluded") == landscape.excluded
    assert shared.agreed() == before - landscape.excluded
    assert "An excluded term leaves it out" in shared.text("#formula")
    assert best not in shared.eval("() => [...lodmem.session.seen].map((row) => lodmem.session.plane.id[row])")
    shared.raw.get_by_role("button", name="Clear", exact=True).click()
    shared.settle()
    assert shared.agreed() == scene.count - scene.hidden
