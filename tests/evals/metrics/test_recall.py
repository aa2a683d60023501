from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.evals.metrics.mean import mean
from lodmem.evals.metrics.recall import recall_at

IDS = st.lists(st.integers(0, 12), max_size=15)
GOLD = st.sets(st.integers(0, 12), min_size=1)


@pytest.mark.parametrize(
    ("ranked", "gold", "k", "expected"),
    [
        ([7, 3, 9], {3}, 1, 0.0),
        ([7, 3, 9], {3}, 2, 1.0),
        ([7, 3, 9], {3, 9, 4, 5}, 3, 0.5),
        ([7, 3, 9], {3, 9, 4}, 2, 1 / 3),
        ([7, 7, 7], {7, 8}, 3, 0.5),
        ([], {1}, 5, 0.0),
    ],
)
def test_by_hand(ranked: list[int], gold: set[int], k: int, expected: float) -> None:
    assert recall_at(ranked, gold, k) == expected


@given(IDS, GOLD, st.integers(0, 20))
def test_grows_with_k_within_bounds(ranked: list[int], gold: set[int], k: int) -> None:
    assert 0.0 <= recall_at(ranked, gold, k) <= recall_at(ranked, gold, k + 1) <= 1.0
    assert recall_at([*gold, *ranked], gold, len(gold)) == 1.0


def test_without_gold_there_is_no_recall() -> None:
    with pytest.raises(ValueError, match="gold"):
        recall_at([1], (), 5)


def test_mean_by_hand() -> None:
    assert mean([1.0, 0.5, 0.0]) == 0.5
    assert mean([]) == 0.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_mean_does_not_depend_on_order(values: list[float], rng: object) -> None:
    shuffled = list(values)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert mean(values) == mean(shuffled)
