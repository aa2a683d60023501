from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lodmem
from lodmem.evals.choices import evaluate_candidates, evaluate_tiers
from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.evals.runner import Plan
from lodmem.evals.stores import QuestionClock
from lodmem.lod.decay import US_PER_DAY
from lodmem.model.memory import Draft, Source, to_datetime
from lodmem.model.profile import MAX_K, PRESETS

DAY = round(US_PER_DAY)


def boats(count: int = 30) -> Dataset:
    """One memory a day about boats; the last but one says what is asked, the last one comes after the question."""
    said = [f"Boat number {n} carries barley along the old canal." for n in range(count)]
    said[-2] = "The ferryman Anselm paints his hull in vermilion."
    drafts = tuple(Draft(full=text, created_us=n * DAY, source=Source("log", f"s{n}", 1)) for n, text in enumerate(said))
    labels = tuple(f"m{n}" for n in range(count))
    asked = {"category": "1", "now_us": (count - 2) * DAY + DAY // 2}
    questions = (
        Question(id="hull", text="What colour is the ferryman's hull?", gold=(labels[-2],), **asked),  # type: ignore[arg-type]
        Question(id="late", text=f"Boat number {count - 1}?", gold=(labels[-1],), **asked),  # type: ignore[arg-type]
    )
    case = Case(id="c", drafts=drafts, labels=labels, sessions=labels, questions=questions, now_us=count * DAY)
    return Dataset(name="boats", cases=(case,), skipped=0, dropped=0)


@pytest.mark.req("R12.3")
def test_more_candidates_hold_no_less() -> None:
    report = evaluate_candidates(boats(), Plan(embedder=None), ks=(1, 5, MAX_K), budget=200)
    assert list(report.rows) == ["1", "5", "all"]
    assert report.questions == 2
    among = [row["among"] for row in report.rows.values()]
    # What was not there yet when it was asked is never found: half of the evidence at most.
    assert among == [0.5, 0.5, 0.5]
    for row in report.rows.values():
        assert (row["visible"], row["shown"]) == (0.5, 0.5)
        assert 0 < row["tokens"] <= 200
        assert row["cpu_ms"] > 0


def test_few_candidates_lose_what_is_old_and_asked_for_in_other_words() -> None:
    data = boats()
    asked = data.cases[0].questions[0]
    elsewhere = Question(id="q", text="Anything new?", category="1", gold=("m3",), now_us=asked.now_us)
    case = Case(**{name: getattr(data.cases[0], name) for name in Case.__slots__} | {"questions": (elsewhere,)})
    report = evaluate_candidates(Dataset(name="d", cases=(case,), skipped=0, dropped=0), Plan(embedder=None), ks=(5, MAX_K))
    assert [row["among"] for row in report.rows.values()] == [0.0, 1.0]


@pytest.mark.req("R12.3")
def test_tiers_are_those_of_a_search(tmp_path: Path) -> None:
    data = boats()
    report = evaluate_tiers(data, Plan(embedder=None, work_dir=tmp_path))
    assert list(report.rows) == list(PRESETS)
    (store,) = tmp_path.glob("*/eval.db")
    questions = data.cases[0].questions
    at_us = questions[0].now_us or 0
    clock = QuestionClock(at_us)
    with lodmem.open(store, embedder="none", clock=clock, background=False, read_only=True) as engine:
        for name, row in report.rows.items():
            asking: dict[str, Any] = {"profile": name, "until": to_datetime(at_us), "touch": False}
            counts = [engine.search(question.text, **asking).counts for question in questions]
            assert [sum(one.values()) for one in counts] == [29, 29]
            assert row["candidates"] == 29
            for tier in ("full", "summary", "headline", "horizon"):
                assert row[tier] == pytest.approx(sum(one[tier] for one in counts) / 58, abs=1e-5), (name, tier)
            assert row["evidence_full"] <= row["evidence_summary"] <= row["evidence_headline"] <= 0.5


def test_presets_differ_as_they_say() -> None:
    rows = evaluate_tiers(boats(), Plan(embedder=None), profiles=("balanced", "digest")).rows
    assert rows["balanced"]["evidence_full"] == 0.5
    assert rows["digest"]["full"] > rows["balanced"]["full"], "what is recent is full however far from the question"


def test_evidence_that_is_no_memory_counts_for_nothing() -> None:
    data = boats()
    bare = Question(id="q", text="Which boat?", category="1", gold=(), gold_sessions=("m1",), now_us=20 * DAY)
    case = Case(**{name: getattr(data.cases[0], name) for name in Case.__slots__} | {"questions": (bare,)})
    only = Dataset(name="d", cases=(case,), skipped=0, dropped=0)
    assert evaluate_candidates(only, Plan(embedder=None)).questions == 0
    row = evaluate_tiers(only, Plan(embedder=None), profiles=("balanced",)).rows["balanced"]
    assert (row["candidates"], row["evidence_full"]) == (20.0, 0.0)
