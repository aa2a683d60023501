"""The measure of the map, on a made-up data set through the product."""

from __future__ import annotations

from pathlib import Path

import pytest

from lodmem.errors import BadParameter, ModelUnavailable
from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.evals.mapping import K, evaluate_map
from lodmem.evals.runner import Plan
from lodmem.model.memory import Draft
from tests.conftest import FakeEmbedder

TOPICS = ("kiln glass", "ferry tide", "chess gambit", "rye crust", "violin bow", "compost worms")


def dataset(count: int) -> Dataset:
    drafts = tuple(Draft(full=f"{TOPICS[n % 6]} number{n}") for n in range(count))
    labels = tuple(f"d{n}" for n in range(count))
    asked = Question(id="q", text="?", category="c", gold=("d0",))
    case = Case(id="one", drafts=drafts, labels=labels, sessions=labels, questions=(asked,), now_us=10**15)
    return Dataset(name="made up", cases=(case,), skipped=0, dropped=0)


def plan(folder: Path, **more: object) -> Plan:
    return Plan(**{"embedder": FakeEmbedder(), "cache_dir": folder / "cache", **more})  # type: ignore[arg-type]


@pytest.mark.req("R14.4")
def test_ours_is_truer_than_the_widest_directions(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    report = evaluate_map(
        dataset(150), plan(tmp_path, progress=lambda _, done, total: told.append((done, total))), memories=120
    )
    rows = report.rows
    assert rows["lodmem"]["trustworthiness"] > rows["two widest directions (PCA)"]["trustworthiness"] > 0.5
    assert rows["lodmem"]["recall"] > rows["two widest directions (PCA)"]["recall"]
    assert "(120 memories)" in report.grids()[0].title
    assert all(done <= total for done, total in told)


def test_it_needs_meaning_and_enough_memories(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="embedding model"):
        evaluate_map(dataset(99), plan(tmp_path, embedder=None))
    with pytest.raises(BadParameter, match="too few"):
        evaluate_map(dataset(99), plan(tmp_path), memories=2 * K)
