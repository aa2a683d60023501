from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.beam import DAY_US, anchor_us, load_beam
from lodmem.model.memory import Source, to_us


def us(*parts: int) -> int:
    return to_us(datetime(*parts, tzinfo=UTC))  # type: ignore[misc, arg-type]


def test_anchors_are_the_first_moment_of_a_day() -> None:
    assert anchor_us("March-15-2024") == us(2024, 3, 15)
    with pytest.raises(ValueError, match="does not match"):
        anchor_us("15 March")


def test_messages_become_memories(beam_file: Path) -> None:
    dataset = load_beam(beam_file)
    case = dataset.cases[0]
    assert case.labels == ("0", "1", "2", "3", "4")
    assert case.sessions == ("batch-1", "batch-1", "batch-1", "batch-2", "batch-2")
    assert [draft.full for draft in case.drafts[:3]] == [
        "user: The kiln fires at 900 degrees.",
        "assistant: That suits earthenware.",
        "user: I glaze with cobalt.",
    ]
    # A message without an anchor was written when the last one with an anchor was.
    assert [draft.created_us for draft in case.drafts] == [us(2024, 3, 15)] * 3 + [us(2024, 4, 5)] * 2
    assert case.drafts[3].source == Source("beam:7", "batch-2", 4)
    assert dict(case.drafts[4].meta) == {"id": 4, "role": "assistant"}
    assert case.now_us == us(2024, 4, 5) + DAY_US


def test_evidence_however_it_is_nested(beam_file: Path) -> None:
    dataset = load_beam(beam_file)
    found = {question.id: question for question in dataset.cases[0].questions}
    assert list(found) == ["7/knowledge_update/1", "7/knowledge_update/2", "7/event_ordering/1"]
    kiln, glaze, order = found.values()
    assert (kiln.gold, kiln.gold_sessions, kiln.older, kiln.newer) == (("0", "3"), ("batch-1", "batch-2"), ("0",), ("3",))
    assert (kiln.answer, glaze.answer) == ("1100 degrees", "cobalt")
    # The same message cannot be both old and new.
    assert (glaze.gold, glaze.older, glaze.newer) == (("2",), (), ())
    assert order.gold == ("0", "2", "3")
    assert (dataset.skipped, dataset.dropped) == (1, 1)


def test_questions_kept_as_text(beam_file: Path) -> None:
    data = json.loads(beam_file.read_text())
    plain = load_beam(beam_file).cases
    for text in (json.dumps(data[0]["probing_questions"]), repr(data[0]["probing_questions"])):
        beam_file.write_text(json.dumps([data[0] | {"probing_questions": text}]))
        assert load_beam(beam_file).cases == plain


def test_sessions_of_messages_without_batches(beam_file: Path) -> None:
    data = json.loads(beam_file.read_text())
    flat = [[message for part in batch["turns"] for message in part] for batch in data[0]["chat"]]
    plain = load_beam(beam_file).cases
    beam_file.write_text(json.dumps([data[0] | {"chat": flat}]))
    assert load_beam(beam_file).cases == plain


def test_a_folder_of_chats_as_in_the_repository(beam_file: Path, tmp_path: Path) -> None:
    entry = json.loads(beam_file.read_text())[0]
    for number in ("10", "7"):
        folder = tmp_path / "100K" / number / "probing_questions"
        folder.mkdir(parents=True)
        (folder.parent / "chat.json").write_text(json.dumps(entry["chat"]))
        (folder / "probing_questions.json").write_text(json.dumps(entry["probing_questions"]))
    dataset = load_beam(tmp_path / "100K")
    assert [case.id for case in dataset.cases] == ["7", "10"]
    assert dataset.cases[:1] == load_beam(beam_file).cases


def test_what_is_missing_says_where_it_comes_from(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.json"):
        with pytest.raises(UnknownPath) as caught:
            load_beam(path)
        assert "github.com/mohammadtavakoli78/BEAM" in caught.value.hint
        assert "CC BY-SA 4.0" in caught.value.hint


@pytest.mark.parametrize(
    "change",
    [
        {"chat": [{"batch_number": 1}]},
        {"chat": [{"turns": [[{"id": 0, "role": "user"}]]}]},
        {"chat": [{"turns": [[{"id": 0, "role": "user", "content": "a", "time_anchor": "soon"}]]}]},
        {"chat": [[{"id": 0, "role": "user", "content": "a"}, {"id": 0, "role": "user", "content": "b"}]]},
        {"probing_questions": "{"},
        {"probing_questions": []},
    ],
)
def test_a_broken_chat_is_named(beam_file: Path, change: dict[str, Any]) -> None:
    entry = json.loads(beam_file.read_text())[0]
    beam_file.write_text(json.dumps([entry, entry | change]))
    with pytest.raises(BadParameter, match="chat 2 is not in BEAM's format"):
        load_beam(beam_file)


@pytest.mark.parametrize("content", ["{}", "[]", "[{}]"])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(BadParameter, match="not in BEAM's format"):
        load_beam(path)


@pytest.mark.data
def test_the_public_development_file_loads_whole(bench_data: Path) -> None:
    dataset = load_beam(bench_data / "beam-100k-dev.json.gz")
    questions = [question for case in dataset.cases for question in case.questions]
    assert (len(dataset.cases), len(questions), dataset.skipped, dataset.dropped) == (5, 90, 10, 0)
    assert sum(len(case.drafts) for case in dataset.cases) == 1032
    assert sum(bool(question.older) for question in questions) == 10
