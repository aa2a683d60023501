"""Measures of a ranking against cases worked out by hand, against ir_measures, and against what must always hold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.evals.metrics.mean import mean
from lodmem.evals.metrics.ndcg import ndcg_at
from lodmem.evals.metrics.ndcg_longmemeval import ndcg_longmemeval_at
from lodmem.evals.metrics.precision import precision_at, set_precision
from lodmem.evals.metrics.ranks import Ranks
from lodmem.evals.metrics.recall import recall_at
from lodmem.evals.metrics.recall_all import recall_all_at
from lodmem.evals.metrics.recall_any import recall_any_at
from lodmem.evals.metrics.reciprocal_rank import reciprocal_rank

RANKS = st.sets(st.integers(1, 60), min_size=1, max_size=12).flatmap(
    lambda found: st.integers(0, 3).map(lambda lost: [*sorted(found), *([None] * lost)])
)
AT = [recall_at, recall_any_at, recall_all_at, ndcg_at, ndcg_longmemeval_at]


@pytest.mark.parametrize(
    ("measure", "ranks", "k", "expected"),
    [
        (recall_at, [2], 1, 0.0),
        (recall_at, [2], 2, 1.0),
        (recall_at, [2, 3, None, None], 3, 0.5),
        (recall_at, [None], 9, 0.0),
        (recall_any_at, [4, 9], 3, 0.0),
        (recall_any_at, [4, 9], 4, 1.0),
        (recall_all_at, [4, 9], 8, 0.0),
        (recall_all_at, [4, 9], 9, 1.0),
        (recall_all_at, [1, 2, 3], 2, 0.0),
        (precision_at, [1, 3, None], 4, 0.5),
        (precision_at, [7], 5, 0.0),
        # Gains 1/log2(2) + 1/log2(4) of 1/log2(2) + 1/log2(3).
        (ndcg_at, [1, 3], 5, (1 + 1 / 2) / (1 + 1 / log2(3))),
        (ndcg_at, [6], 5, 0.0),
        (ndcg_at, [1, 2, 3], 2, 1.0),
        (ndcg_at, [2], 0, 0.0),
        # Gains 1 + 1/log2(3) of 1 + 1: rank 2 costs nothing here.
        (ndcg_longmemeval_at, [1, 3], 5, (1 + 1 / log2(3)) / 2),
        (ndcg_longmemeval_at, [2], 5, 1.0),
        (ndcg_longmemeval_at, [4], 5, 0.5),
        (ndcg_longmemeval_at, [1], 0, 0.0),
    ],
)
def test_by_hand(measure: Callable[[Ranks, int], float], ranks: Ranks, k: int, expected: float) -> None:
    assert measure(ranks, k) == pytest.approx(expected)


@pytest.mark.parametrize(("ranks", "expected"), [([1, 5], 1.0), ([4, None], 0.25), ([None], 0.0), ([3, 2], 0.5)])
def test_reciprocal_rank_by_hand(ranks: Ranks, expected: float) -> None:
    assert reciprocal_rank(ranks) == expected


@pytest.mark.parametrize(
    ("given_", "expected", "precision"),
    [
        (["a", "b"], ["a"], 0.5),
        (["a", "a"], ["a"], 1.0),
        ([], ["a"], 0.0),
        (["b"], [], 0.0),
        ([], [], None),
    ],
)
def test_precision_of_a_set_by_hand(given_: list[str], expected: list[str], precision: float | None) -> None:
    assert set_precision(given_, expected) == precision


@pytest.mark.parametrize("measure", [*AT, precision_at])
@given(RANKS, st.integers(1, 70))
def test_bounds(measure: Callable[[Ranks, int], float], ranks: list[int | None], k: int) -> None:
    assert 0.0 <= measure(ranks, k) <= 1.0 + 1e-12


@given(RANKS, st.integers(0, 70))
def test_recalls_grow_with_k_and_keep_their_order(ranks: list[int | None], k: int) -> None:
    for measure in (recall_at, recall_any_at, recall_all_at):
        assert measure(ranks, k) <= measure(ranks, k + 1)
    assert recall_all_at(ranks, k) <= recall_at(ranks, k) <= recall_any_at(ranks, k)


@pytest.mark.parametrize("measure", AT)
@given(st.integers(1, 12), st.integers(12, 20))
def test_evidence_on_top_is_perfect(measure: Callable[[Ranks, int], float], count: int, k: int) -> None:
    assert measure(list(range(1, count + 1)), k) == pytest.approx(1.0)


@pytest.mark.parametrize("measure", [*AT, precision_at])
def test_without_gold_nothing_is_defined(measure: Callable[[Ranks, int], float]) -> None:
    with pytest.raises(ValueError, match="gold"):
        measure([], 5)
    with pytest.raises(ValueError, match="gold"):
        reciprocal_rank([])


def test_precision_needs_a_place() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        precision_at([1], 0)


def test_mean_by_hand() -> None:
    assert mean([1.0, 0.5, 0.0]) == 0.5
    assert mean([]) == 0.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_mean_does_not_depend_on_order(values: list[float], rng: object) -> None:
    shuffled = list(values)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert mean(values) == mean(shuffled)


def test_against_ir_measures() -> None:
    """The reference implementation on 60 invented questions, of 1 to 6 gold items among 40 ranked ones."""
    ir_measures = pytest.importorskip("ir_measures")
    import numpy as np

    rng = np.random.default_rng(7)
    asked: list[list[int | None]] = []
    qrels, run = [], []
    for number in range(60):
        count = int(rng.integers(1, 7))
        lost = int(rng.integers(0, 3))
        found = sorted(int(rank) for rank in rng.choice(np.arange(1, 41), size=count, replace=False))
        asked.append([*found, *([None] * lost)])
        gold = [f"d{rank}" for rank in found] + [f"lost{i}" for i in range(lost)]
        qrels += [ir_measures.Qrel(str(number), document, 1) for document in gold]
        run += [ir_measures.ScoredDoc(str(number), f"d{rank}", float(100 - rank)) for rank in range(1, 41)]
    theirs = _ask(ir_measures, qrels, run)
    for k in (1, 5, 10, 20):
        for name, measure in (("R", recall_at), ("Success", recall_any_at), ("nDCG", ndcg_at), ("P", precision_at)):
            for number, ranks in enumerate(asked):
                assert measure(ranks, k) == pytest.approx(theirs[f"{name}@{k}", str(number)], abs=1e-6), (name, k, ranks)
    for number, ranks in enumerate(asked):
        assert reciprocal_rank(ranks) == pytest.approx(theirs["RR", str(number)], abs=1e-6)


def _ask(ir_measures: object, qrels: Sequence[object], run: Sequence[object]) -> dict[tuple[str, str], float]:
    names = [f"{name}@{k}" for name in ("R", "Success", "nDCG", "P") for k in (1, 5, 10, 20)] + ["RR"]
    with warnings.catch_warnings():
        # Not ours: deprecations inside the reference library.
        warnings.simplefilter("ignore")
        measures = [ir_measures.parse_measure(name) for name in names]  # type: ignore[attr-defined]
        found = list(ir_measures.iter_calc(measures, qrels, run))  # type: ignore[attr-defined]
    return {(str(one.measure), one.query_id): one.value for one in found}
