"""The formulas in the graphics card are the engine's: 100,000 random memories, retrieval counts included."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from lodmem.lod.decay import decay
from lodmem.lod.tiers import lifted, lod_score, natural_tiers
from tests.surfaces.plane.conftest import Page

N = 100_000
NOW = 30.5
LENSES = {"balanced": (0.9, 0.03, 0.6, 0.3, 0.05), "digest": (0.1, 0.03, 0.6, 0.3, 0.05), "steep": (0.5, 0.4, 0.55, 0.5, 0.45)}


def chance(factor: int) -> np.ndarray:
    """The same numbers as in the page."""
    return ((np.arange(1, N + 1, dtype=np.uint64) * factor) % 2**32) / 2**32


@pytest.mark.req("R14.1")
@pytest.mark.parametrize("lens", LENSES)
def test_python_typescript_and_glsl_agree(shared: Page, lens: str) -> None:
    if shared.raw.url == "about:blank":
        shared.open()
    alpha, lambda_, *thetas = LENSES[lens]
    answer = shared.probe("parity", {"n": N, "now": NOW, "lens": LENSES[lens]})
    card = np.frombuffer(base64.b64decode(answer["got"]), dtype="<f4").reshape(N, 3).astype(np.float64)
    micro = np.frombuffer(base64.b64decode(answer["micro"]), dtype="<u4")
    page = np.frombuffer(base64.b64decode(answer["page"]), dtype=np.uint8)

    relevance = chance(2654435761).astype(np.float32).astype(np.float64)
    last = (NOW - chance(1597334677) ** 3 * 700).astype(np.float32).astype(np.float64)
    counts = np.floor(chance(3812015801) ** 6 * 200).astype(np.int64)
    row = np.arange(N)
    floors = np.where(chance(958689617) < 0.02, 1 + row % 3, 0).astype(np.int8)
    score = lod_score(relevance, decay(np.maximum(0.0, NOW - last), counts, lambda_), alpha)
    tier = lifted(natural_tiers(score, *thetas), floors)
    assert len(set(tier.tolist())) == 4
    assert (counts > 0).sum() > N / 3

    # The page: whole millionths, so its scores are the engine's own; numpy's power may differ from the page's in a last bit.
    assert np.abs(micro / 1e6 - score).max() <= 1e-6
    assert (micro / 1e6 != score).sum() <= 10
    gap = np.abs(score[:, None] - np.array(thetas)).min(axis=1)
    assert (gap[page != tier] <= 1e-6 + 1e-12).all()
    # The card: single precision, and no tier differs beyond 1e-6 of a threshold.
    assert np.abs(card[:, 0] - score).max() <= 1.5e-6
    assert (gap[card[:, 1] != tier] <= 1e-6 + 1e-12).all()
    # Crossing a sheet is the change of tier: a height lies in its tier's band.
    bands = np.array([0.0, 0.6, 1.6, 2.6, 3.6])
    sure = (gap > 1e-5) | (floors > 0)
    assert (card[sure, 2] >= bands[tier[sure]] - 1e-4).all()
    assert (card[sure, 2] <= bands[tier[sure] + 1] + 1e-4).all()
