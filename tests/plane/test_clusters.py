"""Clusters: islands are found, the levels nest, and their numbers stay within bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lodmem.plane.clusters import MOST_COARSE, MOST_FINE, clustered, counts


def spots(centres: np.ndarray, each: int, seed: int = 0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return np.concatenate([c + 0.03 * chance.standard_normal((each, 2)) for c in centres]).astype(np.float32)


def test_islands_are_clusters() -> None:
    centres = np.array([[-0.8, -0.8], [-0.8, 0.8], [0.8, -0.8], [0.8, 0.8], [0.0, 0.0]])
    at = spots(centres, 120)
    fine, coarse = clustered(at)
    island = np.repeat(np.arange(5), 120)
    assert all(len(set(island[coarse == number].tolist())) == 1 for number in set(coarse.tolist()))
    assert all(len(set(island[fine == number].tolist())) == 1 for number in set(fine.tolist()))


@settings(max_examples=40)
@given(count=st.integers(0, 300), seed=st.integers(0, 99), grain=st.sampled_from([1.0, 0.25, 1e-3]))
def test_fine_clusters_lie_whole_in_coarse_ones(count: int, seed: int, grain: float) -> None:
    at = np.random.default_rng(seed).uniform(-1, 1, (count, 2))
    at = (np.round(at / grain) * grain).astype(np.float32)  # many equal places
    fine, coarse = clustered(at)
    assert len({(f, c) for f, c in zip(fine.tolist(), coarse.tolist(), strict=True)}) == len(set(fine.tolist()))
    assert set(fine.tolist()) == set(range(len(set(fine.tolist())))), "numbers have no gap"
    assert np.all(np.diff(np.bincount(fine)) <= 0), "larger ones first"
    most_fine, most_coarse = counts(count)
    assert len(set(fine.tolist())) <= most_fine
    assert len(set(coarse.tolist())) <= most_coarse


@pytest.mark.parametrize("landmarks", [0, 1, 30, 400, 4000, 10**6])
def test_there_are_never_too_many_to_name(landmarks: int) -> None:
    fine, coarse = counts(landmarks)
    assert 1 <= coarse <= fine
    assert fine + coarse <= MOST_FINE + MOST_COARSE <= 200
