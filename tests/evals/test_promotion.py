from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lodmem
from lodmem.errors import StorePathError
from lodmem.evals.marks import entries, marks_of
from lodmem.evals.promotion import SUPERSEDED, evaluate_promotion
from lodmem.evals.promotion_report import Fate, Found, PromotionReport, Week
from lodmem.evals.runner import Plan
from lodmem.evals.year import WEEKS
from lodmem.model.profile import PRESETS
from tests.conftest import FakeEmbedder
from tests.evals.test_year import invented

PLAN = Plan(embedder=None)


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> tuple[PromotionReport, Path]:
    work = tmp_path_factory.mktemp("work")
    plan = Plan(embedder=None, work_dir=work, seed=4)
    return evaluate_promotion(
        invented(cases=6, sessions=6), plan, queries=150, budget=300, promote_at=0.9
    ), work / "promotion.db"


def test_a_year_is_lived_through(year: tuple[PromotionReport, Path]) -> None:
    report, path = year
    assert (len(report.fates), len(report.weeks)) == (72, WEEKS)
    assert sum(sum(fate.asked) for fate in report.fates) == 150
    assert report.weeks[0].memories < report.weeks[-1].memories == 72 + len(report.superseded)
    retrieved = [week.retrieved for week in report.weeks]
    assert retrieved[0] < retrieved[-1]
    for fate in report.fates:
        assert list(fate.retrievals) == sorted(fate.retrievals)
        assert len(fate.retrievals) == len(fate.asked) == 4
    with lodmem.open(path, embedder="none", background=False, read_only=True) as engine:
        assert engine.stats().memories == 72 + len(report.superseded)
        log = list(entries(engine))
    assert sum(entry.verb == "search" for entry in log) == 150
    assert len(marks_of(log)) <= sum(entry.verb == "expand" for entry in log) == pytest.approx(report.expanded, abs=60)


def test_what_is_asked_for_stays_sharper_than_what_is_not(year: tuple[PromotionReport, Path]) -> None:
    values: dict[str, Any] = year[0].to_dict()
    groups = values["groups"]
    assert groups["never retrieved"]["memories"] > 0
    assert groups["asked for in the last quarter"]["decay"] > groups["never retrieved"]["decay"]
    assert groups["all"]["memories"] == 72 - values["superseded"]["memories"]
    assert values["retrievals_a_query"]["by_search"] > 0


def test_superseded_facts_do_not_rise(year: tuple[PromotionReport, Path]) -> None:
    report = year[0]
    assert 0 < len(report.superseded) <= SUPERSEDED
    assert report.risen == 0
    assert report.superseded_looks > 0


def test_use_does_not_change_what_relevance_alone_finds(year: tuple[PromotionReport, Path]) -> None:
    report = year[0]
    assert all(min(q.relevance, q.unused, q.used) >= 0.0 for q in report.found)
    assert sum(q.lately for q in report.found) > 0
    assert {q.last_asked for q in report.found} >= {3, None}


def test_the_same_seed_lives_the_same_year(tmp_path: Path) -> None:
    plan = Plan(embedder=FakeEmbedder(), cache_dir=tmp_path, seed=7)
    first, second = (evaluate_promotion(invented(), plan, queries=25, budget=300) for _ in range(2))
    assert first.fates == second.fates
    assert first.found == second.found
    assert first.embedder == "fake@1/16"


def test_promote_at_decides_what_counts_as_retrieved() -> None:
    eager, never = (evaluate_promotion(invented(), PLAN, queries=25, budget=300, promote_at=at) for at in (0.0, 1.0))
    assert eager.promoted > 25
    assert never.promoted == 0
    assert eager.profile.promote_at == 0.0


def test_the_meter_reaches_its_end() -> None:
    told: list[tuple[str, int, int]] = []
    plan = Plan(embedder=None, progress=lambda what, done, total: told.append((what, done, total)))
    evaluate_promotion(invented(), plan, queries=10, budget=300)
    assert told[-1][1:] == (34, 34)
    assert {what for what, _, _ in told} == {"remembering", "asking"}


def test_a_work_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorePathError, match="no store can be kept"):
        evaluate_promotion(invented(), Plan(embedder=None, work_dir=tmp_path / "file"), queries=5)


# -- the report -----------------------------------------------------------------------------------------------------------


def fate(
    asked: tuple[int, ...], retrievals: tuple[int, ...], decay: float, above: int, last: int, was: int | None = None
) -> Fate:
    return Fate(asked=asked, retrievals=retrievals, decay=decay, last_above=above, last_asked=last, superseded_at=was)


def report() -> PromotionReport:
    fates = [
        fate((0, 0, 0, 4), (0, 0, 0, 9), 0.95, 52, 50),
        fate((3, 0, 0, 0), (3, 3, 3, 3), 0.05, 20, 10),
        fate((2, 2, 0, 0), (2, 4, 5, 6), 0.7, 52, 20),
        fate((0, 5, 0, 0), (0, 5, 5, 5), 0.1, 38, 20),
        fate((0, 0, 0, 0), (0, 0, 1, 1), 0.5, 40, 0),
        fate((0, 0, 0, 0), (0, 0, 0, 0), 0.0, 0, 0),
        fate((9, 9, 0, 0), (9, 9, 9, 9), 0.4, 30, 26, was=9),
        fate((9, 9, 0, 0), (9, 9, 9, 10), 0.6, 30, 26, was=9),
    ]
    found = [
        Found(last_asked=3, lately=3, relevance=0.5, unused=0.0, used=1.0),
        Found(last_asked=3, lately=1, relevance=0.5, unused=1.0, used=1.0),
        Found(last_asked=0, lately=0, relevance=1.0, unused=1.0, used=0.0),
        Found(last_asked=None, lately=0, relevance=1.0, unused=1.0, used=1.0),
    ]
    week = Week(memories=8, ceiling=0.125, full=0.25, summary=0.5, retrieved=0.75)
    return PromotionReport(
        dataset="d", profile=PRESETS["balanced"], queries=10, budget=500, promoted=25, expanded=4, superseded_looks=6,
        weeks=[week] * WEEKS, fates=fates, found=found, embedder="none", version="1", seconds=1.0,
    )  # fmt: skip


def test_groups_by_hand() -> None:
    groups: dict[str, Any] = report().to_dict()["groups"]  # type: ignore[assignment]
    assert [group["memories"] for group in groups.values()] == [1, 1, 3, 1, 1, 6]
    before = groups["asked for earlier, not in the last quarter"]
    assert (before["decay"], before["retrievals"], before["full"]) == (0.1, 5, pytest.approx(1 / 3, abs=1e-4))
    assert groups["all"]["ceiling"] == pytest.approx(1 / 6, abs=1e-4)


def test_what_happens_when_popularity_ends_by_hand() -> None:
    first, second, third = report().to_dict()["after_popularity"]  # type: ignore[misc]
    assert (first["memories"], first["below_summary_at_the_end"], first["weeks_until_below_summary"]["median"]) == (1, 1, 11)
    assert (second["memories"], second["retrieved_beside_others"], second["below_summary_at_the_end"]) == (2, 1, 1)
    assert second["weeks_until_below_summary"] == {"median": 19, "90%": 19.0, "most": 19}
    assert (third["memories"], third["weeks_until_below_summary"]["most"]) == (0, None)


def test_superseded_and_recall_by_hand() -> None:
    values: dict[str, Any] = report().to_dict()
    assert values["superseded"] == {"memories": 2, "retrieved_after": 1, "shown_on_request": 6, "decay": 0.5}
    assert values["at_ceiling"] == 0.125
    again = values["recall_at_10"]["searches of the last quarter, again"]
    assert (again["questions"], again["unused"], again["used"], again["gain"]["mean"]) == (4, 0.25, 1.0, 0.75)
    assert values["recall_at_10"]["asked earlier, not in the last quarter"]["gain"]["mean"] == -1.0
    assert values["recall_at_10"]["all"]["questions"] == 4


def test_tables_and_the_picture() -> None:
    shown = report()
    groups, ended, superseded, recall = shown.grids()
    assert groups.rows[0] == ("asked for in the last quarter", "1", "9", "0.95", "100.0", "100.0", "100.0")
    assert ended.rows[2] == ("quarter 3", "0", "0", "0", "-", "-", "-")
    assert superseded.rows == (("2", "6", "1", "0.50"),)
    assert recall.rows[-1][:2] == ("all", "4")
    (plot,) = shown.plots()
    assert list(plot.x) == list(range(4, WEEKS + 1, 4))
    assert all(len(line) == len(plot.x) for line in plot.lines.values())
    assert "promote_at 0.5" in " ".join(shown.notes())


def test_nothing_was_superseded() -> None:
    bare = PromotionReport(
        dataset="d", profile=PRESETS["balanced"], queries=1, budget=64, promoted=0, expanded=0, superseded_looks=0,
        weeks=[Week(memories=1, ceiling=0.0, full=0.0, summary=0.0, retrieved=0.0)],
        fates=[fate((0, 0, 0, 0), (0, 0, 0, 0), 0.0, 0, 0)], found=[], embedder="none", version="1", seconds=0.0,
    )  # fmt: skip
    values: dict[str, Any] = bare.to_dict()
    assert values["superseded"]["decay"] is None
    assert values["recall_at_10"]["all"]["questions"] == 0
    assert bare.grids()[2].rows[0][-1] == "-"
