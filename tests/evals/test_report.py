from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from lodmem.evals.outcome import Outcome
from lodmem.evals.report import Report
from lodmem.evals.tables import Grid, as_markdown, on_terminal, page


def outcome(
    number: int,
    category: str,
    turns: list[int | None],
    sessions: list[int | None],
    theirs: list[int | None],
    official: list[int | None] | None = None,
) -> Outcome:
    def named(ranks: list[int | None]) -> dict[str, int | None]:
        return {f"g{i}": rank for i, rank in enumerate(ranks)}

    ours = {"turn": named(turns), "session": named(sessions)}
    if official:
        ours |= {"official turn": named(official), "official session": named(official)}
    return Outcome(
        question=f"q{number}",
        case="c",
        category=category,
        ranks={"bm25": {"turn": named(theirs), "session": named(sessions)}, "lodmem": ours},
    )


def report(**more: Any) -> Report:
    given: dict[str, Any] = {
        "dataset": "locomo",
        "outcomes": (
            outcome(1, "4", [7, 12], [1], [60, None]),
            outcome(2, "1", [1, 11, None], [2, 4], [2, 30, None]),
            outcome(3, "4", [1], [1], [1]),
        ),
        "skipped": 2,
        "dropped": 1,
        "embedder": "none",
        "version": "1.2.3",
        "seconds": 4.56789,
        "names": {"4": "single-hop"},
    }
    return Report(**(given | more))


def test_plain_values() -> None:
    found = json.loads(json.dumps(report().to_dict()))
    assert list(found)[:5] == ["dataset", "questions", "recall_at", "turn", "session"]
    recall = {"5": 0.4444, "10": 0.6111, "20": 0.8889, "50": 0.8889}
    assert found["recall_at"] == found["turn"]["recall_at"] == recall
    assert found["turn"]["any_at"] == {"5": 0.6667, "10": 1.0, "20": 1.0, "50": 1.0}
    assert found["turn"]["all_at"] == {"5": 0.3333, "10": 0.3333, "20": 0.6667, "50": 0.6667}
    assert found["turn"]["precision_at"]["10"] == 0.1
    assert found["turn"]["mrr"] == 0.7143
    assert found["session"]["recall_at"] == {"1": 0.6667, "3": 0.8333, "5": 1.0, "10": 1.0}
    low, high = found["turn"]["interval"]["recall_at"]["10"]
    assert 0.3333 <= low <= 0.6111 <= high <= 1.0
    assert found["by_category"]["1"]["questions"] == 1
    assert found["by_category"]["1"]["recall_at"] == {"5": 0.3333, "10": 0.3333, "20": 0.6667, "50": 0.6667}
    assert found["by_category"]["4"]["session"]["all_at"]["1"] == 1.0
    assert found["baselines"]["bm25"]["turn"]["recall_at"]["50"] == 0.5556
    assert found["differences"]["bm25"]["turn"]["recall_at"]["50"]["mean"] == 0.3333
    assert found["differences"]["bm25"]["session"]["recall_at"]["5"] == {"mean": 0.0, "low": 0.0, "high": 0.0}
    rest = {
        key: found[key] for key in ("skipped", "dropped_evidence", "embedder", "version", "seconds", "alpha", "half", "seed")
    }
    assert rest == {
        "skipped": 2,
        "dropped_evidence": 1,
        "embedder": "none",
        "version": "1.2.3",
        "seconds": 4.57,
        "alpha": 1.0,
        "half": "all",
        "seed": 0,
    }
    assert "official" not in found


def test_the_data_sets_own_granularity_stands_at_the_top() -> None:
    found = report(granularity="session")
    assert found.to_dict()["recall_at"] == {"1": 0.6667, "3": 0.8333, "5": 1.0, "10": 1.0}
    assert found.recall_at[5] == 1.0
    assert found.views()[0] == "session"


def test_a_question_without_evidence_in_a_view_is_not_counted_there() -> None:
    outcomes = (outcome(1, "a", [3], [1], [9], official=[2]), outcome(2, "a", [60], [9], [8]), outcome(3, "a", [], [1], [8]))
    found: dict[str, Any] = report(outcomes=outcomes).to_dict()
    assert found["questions"] == 3
    assert (found["turn"]["questions"], found["turn"]["recall_at"]["5"]) == (2, 0.5)
    assert found["official"]["turn"]["questions"] == 1
    assert found["official"]["turn"]["recall_at"]["5"] == 1.0
    assert report(outcomes=outcomes).views() == ["turn", "session", "official turn", "official session"]


def rows_of(grid: Grid) -> list[list[str]]:
    screen = io.StringIO()
    Console(file=screen, width=200).print(on_terminal(grid))
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in screen.getvalue().splitlines() if "│" in line]


def test_tables_show_per_cent_by_category_and_by_system() -> None:
    categories, turns, sessions = report().grids()
    assert rows_of(categories) == [
        ["1", "1", "33.3", "33.3", "66.7", "66.7"],
        ["4 single-hop", "2", "50.0", "75.0", "100.0", "100.0"],
        ["all", "3", "44.4", "61.1", "88.9", "88.9"],
    ]
    assert [row[0] for row in turns.rows] == ["lodmem", "bm25"]
    assert turns.rows[0][1:6] == ("3", "44.4", "61.1", "88.9", "88.9")
    assert sessions.head[:6] == ("session", "questions", "R@1", "R@3", "R@5", "R@10")
    assert {len(row) for row in turns.rows} == {len(turns.head)}


def test_notes_say_what_was_left_out() -> None:
    notes = " ".join(report().notes())
    assert "2 questions without evidence left out" in notes
    assert "1 pieces of evidence that do not exist" in notes


def test_plots_have_a_line_a_system_and_a_category() -> None:
    turns, _, categories = report().plots()
    assert turns.lines["lodmem"] == pytest.approx([44.44, 61.11, 88.89, 88.89], abs=0.01)
    assert list(categories.lines) == ["1", "4 single-hop"]


def test_no_questions_give_an_empty_report() -> None:
    empty = report(outcomes=())
    assert empty.to_dict()["questions"] == 0
    assert empty.recall_at == {5: 0.0, 10: 0.0, 20: 0.0, 50: 0.0}
    assert len(empty.grids()) == 1


def test_markdown_of_a_grid() -> None:
    grid = Grid("Two | things", ("name", "R@5"), (("a|b", "1.0"), ("all", "2.0")), strong=True)
    assert as_markdown(grid) == ("## Two | things\n\n| name | R@5 |\n| --- | ---: |\n| a\\|b | 1.0 |\n| **all** | **2.0** |\n")
    assert page("Title", ["one", "two"], ["part"]) == "# Title\n\n- one\n- two\n\npart"


def test_halves_stand_side_by_side_where_there_are_two() -> None:
    told = report(tune=frozenset({"q1", "q3"}))
    found = json.loads(json.dumps(told.to_dict()))["halves"]
    assert {name: part["questions"] for name, part in found.items()} == {"all": 3, "tune": 2, "check": 1}
    assert found["all"]["turn"]["recall_at"] == told.to_dict()["turn"]["recall_at"]  # type: ignore[index]
    assert found["check"]["turn"]["recall_at"]["10"] == 0.3333
    assert found["tune"]["session"]["all_at"]["5"] == 1.0
    (grid,) = (grid for grid in told.grids() if "half" in grid.title)
    assert [row[:2] for row in grid.rows] == [("all", "3"), ("tune", "2"), ("check", "1")]
    assert len(grid.head) == len(grid.rows[0]) == 11
    assert not any("half" in grid.title for grid in report(tune=frozenset({"q1", "q2", "q3"})).grids())
