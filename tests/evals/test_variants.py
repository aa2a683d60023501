from __future__ import annotations

import json

import pytest

from lodmem.evals.variants import NUMBER, Measure, VariantsReport, recall


def report() -> VariantsReport:
    return VariantsReport(
        dataset="made up",
        what="who runs",
        head="runner",
        measures=[Measure("won", "won"), Measure("steps", "steps", NUMBER)],
        rows={"hare": {"won": 1 / 3, "steps": 1234.56}, "tortoise": {"won": 2 / 3, "steps": 7.0}},
        questions=3,
        embedder="none",
        version="1",
        seconds=2.345,
        half="tune",
        told=["uphill"],
    )


def test_plain_values() -> None:
    found = json.loads(json.dumps(report().to_dict()))
    assert found["variants"]["hare"] == {"won": 0.3333, "steps": 1234.56}
    assert (found["dataset"], found["questions"], found["half"], found["seconds"]) == ("made up", 3, "tune", 2.35)


def test_a_table_has_shares_in_per_cent_and_numbers_as_they_are() -> None:
    (grid,) = report().grids()
    assert grid.head == ("runner", "won", "steps")
    assert grid.rows == (("hare", "33.3", "1,234.6"), ("tortoise", "66.7", "7.0"))
    assert grid.title == "made up: who runs, % (tune, 3 questions)"
    assert report().notes()[1:] == ["uphill"]


def test_recall_is_a_mean_over_questions_that_have_evidence() -> None:
    asked = [{"a": 1, "b": 9}, {"c": None}, {}]
    assert [recall(asked, k) for k in (1, 8, 9)] == pytest.approx([0.25, 0.25, 0.5])
    assert recall([], 5) == 0.0
