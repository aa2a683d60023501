from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.evals.budget import Spending, evaluate_budget
from lodmem.evals.budget_report import BudgetReport
from lodmem.evals.flat import Line, cut, lines_of, passing_over, whole
from lodmem.evals.kept import QUESTIONS
from lodmem.evals.locomo import load_locomo
from lodmem.evals.runner import Plan
from lodmem.models.tokenizer import WordPieceCounter

LINES = [Line(1, 50, 10), Line(2, 100, 10), Line(3, 20, 10), Line(4, 30, 10)]


@pytest.mark.parametrize(
    ("room", "count"), [(0, 0), (49, 0), (50, 1), (149, 1), (150, 2), (170, 3), (199, 3), (200, 4), (999, 4)]
)
def test_a_flat_list_ends_before_the_first_that_does_not_fit(room: int, count: int) -> None:
    assert whole(LINES, room) == count


@pytest.mark.parametrize(("room", "ids"), [(10, []), (40, [3]), (70, [1, 3]), (100, [1, 3, 4]), (200, [1, 2, 3, 4])])
def test_passing_over_takes_whatever_fits(room: int, ids: list[int]) -> None:
    assert [line.id for line in passing_over(LINES, room)] == ids


def test_a_cut_text_fits_to_the_token() -> None:
    counter = WordPieceCounter()
    text = "The ferry crosses the fjord twice a day, weather permitting, and carries the mail."
    for room in range(counter.count(text) + 2):
        part = cut(text, room, counter)
        assert text.startswith(part)
        assert counter.count(part) <= max(room, 0)
    assert cut(text, counter.count(text), counter) == text
    assert cut(text, -3, counter) == ""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with lodmem.open(tmp_path / "m.db", embedder="none", background=False) as engine:
        for number in range(6):
            engine.remember(
                f"Ferry number {number} crosses the fjord " + "in fog and rain, " * (number + 1), created_at="2023-05-01"
            )
        yield engine


def test_lines_cost_what_a_landscape_of_the_same_texts_costs(engine: Engine) -> None:
    landscape = engine.search("ferry", alpha=1.0, theta1=0.0, theta2=0.0, theta3=0.0, touch=False)
    assert landscape.counts["full"] == 6
    flat = lines_of(engine, "ferry", now_us=landscape.now_us)
    assert [line.id for line in flat.lines] == list(landscape.ids)
    assert [line.tokens for line in flat.lines] == [view.tokens for view in landscape.views]
    assert flat.overhead + sum(line.tokens for line in flat.lines) == landscape.budget.used


LONG = (
    "Ilse: The reservoir is low this year. We measured eleven metres at the dam. The heron colony moved upstream in April. "
    "Tomasz repaired the sluice with a bronze bushing from the old mill. Nobody wants to pay for dredging. "
    "The council meets again in the autumn and will hear the anglers, the mill owner and the school."
)


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    """A conversation of long turns, of which one answers."""
    turns = [
        {"speaker": "Ilse", "dia_id": f"D1:{n}", "text": f"In week {n} " + text}
        for n, text in enumerate([LONG, "the bakery sold rye. " * 30, "the tram was late. " * 40, "the choir sang. " * 50], 1)
    ]
    turns[0]["text"] = LONG
    sample = {
        "sample_id": "c",
        "conversation": {"session_1_date_time": "9:00 am on 2 March, 2022", "session_1": turns},
        "qa": [{"question": "What repaired the sluice?", "answer": "a bronze bushing", "evidence": ["D1:1"], "category": 4}],
    }
    path = tmp_path / "long.json"
    path.write_text(json.dumps([sample]))
    return path


@pytest.mark.req("R12.2")
def test_policies_at_equal_tokens(long_file: Path, tmp_path: Path) -> None:
    spending = Spending(budgets=(80, 100, 2000), units=("turn", "session"))
    plan = Plan(embedder=None, out_dir=tmp_path / "out")
    report = evaluate_budget(load_locomo(long_file), plan, spending)
    line = json.loads((tmp_path / "out" / "turn" / QUESTIONS).read_text())
    shown = line["shown"]
    assert list(shown) == [
        "landscape",
        "flat",
        "flat, last one cut",
        "flat, passing over",
        "agent, best first",
        "agent, oracle",
    ]
    for budget in ("80", "100", "2000"):
        for policy in shown:
            assert shown[policy][budget]["used"] <= int(budget), (policy, budget)
    # The turn does not fit into 100 tokens: whole texts show nothing, a landscape shows the sentence that answers.
    assert shown["flat"]["100"] == {
        "visible": 0.0,
        "summary": 0.0,
        "full": 0.0,
        "evidence": 0.0,
        "used": shown["flat"]["100"]["used"],
    }
    assert shown["landscape"]["100"]["visible"] == shown["landscape"]["100"]["evidence"] == 1.0
    assert shown["landscape"]["100"]["full"] == 0.0
    assert shown["flat, last one cut"]["100"]["visible"] == 1.0
    assert shown["flat, last one cut"]["100"]["full"] == 0.0
    for policy in shown:
        assert shown[policy]["2000"]["full"] == shown[policy]["2000"]["evidence"] == 1.0, policy
    assert report.share("session", "flat", 100, "visible") == 0.0
    assert report.share("session", "landscape", 100, "visible") == 1.0


def test_natural_tiers_leave_tokens_unspent(long_file: Path) -> None:
    plan = Plan(embedder=None)
    filled, natural = (
        evaluate_budget(load_locomo(long_file), plan, Spending(budgets=(4000,), units=("turn",), fill=fill)).lines["turn"][0]
        for fill in (True, False)
    )
    assert natural["shown"]["landscape"]["4000"]["used"] < filled["shown"]["landscape"]["4000"]["used"]


def test_an_agent_expands_evidence_that_was_shown_small(long_file: Path) -> None:
    spending = Spending(budgets=(420,), units=("turn",), fill=False)
    found = evaluate_budget(load_locomo(long_file), Plan(embedder=None), spending).lines["turn"][0]["shown"]
    assert found["agent, oracle"]["420"]["full"] >= found["agent, best first"]["420"]["full"]
    assert found["agent, oracle"]["420"]["full"] == 1.0


def test_short_turns_are_in_full_wherever_they_are(locomo_file: Path) -> None:
    report = evaluate_budget(load_locomo(locomo_file), Plan(embedder=None), Spending(budgets=(1000,), units=("turn",)))
    for policy in ("landscape", "flat"):
        assert report.share("turn", policy, 1000, "full") == 1.0, policy


def line_of(number: int, **shares: float | None) -> dict[str, Any]:
    def cell(value: float | None) -> dict[str, float | None]:
        return {"visible": value, "summary": value, "full": value, "evidence": value, "used": 90.0}

    return {"question": f"q{number}", "shown": {name: {"100": cell(value)} for name, value in shares.items()}}


def test_report_of_shares_and_leads() -> None:
    report = BudgetReport(
        dataset="d",
        lines={"turn": [line_of(1, landscape=1.0, flat=0.5), line_of(2, landscape=1.0, flat=0.0)]},
        budgets=(100,),
        fill=True,
        facing=True,
        embedder="none",
        version="1",
        seconds=1.0,
    )
    found: dict[str, Any] = json.loads(json.dumps(report.to_dict()))
    assert (found["questions"], found["budgets"]) == (2, [100])
    assert found["turn"]["landscape"]["evidence"] == {"100": 1.0}
    assert found["turn"]["flat"]["visible"] == {"100": 0.25}
    assert found["turn"]["flat"]["used"] == {"100": 90.0}
    assert found["turn"]["lead"]["full"]["100"]["mean"] == 0.75
    assert found["turn"]["lead"]["full"]["100"]["low"] == 0.5
    grids = report.grids()
    assert len(grids) == 4
    assert grids[0].rows == (("landscape", "100.0"), ("flat", "25.0"), ("landscape - flat", "+75.0"), ("95 %", "+50..+100"))
    assert len(report.plots()) == 4


def test_questions_without_words_in_their_evidence_are_not_counted_as_shown() -> None:
    lines = [line_of(1, landscape=1.0, flat=1.0), line_of(2, landscape=None, flat=None)]
    report = BudgetReport(
        dataset="d", lines={"turn": lines}, budgets=(100,), fill=True, facing=True, embedder="none", version="1", seconds=1.0
    )
    assert report.share("turn", "flat", 100, "evidence") == 1.0
