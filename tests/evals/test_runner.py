from __future__ import annotations

import json
from pathlib import Path

import pytest

from lodmem.errors import BadParameter, StorePathError
from lodmem.evals import runner
from lodmem.evals.datasets import Dataset, Question
from lodmem.evals.kept import QUESTIONS, SETTINGS, Kept, Line
from lodmem.evals.locomo import load_locomo
from lodmem.evals.runner import Asker, Plan, content_digest, run
from lodmem.evals.stores import Opened


@pytest.fixture
def dataset(locomo_file: Path) -> Dataset:
    return load_locomo(locomo_file)


class Asked:
    """Asks by counting, and fails where it is told to."""

    def __init__(self, fail_at: int | None = None) -> None:
        self.questions: list[str] = []
        self._fail_at = fail_at

    def __call__(self, store: Opened) -> Asker:
        def ask(question: Question) -> Line:
            if len(self.questions) == self._fail_at:
                raise KeyboardInterrupt
            self.questions.append(question.id)
            return {"at": store.clock.at_us}

        return ask


def test_every_question_is_asked_in_order_at_its_time(dataset: Dataset) -> None:
    asked = Asked()
    lines = run(dataset, Plan(embedder=None), {}, asked)
    assert [line["question"] for line in lines] == asked.questions == [q.id for case in dataset.cases for q in case.questions]
    assert {line["at"] for line in lines} == {dataset.cases[0].now_us}
    assert (lines[0]["case"], lines[0]["category"]) == ("conv-900", "4")


def test_progress_counts_what_is_left(dataset: Dataset, tmp_path: Path) -> None:
    calls: list[tuple[str, int, int]] = []
    plan = Plan(embedder=None, out_dir=tmp_path / "out", progress=lambda *call: calls.append(call))
    run(dataset, plan, {}, Asked())
    done = [call[1] for call in calls]
    assert done == sorted(done)
    assert {call[2] for call in calls} == {25}
    assert calls[-1] == ("conv-901: asking", 25, 25)
    calls.clear()
    run(dataset, plan, {}, Asked())
    assert calls == []


def test_a_stopped_run_goes_on_where_it_was(dataset: Dataset, tmp_path: Path) -> None:
    plan = Plan(embedder=None, out_dir=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run(dataset, plan, {"alpha": 1}, Asked(fail_at=2))
    with (tmp_path / QUESTIONS).open("a") as file:
        file.write('{"question": "conv-900/3", "torn')
    rest = Asked()
    lines = run(dataset, plan, {"alpha": 1}, rest)
    assert rest.questions == ["conv-900/3", "conv-900/6", "conv-901/1"]
    assert [line["question"] for line in lines] == ["conv-900/1", "conv-900/2", *rest.questions]
    assert [json.loads(line) for line in (tmp_path / QUESTIONS).read_text().splitlines()] == lines


def test_a_case_with_nothing_to_ask_is_not_built(dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(embedder=None, out_dir=tmp_path)
    first = run(dataset, plan, {}, Asked())
    monkeypatch.setattr(runner, "opened", None)
    assert run(dataset, plan, {}, Asked()) == first


def test_a_larger_draw_goes_on_from_a_smaller_one(dataset: Dataset, tmp_path: Path) -> None:
    few = run(dataset, Plan(embedder=None, out_dir=tmp_path, limit=2), {}, Asked())
    more = Asked()
    lines = run(dataset, Plan(embedder=None, out_dir=tmp_path, limit=4), {}, more)
    assert len(lines) == 4
    assert len(more.questions) == 2
    assert all(line in lines for line in few)


@pytest.mark.parametrize("change", ["settings", "data", "code"])
def test_other_settings_start_anew(dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    plan = Plan(embedder=None, out_dir=tmp_path)
    run(dataset, plan, {"alpha": 1}, Asked())
    if change == "code":
        monkeypatch.setattr(runner, "of_code", lambda: "other")
    elif change == "data":
        monkeypatch.setattr(runner, "content_digest", lambda _: "other")
    again = Asked()
    run(dataset, plan, {"alpha": 0.9 if change == "settings" else 1}, again)
    assert len(again.questions) == 5
    assert len((tmp_path / QUESTIONS).read_text().splitlines()) == 5
    assert json.loads((tmp_path / SETTINGS).read_text())["embedder"] == "none"


def test_the_digest_of_a_data_set_sees_every_text(dataset: Dataset, locomo_file: Path) -> None:
    assert content_digest(load_locomo(locomo_file)) == content_digest(dataset)
    for old, new in (
        ("greyhound", "whippet"),
        ("Which dog", "Which pet"),
        ("a greyhound", "a dog"),
        ("8 February", "9 February"),
    ):
        text = locomo_file.read_text()
        other = locomo_file.with_name("other.json")
        other.write_text(text.replace(old, new))
        assert content_digest(load_locomo(other)) != content_digest(dataset), old


def test_an_unknown_half(dataset: Dataset) -> None:
    with pytest.raises(BadParameter, match="half"):
        run(dataset, Plan(embedder=None, half="third"), {}, Asked())


def test_results_are_read_back_as_they_were(tmp_path: Path) -> None:
    line = {"question": "a", "ranks": {"D1:1": None, "é": 3}, "share": 0.5}
    Kept(tmp_path, {"a": 1}).add("a", line)
    assert Kept(tmp_path, {"a": 1}).get("a") == line
    assert Kept(tmp_path, {"a": 2}).get("a") is None


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorePathError) as caught:
        Kept(tmp_path / "file", {})
    assert "--out" in caught.value.hint
