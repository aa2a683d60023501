"""Profiles: looked with, compared, edited, saved, replaced, used; what they lock stays locked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.surfaces.plane.conftest import Own, link, opening
from tests.surfaces.plane.scene import Scene

pytestmark = pytest.mark.req("R14.1")
LEFT, RIGHT = "select[aria-label='Left profile']", "select[aria-label='Right profile']"


def test_profiles_are_compared_saved_and_used(browser: Any, own: Own, scene: Scene) -> None:
    url, engine = own
    with opening(browser, url) as page:
        page.open(link(q=scene.asks[8], tab="profiles"))
        page.raw.select_option(RIGHT, "digest")
        page.until("document.querySelector('#desk').textContent.includes('memories rise')")
        rows = page.probe("compared")
        assert rows["α"] == ["0.9", "0.1"]
        assert rows["full"][0] != rows["full"][1]
        page.raw.fill("#alpha", "0.42")
        page.raw.fill("input[aria-label='Name of the profile']", "mine")
        page.raw.get_by_role("button", name="Save", exact=True).click()
        page.until("lodmem.session.profile.name === 'mine'")
        assert engine.profiles()["mine"].alpha == 0.42
        page.raw.fill("#theta1", "0.75")
        page.raw.fill("#k", "300")
        page.raw.press("#k", "Enter")
        page.raw.fill("input[aria-label='Name of the profile']", "mine")
        page.raw.get_by_role("button", name="Replace", exact=True).click()
        page.until("lodmem.session.profile.theta1 === 0.75")
        kept = engine.profiles()["mine"]
        assert (kept.alpha, kept.theta1, kept.k) == (0.42, 0.75, 300)
        page.settle()
        assert page.agreed() == scene.count - scene.hidden
        page.raw.select_option(RIGHT, "mine")
        page.raw.get_by_role("button", name="Make it").click()
        page.until("lodmem.session.usedProfile === 'mine'")
        assert engine.profile.name == "mine"
        assert [entry.detail["profile"] for entry in engine.audit_log(limit=10_000) if entry.verb == "use_profile"][
            -1
        ] == "mine"


def test_what_the_comparison_counts_is_what_the_profile_shows(browser: Any, own: Own, scene: Scene) -> None:
    url, _ = own
    with opening(browser, url) as page:
        page.open(link(q=scene.asks[8], tab="profiles"))
        page.raw.select_option(LEFT, "research")
        page.raw.select_option(RIGHT, "seed")
        page.until("document.querySelector('#desk').textContent.includes('memories rise')")
        rows = page.probe("compared")
        for side, name in enumerate(("research", "seed")):
            page.raw.get_by_role("button", name=f"Look with {name}").click()
            page.until(f"lodmem.session.profile.name === '{name}'")
            page.settle()
            assert page.agreed(name) > 0
            shown = [f"{count:,}" for count in page.counts()]
            assert [rows[tier][side] for tier in ("horizon", "headline", "summary", "full")] == shown


def test_what_a_profile_locks_or_bounds_cannot_be_moved(browser: Any, own: Own, scene: Scene) -> None:
    url, engine = own
    governed = replace(
        engine.profiles()["balanced"], name="governed", locked=("alpha", "budget"), bounds={"theta1": (0.5, 0.9)}
    )
    engine.save_profile(governed)
    with opening(browser, url) as page:
        page.open(link(q=scene.asks[8], p="governed"))
        assert page.raw.locator("#alpha").is_disabled()
        assert page.raw.locator("#budget").is_disabled()
        page.press("[", "[")
        assert page.state("session.lens.alpha") == 0.9
        for wished, stands in (("0.2", 0.5), ("1", 0.9)):
            page.raw.fill("#theta1", wished)
            assert page.state("session.lens.theta1") == stands
        page.settle()
        assert page.state("session.agreement.wrong") == []
        page.raw.select_option("select[aria-label=Profile]", "balanced")
        page.until("lodmem.session.profile.name === 'balanced'")
        assert page.raw.locator("#alpha").is_enabled()
