"""The benchmarks of search and opening at tiny sizes, and the page made from what they wrote."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from benchmarks.data import blocks, questions
from benchmarks.watch import timed

from benchmarks import __main__ as command
from benchmarks import open as opening
from benchmarks import page, search, stores

ROWS = 60


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def found(work: Path) -> dict[str, Any]:
    return search.run(work, ROWS, asked=4)


def test_a_store_holds_the_data_with_its_vectors(work: Path, found: dict[str, Any]) -> None:
    kept = stores.place(work, ROWS, asked=4)
    data = next(blocks(ROWS, dims=stores.DIMS))
    with kept.opened() as engine:
        stats = engine.stats()
        assert (stats.memories, stats.embedded_passages, stats.backlog) == (ROWS, ROWS, 0)
        assert [memory.full for memory in engine.expand(1, ROWS, touch=False)] == [data.texts[0], data.texts[-1]]
        for text, about in zip(kept.asked.texts, kept.asked.about.tolist(), strict=True):
            assert about + 1 in [memory_id for memory_id, *_ in engine.rank(text)[:5]]


def test_a_store_is_made_once(work: Path, found: dict[str, Any]) -> None:
    said: list[str] = []
    before = (work / f"rows-{ROWS}" / "memory.db").stat().st_mtime_ns
    stores.place(work, ROWS, say=said.append)
    assert not said
    assert (work / f"rows-{ROWS}" / "memory.db").stat().st_mtime_ns == before


@pytest.mark.slow
def test_several_blocks_are_prepared_in_order() -> None:
    rows = 5_003  # one block and three memories of the next
    prepared = [made.draft.full for batch, _ in stores._prepared(rows, 0) for made in batch]
    assert prepared == [text for block in blocks(rows, dims=stores.DIMS) for text in block.texts]


def test_search_has_all_its_figures(found: dict[str, Any]) -> None:
    assert found["rows"] == ROWS
    assert found["exact"] is True
    assert found["checked"] == 4
    for name in ("cpu_ms_p50", "scan_ms_p50", "bandwidth_bound_ms", "search_cpu_ms_p50", "search_unbounded_cpu_ms_p50"):
        assert found[name] > 0


def test_the_chosen_are_the_best_and_a_fifth_by_relevance() -> None:
    everything = [(number, 1.0 - number / 100, number / 100) for number in range(1, 21)]
    assert [memory_id for memory_id, *_ in search.chosen(everything, 10)] == [1, 2, 3, 4, 5, 6, 7, 8, 19, 20]
    assert search.chosen(everything[:5], 10) == everything[:5]


def test_a_wrong_ranking_is_not_called_exact(work: Path, found: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    kept = stores.place(work, ROWS, asked=4)
    monkeypatch.setattr(search, "K", 10)
    with kept.opened() as engine:
        assert search.exact(engine, kept, 2)
        monkeypatch.setattr(search, "chosen", lambda everything, k: everything[1 : k + 1])
        assert not search.exact(engine, kept, 2)


def test_opening_is_measured_in_processes_of_their_own(work: Path, found: dict[str, Any]) -> None:
    told = opening.run(work, ROWS, repeats=1)
    without = told["without_side_file"]
    assert without["words_only"] is False
    assert 0 < without["first_answer_cpu_ms"] <= without["whole_answer_cpu_ms"]


def test_the_command_keeps_results_and_writes_the_page(
    work: Path, found: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, written = tmp_path / "results.json", tmp_path / "page.md"
    places = ["--work", str(work), "--results", str(results), "--page", str(written), "--picture", str(tmp_path / "p.svg")]
    assert command.main(["search", "--rows", str(ROWS), "--json", *places]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"] == ROWS
    assert {"cpu", "cores"} <= told["machine"].keys()
    assert "numpy" in told["versions"]
    assert json.loads(results.read_text())["search"][str(ROWS)]["exact"] is True
    assert command.main(["page", *places]) == 0
    assert f"| {ROWS} |" in written.read_text()
    assert not (tmp_path / "p.svg").exists()  # one size makes no line


def results_of(found: dict[str, Any]) -> dict[str, Any]:
    larger = {**found, "rows": 1_000, "exact": False}
    one = {"words_only": True, **{f"{a}_answer_{k}_ms": 12.3456 for a in ("first", "whole") for k in ("cpu", "wall")}}
    opened = {"rows": ROWS, "side_file_mb": 1.5, "with_side_file": {**one, "words_only": False}, "without_side_file": one}
    return {
        "machine": {"cpu": "a cpu", "cores": 2, "memory_gb": 8, "python": "3.11", "load": 0.1},
        "versions": {"numpy": "2"},
        "search": {"1000": larger, str(ROWS): found},
        "open": {str(ROWS): opened},
        "write": {str(ROWS): {"rows": ROWS, "cpu_ms_p50": 1.5}},
    }


def test_the_page_has_a_row_a_size_and_says_what_is_not_exact(found: dict[str, Any]) -> None:
    text = page.page(results_of(found))
    rows = [line for line in text.splitlines() if line.startswith(("| 60", "| 1,000"))]
    assert [row.split(" | ")[0] for row in rows] == ["| 60", "| 1,000", "| 60", "| 60", "| 60"]
    assert "yes, 4 checked" in rows[0]
    assert "NO, 4 checked" in rows[1]
    assert "1.5 MB" in rows[2]
    assert page.PICTURE in text


def test_figures_of_another_machine_name_it(found: dict[str, Any]) -> None:
    results = results_of(found)
    other = results["machine"] | {"cpu": "another cpu", "load": 9.5}
    results["write"] = {str(ROWS): {**results["write"][str(ROWS)], "machine": other}}
    text = page.page(results)
    assert "Machine: a cpu" in text
    assert text.count("On another machine: another cpu, 2 cores, 8 GB, load 9.5.") == 1
    results = {**results, "search": {}, "open": {}}
    assert "Machine: another cpu" in page.page(results)
    assert "On another machine" not in page.page(results)


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_the_picture_is_the_same_each_time(found: dict[str, Any], tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        page.draw(results_of(found), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert b"ranking, k = 1,000" in (tmp_path / "one.svg").read_bytes()


def test_sizes_are_numbers_from_one_on() -> None:
    assert command.sizes("100_000,10,10") == [10, 100_000]
    with pytest.raises(ValueError, match="0"):
        command.sizes("0,5")


def test_a_watch_notes_every_run() -> None:
    watch = timed([lambda: None] * 3)
    assert len(watch.cpu) == len(watch.wall) == 3


def test_questions_are_known_to_the_embedder() -> None:
    asked = questions(ROWS, 3, dims=stores.DIMS)
    given = stores.Known(asked).embed([asked.texts[2], "anything else"])
    assert (given[0] == asked.vectors[2]).all()
    assert (given[1] == asked.vectors[0]).all()
