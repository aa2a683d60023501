from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lodmem.errors import BadParameter
from lodmem.evals.exclusion import evaluate_exclusion
from lodmem.evals.exclusion_report import FREE, OURS, WINDOW, WORDS_ALONE, ExclusionReport, at_threshold
from lodmem.evals.runner import Plan
from lodmem.evals.topics import LOCOMO, LONGMEMEVAL, Topic
from lodmem.retrieval.exclude import THRESHOLD
from tests.conftest import FakeEmbedder

# Of five turns: one holds "glider", another is about flying too; one holds "workshop" and is about nothing of the kind.
FLYING = Topic(dataset=LOCOMO, case="conv-900", term="glider", query="Which loaf?", about=("D2:1", "D2:2"), context=("D1:3",))
WORK = Topic(dataset=LOCOMO, case="conv-900", term="workshops", query="Which loaf?", about=("D1:1",))
BEES = Topic(dataset=LONGMEMEVAL, case="q-bees", term="beehives", query="Which tram?", about=("answer_1_1", "answer_2_2"))
WORDS = Plan(embedder=None)


def counted(way: dict[str, int], *names: str) -> tuple[int, ...]:
    return tuple(way[name] for name in names)


def test_counts_are_as_by_hand(locomo_file: Path) -> None:
    report = evaluate_exclusion(WORDS, locomo_file=locomo_file, topics=[FLYING, WORK])
    flying, work = report.lines
    ours = flying["counts"][OURS]
    assert counted(ours, "about", "other", "missed", "lost", "lost_without_reason") == (2, 2, 1, 0, 0)
    assert (flying["missed"], flying["lost"]) == (["D2:2"], [])
    # The question is about the loaf: what was missed stands in the answer.
    assert ours["leaked"] == 1
    assert counted(work["counts"][OURS], "about", "other", "missed", "lost", "lost_without_reason") == (1, 4, 1, 1, 0)
    assert (work["missed"], work["lost"]) == (["D1:1"], ["D1:2"])
    assert counted(flying["window"], "shown", "leaked", "missed") == (3, 1, 1)
    free = flying["counts"][FREE]
    assert counted(free, "missed", "lost") == (2, 0)
    assert free["leaked"] >= ours["leaked"]


def test_shares_are_over_all_memories_together(locomo_file: Path) -> None:
    report = evaluate_exclusion(WORDS, locomo_file=locomo_file, topics=[FLYING, WORK])
    assert report.share("missed") == pytest.approx(2 / 3)
    assert report.share("lost") == pytest.approx(1 / 6)
    assert report.share("lost_without_reason") == 0.0
    assert report.share("leaked_share", WINDOW, report.lines[:1]) == pytest.approx(1 / 3)
    values: dict[str, Any] = report.to_dict()
    assert (values["topics"], values["missed"], values["by_dataset"]["locomo"]["topics"]) == (2, 0.6667, 2)
    assert values["interval"]["missed"]["mean"] == 0.75
    assert [topic["term"] for topic in values["by_topic"]] == ["glider", "workshops"]
    by_way, by_topic = report.grids()
    assert [row[0] for row in by_way.rows] == [OURS, WORDS_ALONE, FREE, WINDOW]
    assert by_topic.rows[-1] == ("all", "3", "6", *by_topic.rows[-1][3:])


def test_without_a_model_words_alone_are_the_product(locomo_file: Path) -> None:
    for line in evaluate_exclusion(WORDS, locomo_file=locomo_file, topics=[FLYING, WORK]).lines:
        assert line["counts"][WORDS_ALONE] == line["counts"][OURS]
        assert set(line["counts"]) == {OURS, WORDS_ALONE, FREE}


def test_the_products_own_threshold_beside_it_gives_the_same(locomo_file: Path, longmemeval_file: Path, tmp_path: Path) -> None:
    plan = Plan(embedder=FakeEmbedder(64), cache_dir=tmp_path)
    report = evaluate_exclusion(plan, locomo_file=locomo_file, longmemeval_file=longmemeval_file, topics=[FLYING, WORK, BEES])
    assert [line["category"] for line in report.lines] == [LOCOMO, LOCOMO, LONGMEMEVAL]
    for line in report.lines:
        assert line["counts"][at_threshold(THRESHOLD)] == line["counts"][OURS]
        missed = [line["counts"][at_threshold(t)]["missed"] for t in (0.4, 0.5, 0.6)]
        lost = [line["counts"][at_threshold(t)]["lost"] for t in (0.4, 0.5, 0.6)]
        assert missed == sorted(missed)
        assert lost == sorted(lost, reverse=True)
    assert report.lines[2]["counts"][OURS]["missed"] == 0
    assert len(report.grids()) == 3


def test_results_are_kept_by_data_set(locomo_file: Path, longmemeval_file: Path, tmp_path: Path) -> None:
    plan = Plan(embedder=None, out_dir=tmp_path / "out")
    files = {"locomo_file": locomo_file, "longmemeval_file": longmemeval_file}
    first, second = (evaluate_exclusion(plan, **files, topics=[FLYING, BEES]).lines for _ in range(2))
    assert first == second
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"locomo", "longmemeval"}


def test_nothing_to_measure_on(locomo_file: Path) -> None:
    with pytest.raises(BadParameter, match="no file"):
        evaluate_exclusion(WORDS)
    with pytest.raises(BadParameter, match="none of the labelled topics"):
        evaluate_exclusion(WORDS, locomo_file=locomo_file)


def test_an_empty_share_is_no_leak() -> None:
    nothing = dict.fromkeys(
        ("about", "other", "shown", "leaked", "sharp", "leaked_sharp", "missed", "lost", "lost_without_reason"), 0
    )
    line = {"category": "d", "case": "c", "term": "t", "counts": {OURS: nothing}, "window": nothing}
    report = ExclusionReport(lines=[line], threshold=0.5, embedder="none", version="1", seconds=0.0)
    assert report.share("leaked_share") == report.share("missed") == 0.0
