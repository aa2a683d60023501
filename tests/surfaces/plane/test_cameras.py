"""Where people look from, and what is named there."""

from __future__ import annotations

import pytest

from tests.surfaces.plane.conftest import Page, link
from tests.surfaces.plane.scene import Scene

pytestmark = pytest.mark.req("R14.1")
MOST_LABELS = 200


def eye(page: Page) -> tuple[float, ...]:
    return tuple(round(x, 2) for x in page.eval("() => lodmem.plane.look.camera.position.toArray()"))


def apart(page: Page) -> int:
    """How many names are on the plane, none over another."""
    boxes = page.probe("boxes", ".label")
    over = [
        (a, b)
        for i, a in enumerate(boxes)
        for b in boxes[i + 1 :]
        if a[2] > b[0] and b[2] > a[0] and a[3] > b[1] and b[3] > a[1]
    ]
    assert over == []
    assert len(boxes) <= MOST_LABELS
    return len(boxes)


def zoom(page: Page, key: str, until: str) -> None:
    """Nearer or farther by keys, until the page says so."""
    page.raw.locator("canvas").focus()
    for _ in range(40):
        if page.eval(f"() => {until}"):
            break
        page.press(key)
        page.settle()
    assert page.eval(f"() => {until}"), until


def test_four_cameras_by_key_and_by_button(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[5]))
    eyes, beside = {}, {}
    for key, view in (("1", "orbit"), ("2", "eye"), ("3", "elevation"), ("4", "map")):
        shared.press(key)
        shared.settle()
        assert shared.state("session.view") == view
        assert shared.raw.locator(".views button[aria-pressed=true]").first.inner_text().lower() in (view, "query eye")
        eyes[view], beside[view] = eye(shared), shared.probe("beside")
        assert apart(shared) >= 2, view
    assert len(set(eyes.values())) == 4
    shared.raw.locator(".views").get_by_role("button", name="Query eye").click()
    shared.settle()
    assert eye(shared) == eyes["eye"]
    # The query's own camera stands close to where the query dropped in; the map's is above the middle.
    assert beside["eye"] < min(beside["orbit"], beside["elevation"])


def test_clusters_are_named_at_two_zoom_levels_and_no_name_covers_another(shared: Page, scene: Scene) -> None:
    shared.open(link(view="map"))
    known = shared.state("session.plane.header")
    groups, clusters = ({place["label"] for place in known[name]} for name in ("groups", "clusters"))
    assert len(clusters) > len(groups) > 1
    apart(shared)
    far = set(shared.probe("texts", ".label.group"))
    assert far
    assert far <= groups
    # From near the fine ones come first.
    zoom(shared, "+", "lodmem.plane.look.distance < 6")
    apart(shared)
    near = set(shared.probe("texts", ".label.cluster"))
    assert near
    assert near <= clusters
    zoom(shared, "-", "lodmem.plane.look.distance > 12")
    apart(shared)
    shared.press("1")
    shared.settle()
    assert {"FULL ≥ 0.60", "SUMMARY ≥ 0.30"} <= set(shared.probe("texts", ".label.sheet"))
    assert apart(shared) >= 3


def test_clusters_without_a_visible_memory_are_not_named(shared: Page, scene: Scene) -> None:
    shared.open(link(view="map"))
    crowded = shared.eval("() => [...lodmem.session.crowd].filter((n) => n > 0).length")
    shared.raw.fill("#f-tags", scene.tag)
    shared.raw.press("#f-tags", "Enter")
    shared.settle()
    assert 0 < shared.eval("() => [...lodmem.session.crowd].filter((n) => n > 0).length") < crowded
    zoom(shared, "+", "lodmem.plane.look.distance < 9")
    empty = shared.eval(
        "() => lodmem.session.plane.header.clusters.filter((_, i) => !lodmem.session.crowd[i]).map((c) => c.label)"
    )
    full = shared.eval(
        "() => lodmem.session.plane.header.clusters.filter((_, i) => lodmem.session.crowd[i]).map((c) => c.label)"
    )
    assert set(shared.probe("texts", ".label.cluster")) <= set(full)
    assert set(empty) - set(full)


def test_a_memory_is_flown_to_and_the_plane_is_turned_by_hand(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[5]))
    shared.press("1", "j")
    shared.settle()
    away = shared.probe("away")
    before = eye(shared)
    shared.press("Enter")
    shared.settle()
    assert eye(shared) != before
    assert shared.probe("away") < away
    assert shared.eval("() => document.activeElement.id") == "memory-title"
    box = shared.raw.locator("canvas").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for how in (turn, wheel):
        before = eye(shared)
        how(shared, *middle)
        shared.until("lodmem.plane.still")
        assert eye(shared) != before, how.__name__
    shared.press("1")
    shared.settle()
    chosen = shared.state("session.selected")
    shared.press("3")
    shared.settle()
    wanted, x, y = next(each for each in shared.probe("open") if each[0] != chosen)
    before = eye(shared)
    shared.raw.mouse.dblclick(box["x"] + x, box["y"] + y)
    shared.settle()
    assert shared.state("session.selected") == wanted
    assert eye(shared) != before


def turn(page: Page, x: float, y: float) -> None:
    page.raw.mouse.move(x, y)
    page.raw.mouse.down()
    page.raw.mouse.move(x + 60, y + 20, steps=3)
    page.raw.mouse.up()


def wheel(page: Page, x: float, y: float) -> None:
    page.raw.mouse.move(x, y)
    before = page.state("plane.frames")
    page.raw.mouse.wheel(0, -300)
    page.until(f"lodmem.plane.frames > {before}")


def test_lines_lead_to_the_true_neighbours(shared: Page, scene: Scene) -> None:
    shared.open(link(q=scene.asks[5], view="map"))
    assert shared.probe("lines") == 0
    shared.press("j", "n")
    shared.until("lodmem.plane.beam.lines && lodmem.plane.still")
    assert shared.state("screen.neighbours") is True
    assert shared.probe("lines") == shared.raw.locator("#desk h3", has_text="True neighbours").locator("+ ul li").count()
    shared.press("n")
    shared.until("!lodmem.plane.beam.lines")
    shared.raw.get_by_role("button", name="Neighbours", exact=True).click()
    shared.until("lodmem.plane.beam.lines")
    shared.press("n", "Escape")
    assert shared.state("session.selected") is None
