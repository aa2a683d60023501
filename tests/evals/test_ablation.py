from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from lodmem.evals.ablation import FULL_RECIPE, VARIANTS, AblationReport, evaluate_ablation
from lodmem.evals.locomo import load_locomo
from lodmem.evals.run import evaluate_locomo
from lodmem.evals.runner import Plan
from lodmem.lod.relevance import Recipe


def test_variants_change_what_a_recipe_has() -> None:
    known = {field.name for field in fields(Recipe)}
    assert VARIANTS[FULL_RECIPE] == {}
    for name, changes in VARIANTS.items():
        assert set(changes) <= known
        assert name == FULL_RECIPE or any(getattr(Recipe(), key) != value for key, value in changes.items())


def test_all_parts_is_what_the_product_finds(locomo_file: Path) -> None:
    plan = Plan(embedder=None)
    ablated = evaluate_ablation(load_locomo(locomo_file), plan)
    product = evaluate_locomo(locomo_file, plan).to_dict()
    found = ablated.to_dict()
    assert found["questions"] == product["questions"]
    for k, share in product["recall_at"].items():  # type: ignore[attr-defined]
        assert found["variants"][FULL_RECIPE]["recall_at"][k] == share  # type: ignore[index]
    (grid,) = ablated.grids()
    assert [row[0] for row in grid.rows] == list(VARIANTS)


def test_shares_are_counted_by_variant() -> None:
    places = {name: {"a": 3, "b": 30} for name in VARIANTS}
    sessions = {name: {"s": 2, "t": 7} for name in VARIANTS}
    report = AblationReport(
        dataset="made up", lines=[{"turns": places, "sessions": sessions}], embedder="none", version="0", seconds=0.0
    )
    assert [report.recall(FULL_RECIPE, k) for k in (2, 5, 50)] == [0.0, 0.5, 1.0]
    assert [report.sessions_complete(FULL_RECIPE, k) for k in (5, 10)] == [0.0, 1.0]
    assert report.to_dict()["variants"][FULL_RECIPE]["recall_at"]["5"] == pytest.approx(0.5)  # type: ignore[index]
