"""Chats and notes in which facts change: the format, and what the rules find in the files of them that were written for it.

alder to fir are chats, gorse to pine short notes. cedar and dogwood were never looked at while the rules were made; the others
were, after a first count (docs/decisions/0018).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lodmem.errors import BadParameter
from lodmem.evals.conflicts import evaluate_conflicts, load_labels
from lodmem.evals.formats import load_any
from lodmem.evals.runner import Plan
from lodmem.ingest.conflicts.find import find_conflict

FILES = Path(__file__).parent / "data" / "changes"
# Pairs that change a fact and are found, of so many; pairs that only look like it and are found, of so many.
FOUND = {
    "alder": (3, 126, 0, 168),
    "birch": (4, 150, 0, 184),
    "cedar": (4, 132, 0, 164),
    "dogwood": (1, 132, 0, 160),
    "elm": (25, 160, 0, 120),
    "fir": (12, 160, 0, 120),
    "gorse": (110, 244, 0, 218),
    "hazel": (74, 263, 0, 211),
    "ivy": (71, 245, 1, 216),
    "juniper": (66, 266, 2, 312),
    "larch": (53, 246, 0, 207),
    "maple": (82, 245, 0, 209),
    "oak": (78, 240, 1, 205),
    "pine": (29, 144, 0, 150),
}


def turn(number: int, text: str, speaker: str = "user") -> dict[str, str]:
    return {"id": f"t{number}", "date": f"2025-03-0{number}", "speaker": speaker, "text": text}


def change(old: int, new: int, asked: str, value: str) -> dict[str, str]:
    return {"old": f"t{old}", "new": f"t{new}", "old_value": "?", "new_value": value, "question": asked, "kind": "number"}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    turns = [
        turn(1, "The choir has 22 members."),
        turn(2, "Noted.", "assistant"),
        turn(3, "The choir has 27 members."),
        turn(4, "The orchestra has 40 members."),
        turn(5, "The choir has 31 members."),
    ]
    asked = "How many members has the choir?"
    updates = [change(1, 3, asked, "27"), change(3, 5, asked, "31"), change(1, 5, asked, "31")]
    chat = {"id": "choir", "turns": turns, "updates": updates, "alike": [["t3", "t4", "another group"]]}
    path = tmp_path / "changes.json"
    path.write_text(json.dumps({"writer": "me", "chats": [chat]}))
    return path


def test_a_fact_that_changes_twice_is_one_question(written: Path) -> None:
    (case,) = load_any(written).cases
    (question,) = case.questions
    assert (question.older, question.newer, question.gold, question.answer) == (("t1", "t3"), ("t5",), ("t5",), "31")
    assert [draft.full[:10] for draft in case.drafts][:2] == ["user: The ", "assistant:"]
    assert case.now_us - (case.drafts[-1].created_us or 0) == 86_400_000_000


def test_its_own_labels_judge_what_is_found(written: Path) -> None:
    report = evaluate_conflicts(load_any(written), Plan(embedder=None), {})
    assert {one.pair[2:] for one in report.found} == {("t1", "t3"), ("t1", "t5"), ("t3", "t5")}
    assert (report.judged, report.false_rate) == ([True] * 3, 0.0)
    other = evaluate_conflicts(load_any(written), Plan(embedder=None), {("changes me", "choir", "t1", "t3"): False})
    assert sorted(other.judged) == [False, True, True]


@pytest.mark.parametrize(
    "broken", [{"chats": [{}], "writer": "x"}, {"chats": [{"id": "a", "turns": [{"id": 1}]}], "writer": "x"}]
)
def test_what_is_broken_is_told(tmp_path: Path, broken: dict[str, Any]) -> None:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken))
    with pytest.raises(BadParameter, match="changing facts"):
        load_any(path)


@pytest.mark.parametrize("name", FOUND)
def test_what_the_rules_find_in_what_others_wrote(name: str) -> None:
    """A change of the rules may change these numbers; they are in docs/decisions/0018."""
    chats = json.loads((FILES / f"{name}.json").read_text(encoding="utf-8"))["chats"]
    updates = alike = found = false = 0
    for chat in chats:
        said = {one["id"]: f"user: {one['text']}" if one["speaker"] else one["text"] for one in chat["turns"]}
        updates += len(chat["updates"])
        found += sum(find_conflict(said[one["old"]], said[one["new"]]) is not None for one in chat["updates"])
        alike += len(chat["alike"])
        false += sum(find_conflict(said[one], said[other]) is not None for one, other, _ in chat["alike"])
    assert (found, updates, false, alike) == FOUND[name]


SAMPLE = Path(__file__).parent / "data" / "conflicts-notes.json"


@pytest.mark.req("R5.25")
def test_of_a_sample_that_a_person_labelled_hardly_any_is_none() -> None:
    """200 of all pairs that were found in the stores of the notes, drawn at random."""
    labels = load_labels(SAMPLE)
    assert len(labels) == 200
    assert sum(not is_one for is_one in labels.values()) <= 0.05 * len(labels)


@pytest.mark.slow
@pytest.mark.req("R5.25")
@pytest.mark.parametrize("name", ["gorse", "oak"])
def test_what_is_found_in_a_whole_store_is_what_its_pairs_tell(name: str) -> None:
    """Of some 250,000 pairs of a store those are compared that share words; what is found there is nearly all labelled so."""
    report = evaluate_conflicts(load_any(FILES / f"{name}.json"), Plan(embedder=None), {})
    assert len(report.judged) == len(report.found) >= 0.95 * FOUND[name][0]
    assert (report.false_rate or 0.0) <= 0.05
    sampled = {pair for pair in load_labels(SAMPLE) if pair[1] == name}
    assert sampled
    assert len(sampled - {one.pair for one in report.found}) <= 0.05 * len(sampled)
