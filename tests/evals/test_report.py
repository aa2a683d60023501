from __future__ import annotations

import io
import json

from rich.console import Console

from lodmem.evals.report import Outcome, Report


def outcome(number: int, category: str, *recall: float) -> Outcome:
    return Outcome(question=f"q{number}", category=category, ranks={}, recall=dict(zip((5, 10, 20, 50), recall, strict=True)))


def report() -> Report:
    return Report(
        dataset="locomo",
        outcomes=(outcome(1, "4", 0, 0.5, 1, 1), outcome(2, "1", 1 / 3, 1 / 3, 1, 1), outcome(3, "4", 1, 1, 1, 1)),
        skipped=2,
        dropped=1,
        embedder="none",
        version="1.2.3",
        seconds=4.56789,
        names={"4": "single-hop"},
    )


def test_plain_values() -> None:
    found = json.loads(json.dumps(report().to_dict()))
    assert found == {
        "dataset": "locomo",
        "questions": 3,
        "recall_at": {"5": 0.4444, "10": 0.6111, "20": 1.0, "50": 1.0},
        "by_category": {
            "1": {"questions": 1, "recall_at": {"5": 0.3333, "10": 0.3333, "20": 1.0, "50": 1.0}},
            "4": {"questions": 2, "recall_at": {"5": 0.5, "10": 0.75, "20": 1.0, "50": 1.0}},
        },
        "skipped": 2,
        "dropped_evidence": 1,
        "embedder": "none",
        "version": "1.2.3",
        "seconds": 4.57,
    }


def test_table_shows_per_cent_by_category_and_for_all() -> None:
    page = io.StringIO()
    Console(file=page, width=100).print(report().table())
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in page.getvalue().splitlines() if "│" in line]
    assert rows == [
        ["1", "1", "33.3", "33.3", "100.0", "100.0"],
        ["4 single-hop", "2", "50.0", "75.0", "100.0", "100.0"],
        ["all", "3", "44.4", "61.1", "100.0", "100.0"],
    ]
    assert "2 questions without evidence left out" in page.getvalue()


def test_no_questions_give_an_empty_report() -> None:
    empty = Report(dataset="locomo", outcomes=(), skipped=0, dropped=0, embedder="none", version="1", seconds=0.0, names={})
    assert empty.to_dict()["questions"] == 0
    assert empty.recall_at == {5: 0.0, 10: 0.0, 20: 0.0, 50: 0.0}
