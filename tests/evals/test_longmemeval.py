from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.longmemeval import load_longmemeval, time_us
from lodmem.model.memory import Source, to_us


def us(*parts: int) -> int:
    return to_us(datetime(*parts, tzinfo=UTC))  # type: ignore[misc, arg-type]


def test_dates_are_utc() -> None:
    assert time_us("2023/05/30 (Tue) 23:40") == us(2023, 5, 30, 23, 40)
    assert time_us("2023/05/30 23:40") == us(2023, 5, 30, 23, 40)
    for text in ("2023-05-30", "2023/13/30 (Tue) 23:40", "yesterday"):
        with pytest.raises(ValueError, match=r"date|month"):
            time_us(text)


def test_a_haystack_is_a_case_of_its_own(longmemeval_file: Path) -> None:
    dataset = load_longmemeval(longmemeval_file)
    assert (dataset.name, dataset.granularity, dataset.skipped, dataset.dropped) == ("longmemeval", "session", 1, 1)
    case = dataset.cases[0]
    assert case.id == "q-bees"
    assert case.labels == ("answer_1_1", "answer_1_2", "tram_1", "tram_2", "answer_2_2", "answer_2_3")
    assert case.sessions == ("answer_1", "answer_1", "tram", "tram", "answer_2", "answer_2")
    assert case.by_user == (True, False, True, False, True, False)
    moved = case.drafts[4]
    assert moved.full == "user: I moved the beehives to the orchard yesterday."
    assert moved.created_us == us(2023, 5, 30, 23, 40)
    assert moved.source == Source("longmemeval:q-bees", "answer_2", 2)
    assert dict(moved.meta) == {"session_id": "answer_2", "turn": 2, "role": "user", "has_answer": True}
    # A session that stands twice in a haystack is remembered once, at its first date.
    assert case.drafts[2].created_us == us(2023, 5, 2, 11, 30)


def test_evidence_of_a_question(longmemeval_file: Path) -> None:
    (bees,), (tram,) = (case.questions for case in load_longmemeval(longmemeval_file).cases)
    assert bees.gold == ("answer_1_1", "answer_2_2")
    assert bees.gold_sessions == ("answer_1", "answer_2")
    assert (bees.older, bees.newer) == (("answer_1_1",), ("answer_2_2",))
    assert (bees.category, bees.answer, bees.now_us) == ("knowledge-update", "in the orchard", us(2023, 6, 7, 4, 15))
    assert (tram.gold, tram.gold_sessions, tram.older, tram.newer) == (("tram_2",), ("tram",), (), ())


def test_the_pool_holds_each_session_once(longmemeval_file: Path) -> None:
    dataset = load_longmemeval(longmemeval_file, pooled=True)
    assert (dataset.name, len(dataset.cases)) == ("longmemeval pooled", 1)
    case = dataset.cases[0]
    assert [question.id for question in case.questions] == ["q-bees", "q-tram"]
    assert case.labels == ("answer_1_1", "answer_1_2", "tram_1", "tram_2", "answer_2_2", "answer_2_3")
    assert {draft.source.uri for draft in case.drafts if draft.source} == {"longmemeval"}
    assert case.time_of(case.questions[0]) == us(2023, 6, 7, 4, 15)
    assert case.now_us == us(2023, 6, 20, 12)


def test_a_missing_file_says_where_it_comes_from_and_its_licence(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath, match="cannot read") as caught:
        load_longmemeval(tmp_path / "absent.json")
    assert "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned" in caught.value.hint
    assert "MIT" in caught.value.hint


ENTRY: dict[str, Any] = {
    "question_id": "q",
    "question_type": "multi-session",
    "question": "Why?",
    "answer": "so",
    "question_date": "2023/06/20 (Tue) 12:00",
    "haystack_session_ids": ["s"],
    "haystack_dates": ["2023/05/01 (Mon) 10:00"],
    "haystack_sessions": [[{"role": "user", "content": "So.", "has_answer": True}]],
    "answer_session_ids": ["s"],
}


@pytest.mark.parametrize(
    "change",
    [
        {"haystack_dates": []},
        {"haystack_dates": ["May"]},
        {"question_date": "soon"},
        {"haystack_sessions": [[{"role": "user"}]]},
        {"haystack_sessions": 7},
        {"answer_session_ids": None},
    ],
)
def test_a_broken_question_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps([ENTRY, ENTRY | change]))
    with pytest.raises(BadParameter, match="question 2 is not in LongMemEval's format") as caught:
        load_longmemeval(path)
    assert "xiaowu0162" in caught.value.hint


PACKED = gzip.compress(b"[{}]", mtime=0)


@pytest.mark.parametrize("content", [b"{}", b"[]", b"[7]", b"{", gzip.compress(b"[]", mtime=0), PACKED[:12]])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(BadParameter):
        load_longmemeval(path)


@pytest.mark.data
@pytest.mark.slow
def test_the_public_development_file_loads_whole(bench_data: Path) -> None:
    dataset = load_longmemeval(bench_data / "longmemeval-s-dev.json.gz", pooled=True)
    case = dataset.cases[0]
    assert (len(case.questions), dataset.skipped, dataset.dropped) == (46, 4, 0)
    assert (len(set(case.sessions)), len(case.drafts)) == (2321, 24015)
    assert all(question.gold for question in case.questions)
    assert sum(bool(question.older) for question in case.questions) == 9
