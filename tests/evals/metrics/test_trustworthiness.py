"""Trustworthiness and recall on maps whose values can be said."""

from __future__ import annotations

import numpy as np
import pytest

from lodmem.evals.metrics.trustworthiness import faithfulness


def circle(count: int) -> np.ndarray:
    """Unit vectors round half a circle: nearness goes by their order."""
    turn = np.linspace(0, np.pi, count) ** 1.1
    return np.stack([np.cos(turn), np.sin(turn)], axis=1).astype(np.float32)


def test_a_true_map_has_one_and_one() -> None:
    rows = circle(40)
    assert faithfulness(rows, rows, 5) == pytest.approx((1.0, 1.0))


def test_a_map_that_knows_nothing_has_about_half_and_the_share_of_chance() -> None:
    chance = np.random.default_rng(0)
    rows = chance.standard_normal((400, 20)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = faithfulness(rows, chance.standard_normal((400, 2)).astype(np.float32), 10)
    assert found.trustworthiness == pytest.approx(0.5, abs=0.05)
    assert found.recall == pytest.approx(10 / 399, abs=0.02)


def test_by_hand() -> None:
    """Five on a line, k 1, two of them exchanged: 0 and 1 stand at each other's places."""
    turn = np.array([0.0, 0.1, 0.3, 0.6, 1.0])
    rows = np.stack([np.cos(turn), np.sin(turn)], axis=1).astype(np.float32)
    flat = np.array([[0.1, 0], [0.0, 0], [0.3, 0], [0.6, 0], [1.0, 0]], np.float32)
    # Neighbours shown: 0 -> 1, 1 -> 0, 2 -> 0 (truly the second), 3 -> 2, 4 -> 3.
    found = faithfulness(rows, flat, 1)
    assert found.recall == pytest.approx(4 / 5)
    assert found.trustworthiness == pytest.approx(1 - 2 / (5 * 1 * (10 - 3 - 1)) * 1)


def test_k_must_leave_somebody_outside() -> None:
    with pytest.raises(ValueError, match="half"):
        faithfulness(circle(10), circle(10), 5)
