from __future__ import annotations

from pathlib import Path

import pytest

from lodmem.evals.datasets import Dataset, sampled
from lodmem.evals.locomo import load_locomo


def ids(dataset: Dataset) -> list[str]:
    return [question.id for case in dataset.cases for question in case.questions]


def test_no_limit_keeps_every_question(locomo_file: Path) -> None:
    whole = load_locomo(locomo_file)
    assert ids(sampled(whole, None, seed=0)) == ids(sampled(whole, 99, seed=0)) == ids(whole)


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_keeps_order_and_repeats_for_its_seed(locomo_file: Path, seed: int) -> None:
    whole = load_locomo(locomo_file)
    few = sampled(whole, 2, seed=seed)
    assert ids(few) == ids(sampled(whole, 2, seed=seed))
    assert len(ids(few)) == 2
    assert [one for one in ids(whole) if one in ids(few)] == ids(few)
    assert all(case.questions for case in few.cases)
    assert few.skipped == whole.skipped


def test_seeds_draw_different_samples(locomo_file: Path) -> None:
    whole = load_locomo(locomo_file)
    assert len({tuple(ids(sampled(whole, 2, seed=seed))) for seed in range(12)}) > 3
