"""The page's golden vectors are those of the engine as it is."""

from __future__ import annotations

import json

import pytest

from tests.surfaces.plane import vectors

FLOATS = ("decay",)


@pytest.mark.req("R14.1")
def test_the_golden_vectors_of_the_page_are_current() -> None:
    kept, now = json.loads(vectors.FILE.read_text(encoding="utf-8")), vectors.vectors()
    # exp() may differ in its last bit between machines; scores are rounded, tiers whole.
    for old, new in zip(kept.pop("cases"), now.pop("cases"), strict=True):
        assert old.pop("decay") == pytest.approx(new.pop("decay"), abs=1e-14, rel=1e-12)
        assert old == new
    assert kept == now
