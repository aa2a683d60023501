"""A real conflict, found by the engine, seen and decided on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lodmem.model.conflict import ConflictState
from lodmem.model.memory import Draft, Status, to_us
from tests.conftest import FakeClock
from tests.surfaces.plane.conftest import NOW, opened, opening, serving
from tests.surfaces.plane.test_access import AXE, serious


@pytest.mark.req("R14.2")
def test_a_conflict_is_shown_with_both_sides_and_decided(browser: Any, tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db", FakeClock(NOW)) as engine:
        then, now = (NOW.replace(year=year) for year in (2025, 2026))
        older, newer = engine.remember_many(
            [
                Draft(full="The choir of the village has 22 members.", created_us=to_us(then)),
                Draft(full="The choir of the village now has 27 members.", created_us=to_us(now)),
            ]
        )
        engine.work()
        (found,) = engine.conflicts()
        assert (found.older.id, found.newer.id) == (older.id, newer.id)
        with serving(engine) as url, opening(browser, url) as page:
            page.open(f"?sel={newer.id}&gl=0")
            page.until("document.querySelector('.conflict')")
            said = page.text(".conflict")
            for part in ("open", found.conflict.detail, found.older.headline, found.newer.headline, f"#{older.id}"):
                assert part in said
            if AXE.is_file():
                assert serious(page, "main, #desk") == []
            for verdict, button, state, standing in (
                ("newer", "Newer stands", ConflictState.SUPERSEDED, newer.id),
                ("open", "Open it again", ConflictState.OPEN, None),
                ("older", "Older stands", ConflictState.SUPERSEDED, older.id),
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
                (found,) = engine.conflicts(state=None)
                assert (found.conflict.state, found.conflict.standing) == (state, standing)
                entry = [each for each in engine.audit_log(limit=10_000) if each.verb == "resolve"][-1]
                assert (entry.detail["to"], entry.detail["reason"]) == (verdict, f"counted again, {verdict}")
                if standing is not None:
                    gone = older.id if standing == newer.id else newer.id
                    assert engine.expand(gone, touch=False)[0].status is Status.SUPERSEDED
                    assert f"#{standing} stands" in page.text(".conflict")
            page.raw.locator(".conflict .side").nth(1).click()
            page.until(f"lodmem.session.selected === {older.id} && document.querySelector('.conflict')")
