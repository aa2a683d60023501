"""100,000 memories: what is sent stays small, the first picture comes soon, and everything still agrees."""

from __future__ import annotations

from typing import Any

import pytest

from tests.surfaces.plane.conftest import opening
from tests.surfaces.plane.made import Made, stand_in

N = 100_000


@pytest.mark.slow
@pytest.mark.req("R14.1")
def test_a_hundred_thousand_memories(browser: Any, served: str) -> None:
    made = Made(N)
    assert len(made.plane()) < 3_000_000
    with opening(browser, served) as page:
        stand_in(page.raw, made)
        page.open()
        assert page.state("session.measured.visible") == N
        agreement = page.state("session.agreement")
        assert (agreement["compared"], agreement["wrong"]) == (N, [])
        page.ask("the first island")
        assert page.state("session.agreement.wrong") == []
        sent = page.state("plane.points.uploaded")
        for value in ("0.7", "0.4"):
            page.raw.fill("#alpha", value)
        page.settle()
        assert page.state("plane.points.uploaded") == sent
        assert page.state("session.agreement.wrong") == []
        assert page.raw.locator(".label").count() <= 200
        page.press("3", "j")
        page.settle()
        assert page.probe("missed", page.state("session.selectedRow")) < 1.5
        assert page.raw.locator(".table-grid .row").count() < 60
