"""What is taken for a conflict in a data set, by labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.conflicts import ConflictsReport, Detected, evaluate_conflicts, load_labels
from lodmem.evals.datasets import Case, Dataset
from lodmem.evals.runner import Plan
from lodmem.model.memory import Draft, Source

LABELS = Path(__file__).parent / "data" / "conflicts.json"
DAY_US = 86_400_000_000


def dataset() -> Dataset:
    texts = ["The choir has 22 members.", "The orchestra has 40 members.", "The choir now has 27 members."]
    drafts = tuple(Draft(full=text, created_us=at * DAY_US, source=Source("talk", "", at)) for at, text in enumerate(texts))
    case = Case(id="one", drafts=drafts, labels=("a", "b", "c"), sessions=("s",) * 3, questions=(), now_us=9 * DAY_US)
    return Dataset(name="talk", cases=(case,), skipped=0, dropped=0)


def test_pairs_are_named_by_labels() -> None:
    report = evaluate_conflicts(dataset(), Plan(embedder=None), {("talk", "one", "a", "c"): True})
    assert [one.pair for one in report.found] == [("talk", "one", "a", "c")]
    assert (report.judged, report.false_rate, report.memories) == ([True], 0.0, 3)


def test_what_has_no_label_counts_in_no_share() -> None:
    found = [Detected(pair=("d", "c", str(n), "x"), reason="number") for n in range(4)]
    labels = {found[0].pair: True, found[1].pair: False}
    report = ConflictsReport(dataset="d", found=found, labels=labels, memories=9, embedder="none", version="1", seconds=0.0)
    told = report.to_dict()
    assert (told["detected"], told["labelled"], told["false"], told["false_rate"]) == (4, 2, 1, 0.5)
    assert told["unlabelled"] == [list(one.pair) for one in found[2:]]
    assert report.grids()[0].rows == (("number", "4", "2", "1", "50.0"), ("all", "4", "2", "1", "50.0"))


def test_labels_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"d": {"c": [["a", "b", True]]}}))
    assert load_labels(path) == {("d", "c", "a", "b"): True}
    path.write_text("[1]")
    with pytest.raises(BadParameter):
        load_labels(path)
    with pytest.raises(UnknownPath):
        load_labels(tmp_path / "missing.json")


def test_the_labels_that_are_kept_hold_no_text() -> None:
    labels = load_labels(LABELS)
    assert labels
    assert all(" " not in part for pair in labels for part in pair[1:])
    assert {True, False} <= set(labels.values())
