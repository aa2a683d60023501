from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.locomo import DAY_US, evidence_ids, load_locomo, session_time_us, turn_text
from lodmem.model.memory import Source, to_us


def us(*parts: int) -> int:
    return to_us(datetime(*parts, tzinfo=UTC))  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("D3:4", ["D3:4"]),
        ("D8:6; D9:17", ["D8:6", "D9:17"]),
        ("D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]),
        ("D:11:26", ["D11:26"]),
        ("D30:05", ["D30:5"]),
        ("D", []),
        ("", []),
    ],
)
def test_malformed_evidence_is_repaired(raw: str, expected: list[str]) -> None:
    assert evidence_ids(raw) == expected


def test_dates_of_sessions_are_utc() -> None:
    assert session_time_us("1:56 pm on 8 May, 2023") == us(2023, 5, 8, 13, 56)
    assert session_time_us("12:09 am on 13 September, 2023") == us(2023, 9, 13, 0, 9)
    with pytest.raises(ValueError, match="does not match"):
        session_time_us("last May")


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        ({"speaker": "Ilse", "text": "Good rain today."}, "Ilse: Good rain today."),
        ({"speaker": "Ilse", "text": "Look! ", "blip_caption": "a photo of a loaf"}, "Ilse: Look! [shares a photo of a loaf]"),
        ({"speaker": "Ilse", "text": "Look!", "blip_caption": None}, "Ilse: Look!"),
    ],
)
def test_a_turn_is_speaker_text_and_what_its_picture_shows(turn: dict[str, Any], text: str) -> None:
    assert turn_text(turn) == text


def test_turns_become_memories_in_order_of_sessions(locomo_file: Path) -> None:
    case = load_locomo(locomo_file).cases[0]
    assert case.id == "conv-900"
    assert case.labels == ("D1:1", "D1:2", "D1:3", "D2:1", "D2:2")
    second, fourth = case.drafts[1], case.drafts[3]
    assert second.full == "Tomasz: Here is my new workshop. [shares a photo of a lathe beside a window]"
    assert second.source == Source("locomo:conv-900", "session_1", 2)
    assert second.created_us == us(2022, 2, 8, 13, 56)
    assert dict(second.meta) == {"dia_id": "D1:2"}
    assert fourth.source == Source("locomo:conv-900", "session_2", 1)
    assert case.now_us == us(2022, 3, 1, 0, 5) + DAY_US


def test_questions_keep_the_evidence_that_exists(locomo_file: Path) -> None:
    dataset = load_locomo(locomo_file)
    found = [(question.id, question.category, question.gold) for case in dataset.cases for question in case.questions]
    assert found == [
        ("conv-900/1", "4", ("D1:1",)),
        ("conv-900/2", "1", ("D1:2", "D2:1", "D2:2")),
        ("conv-900/3", "2", ("D2:1",)),
        ("conv-900/6", "5", ("D1:2",)),
        ("conv-901/1", "4", ("D1:1",)),
    ]
    assert (dataset.name, dataset.skipped, dataset.dropped) == ("locomo", 2, 3)
    second, last = dataset.cases[0].questions[1], dataset.cases[0].questions[3]
    assert second.gold_sessions == ("session_1", "session_2")
    assert (second.answer, last.answer) == ("x", "x")
    assert dataset.cases[0].sessions == ("session_1", "session_1", "session_1", "session_2", "session_2")


def test_a_missing_file_says_where_it_comes_from_and_its_licence(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath, match="cannot read") as caught:
        load_locomo(tmp_path / "absent.json")
    assert "https://github.com/snap-research/locomo" in caught.value.hint
    assert "CC BY-NC 4.0" in caught.value.hint


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "{}",
        "[]",
        "[7]",
        '[{"sample_id": "a"}]',
        '[{"sample_id": "a", "qa": [], "conversation": {"session_1": []}}]',
        '[{"sample_id": "a", "qa": [], "conversation": {"session_1": [], "session_1_date_time": "yesterday"}}]',
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(BadParameter) as caught:
        load_locomo(path)
    assert "snap-research/locomo" in caught.value.hint


def test_a_dia_id_used_twice_is_refused(locomo_file: Path) -> None:
    data = json.loads(locomo_file.read_text())
    data[0]["conversation"]["session_2"][0]["dia_id"] = "D1:1"
    locomo_file.write_text(json.dumps(data))
    with pytest.raises(BadParameter, match="conversation 1"):
        load_locomo(locomo_file)


@pytest.mark.data
def test_the_public_development_file_loads_whole(bench_data: Path) -> None:
    dataset = load_locomo(bench_data / "locomo-dev.json")
    questions = [question for case in dataset.cases for question in case.questions]
    assert (len(dataset.cases), len(questions), dataset.skipped, dataset.dropped) == (5, 997, 2, 2)
    assert sum(len(case.drafts) for case in dataset.cases) == 2760
    assert {question.category for question in questions} == {"1", "2", "3", "4", "5"}
