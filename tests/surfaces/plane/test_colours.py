"""Colours: light and dark as people wish, and tiers that every eye can tell apart. Chromium itself stands in for the eyes."""

from __future__ import annotations

import base64
from itertools import combinations, pairwise
from typing import Any

import pytest

from tests.surfaces.plane.conftest import Page, opening

pytestmark = pytest.mark.req("R14.2")
EYES = ("none", "protanopia", "deuteranopia", "tritanopia", "achromatopsia")
# CIE 1976: a difference of 2.3 can just be noticed side by side. Points of three pixels need more.
APART, LIGHTER = 10.0, 4.0

Rgb = tuple[int, int, int]


def lab(rgb: Rgb) -> tuple[float, float, float]:
    """CIELAB of an sRGB colour under D65. Source: CIE 15, IEC 61966-2-1."""
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (part / 255 for part in rgb))
    x, y, z = 0.4124 * r + 0.3576 * g + 0.1805 * b, 0.2126 * r + 0.7152 * g + 0.0722 * b, 0.0193 * r + 0.1192 * g + 0.9505 * b
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else t * 841 / 108 + 4 / 29 for t in (x / 0.9505, y, z / 1.089))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def seen(page: Page, cdp: Any, eyes: str) -> dict[str, list[tuple[float, float, float]]]:
    """The colours of texts and of points as these eyes see them, horizon first."""
    cdp.send("Emulation.setEmulatedVisionDeficiency", {"type": eyes})
    shot = page.raw.screenshot(clip={"x": 0, "y": 0, "width": 160, "height": 20}, type="png")
    colours = [
        lab(tuple(p)) for p in page.probe("pixels", {"data": base64.b64encode(shot).decode(), "at": [*range(10, 160, 20)]})
    ]
    return {"texts": colours[:4], "points": colours[4:]}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_eye_can_tell_the_tiers_apart(shared: Page, theme: str) -> None:
    shared.open()
    shared.eval("(theme) => lodmem.screen.setTheme(theme)", theme)
    shared.settle()
    cdp = shared.raw.context.new_cdp_session(shared.raw)
    try:
        shared.probe("swatches")
        for eyes in EYES[:4]:
            for of, colours in seen(shared, cdp, eyes).items():
                for (i, one), (j, other) in combinations(enumerate(colours), 2):
                    apart = sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5
                    assert apart >= APART, (of, eyes, i, j)
        # For who sees no colour at all, points stand out the more the higher their tier is.
        light = [each[0] for each in seen(shared, cdp, "achromatopsia")["points"]]
        sign = 1 if theme == "dark" else -1
        assert all(sign * (after - before) >= LIGHTER for before, after in pairwise(light)), light
    finally:
        cdp.send("Emulation.setEmulatedVisionDeficiency", {"type": "none"})


def test_no_tier_is_told_by_its_colour_alone(shared: Page) -> None:
    shared.open()
    names = ["full", "summary", "headline", "horizon"]
    assert [row[0] for row in shared.probe("cells", "#tiers tbody tr")] == names
    assert set(shared.probe("texts", ".table-grid .row > :nth-child(2)")) <= {*names, "tier"}
    shared.press("1")
    shared.settle()
    assert {text.split()[0].lower() for text in shared.probe("texts", ".label.sheet")} <= set(names)


def test_light_or_dark_as_the_system_says_until_somebody_chooses(browser: Any, served: str) -> None:
    for wish, other in (("light", "dark"), ("dark", "light")):
        with opening(browser, served, color_scheme=wish) as page:
            page.open()
            assert page.state("screen.theme") == wish
            grounds = {wish: ground(page)}
            page.raw.get_by_role("button", name=other.capitalize(), exact=True).click()
            page.settle()
            grounds[other] = ground(page)
            for name, (page_light, canvas_light) in grounds.items():
                assert (page_light > 50, canvas_light > 50) == (name == "light",) * 2
            page.open()
            assert page.state("screen.theme") == other


def ground(page: Page) -> tuple[float, float]:
    """Lightness of the page's ground and of the plane's."""
    box = page.raw.locator("canvas").bounding_box()
    found = []
    for x, y in ((2, 48), (box["x"] + 4, box["y"] + box["height"] - 4)):
        shot = page.raw.screenshot(clip={"x": x, "y": y, "width": 2, "height": 2}, type="png")
        (pixel,) = page.probe("pixels", {"data": base64.b64encode(shot).decode(), "at": [0]})
        found.append(lab(tuple(pixel))[0])
    return found[0], found[1]
