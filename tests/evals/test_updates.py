from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lodmem.errors import BadParameter
from lodmem.evals.formats import load_any
from lodmem.evals.runner import Plan
from lodmem.evals.updates import UpdatesReport, evaluate_updates

PLAN = Plan(embedder=None)


def line(number: int, *pairs: tuple[int | None, int | None]) -> dict[str, Any]:
    best = {f"{alpha:g}": {"older": old, "newer": new} for alpha, (old, new) in zip((1.0, 0.9), pairs, strict=True)}
    return {"question": f"q{number}", "category": "u", "best": best}


def test_shares_by_alpha() -> None:
    lines = [
        line(1, (1, 2), (2, 1)),
        line(2, (3, 2), (3, 2)),
        line(3, (None, 40), (None, 40)),
        line(4, (5, None), (5, None)),
    ]
    report = UpdatesReport(dataset="d", lines=lines, alphas=(1.0, 0.9), embedder="none", version="1", seconds=0.0)
    assert (report.newer_first(1.0), report.newer_first(0.9)) == (0.5, 0.75)
    found: dict[str, Any] = report.to_dict()
    assert (found["alpha"], found["newer_first"]) == (0.9, 0.75)
    assert found["by_alpha"]["1"]["won"] == 2
    assert found["by_alpha"]["1"]["newer_found_at_10"] == 0.5
    assert report.grids()[0].rows[1][:3] == ("0.9", "3 of 4", "75.0")
    assert len(report.plots()[0].lines["lodmem"]) == 2


def test_the_newer_fact_rises_with_time(longmemeval_file: Path, beam_file: Path) -> None:
    for path, questions in ((longmemeval_file, 1), (beam_file, 1)):
        report = evaluate_updates(load_any(path), PLAN, alphas=(1.0, 0.3))
        assert len(report.lines) == questions
        assert report.newer_first(0.3) == 1.0
        assert set(report.lines[0]["best"]["1"]) == {"older", "newer"}


def test_a_data_set_without_updates(locomo_file: Path) -> None:
    with pytest.raises(BadParameter, match="no questions about updates"):
        evaluate_updates(load_any(locomo_file), PLAN)


def test_results_are_kept(beam_file: Path, tmp_path: Path) -> None:
    plan = Plan(embedder=None, out_dir=tmp_path)
    first, second = (evaluate_updates(load_any(beam_file), plan).lines for _ in range(2))
    assert first == second
    assert first[0]["newer"] == ["3"]
