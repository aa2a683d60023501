"""A conflict that the engine found, seen and decided on the page."""

from __future__ import annotations

from typing import Any

import pytest

from lodmem.model.conflict import ConflictState
from lodmem.model.memory import Status
from tests.surfaces.plane.conftest import Own, link, opening
from tests.surfaces.plane.scene import Scene
from tests.surfaces.plane.test_access import AXE, serious


@pytest.mark.req("R14.2")
def test_a_conflict_is_shown_with_both_sides_and_decided(browser: Any, own: Own, scene: Scene) -> None:
    url, engine = own
    found = next(each for each in engine.conflicts() if each.conflict.id == scene.conflict)
    older, newer = found.older.id, found.newer.id
    with opening(browser, url) as page:
        page.open(link(sel=newer, gl=0))
        page.until("document.querySelector('.conflict')")
        said = page.text(".conflict")
        for part in ("open", found.conflict.detail, f"#{newer}", f"#{older}"):
            assert part in said
        for side in (found.older, found.newer):
            assert " ".join(side.headline.split()) in " ".join(said.split())
        if AXE.is_file():
            assert serious(page, "main, #desk") == []
        for verdict, button, state, standing in (
            ("newer", "Newer stands", ConflictState.SUPERSEDED, newer),
            ("open", "Open it again", ConflictState.OPEN, None),
            ("older", "Older stands", ConflictState.SUPERSEDED, older),
            ("open", "Open it again", ConflictState.OPEN, None),
            ("both", "Both stand", ConflictState.BOTH_STAND, None),
        ):
            page.raw.locator(".conflict").get_by_role("button", name=button).click()
            confirm = page.raw.locator("dialog[open] .primary")
            page.until("document.activeElement.id === 'reason'")
            assert confirm.is_disabled()
            page.raw.fill("#reason", f"counted again, {verdict}")
            confirm.click()
            wanted = {"open": "open", "both": "both stand"}.get(verdict, "decided")
            page.until(f"document.querySelector('.conflict b')?.textContent === '{wanted}' && !lodmem.screen.deciding")
            page.settle()
            (dispute,) = engine.conflicts(newer, state=None)
            assert (dispute.conflict.state, dispute.conflict.standing) == (state, standing)
            entry = [each for each in engine.audit_log(limit=10_000) if each.verb == "resolve"][-1]
            assert (entry.detail["to"], entry.detail["reason"]) == (verdict, f"counted again, {verdict}")
            if standing is not None:
                gone = older if standing == newer else newer
                assert engine.expand(gone, touch=False)[0].status is Status.SUPERSEDED
                assert f"#{standing} stands" in page.text(".conflict")
        page.raw.locator(".conflict .side").nth(1).click()
        page.until(f"lodmem.session.selected === {older} && document.querySelector('.conflict')")
