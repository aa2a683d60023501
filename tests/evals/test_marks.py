from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lodmem.engine import Engine
from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.marks import MINUTE_US, Mark, Used, entries, marks_of, merged, read_marks, retrievals
from lodmem.model.audit import AuditEntry
from tests.conftest import START, FakeClock, MakeEngine


def entry(seq: int, minute: float, verb: str, agent: str = "a", **detail: object) -> AuditEntry:
    return AuditEntry(seq=seq, at_us=round(minute * MINUTE_US), space="main", agent=agent, verb=verb, detail=detail)


def searched(seq: int, minute: float, asked: str, agent: str = "a", **detail: object) -> AuditEntry:
    known: dict[str, Any] = {
        "mode": "search",
        "query": asked,
        "touch": True,
        "exclude": [],
        "ids": [1],
        "counts": {"headline": 9},
    }
    return entry(seq, minute, "search", agent, **(known | detail))


def test_an_expansion_soon_after_a_search_is_a_mark() -> None:
    log = [
        searched(1, 0, "kettle"),
        entry(2, 4, "expand", ids=[7, 3]),
        entry(3, 9, "expand", ids=[5]),
        entry(4, 11, "expand", ids=[6]),
    ]
    assert marks_of(log) == [Mark("kettle", (3, 5, 7), 0)]
    assert marks_of(log, minutes=5) == [Mark("kettle", (3, 7), 0)]
    assert marks_of(log, minutes=12) == [Mark("kettle", (3, 5, 6, 7), 0)]


def test_the_next_look_of_the_same_agent_ends_it() -> None:
    log = [
        searched(1, 0, "kettle"),
        searched(2, 1, "boat", agent="b"),
        entry(3, 2, "expand", ids=[3]),
        searched(4, 3, "", mode="window"),
        entry(5, 4, "expand", ids=[4]),
        entry(6, 5, "expand", "b", ids=[8]),
        entry(7, 6, "expand", "c", ids=[9]),
    ]
    assert marks_of(log) == [Mark("kettle", (3,), 0), Mark("boat", (8,), MINUTE_US)]


@pytest.mark.parametrize("detail", [{"touch": False}, {"exclude": ["cats"]}, {"query": ""}, {"query": None}])
def test_looks_that_cannot_be_asked_again_give_no_mark(detail: dict[str, object]) -> None:
    assert marks_of([searched(1, 0, "kettle", **detail), entry(2, 1, "expand", ids=[3])]) == []


def test_what_a_search_cannot_have_shown_is_no_mark() -> None:
    expanded = entry(2, 1, "expand", ids=[1, 3])
    assert marks_of([searched(1, 0, "kettle", counts={"headline": 0}), expanded]) == [Mark("kettle", (1,), 0)]
    assert marks_of([searched(1, 0, "kettle", counts={"headline": 0}, ids=[]), expanded]) == []


def test_retrievals_are_promotions_and_expansions() -> None:
    log = [
        searched(1, 0, "kettle", promoted=[4, 5]),
        entry(2, 1, "expand", ids=[3]),
        entry(3, 2, "promote", ids=[3]),
        searched(4, 3, "boat", promoted=[]),
    ]
    assert retrievals(log) == [Used(0, (4, 5)), Used(MINUTE_US, (3,))]


def test_questions_with_the_same_words_count_once() -> None:
    marks = [Mark("The  kettle", (1,), 5), Mark("boat", (2,), 6), Mark("the kettle", (3,), 9), Mark("THE KETTLE", (1,), 7)]
    assert merged(marks) == [Mark("the kettle", (1, 3), 9), Mark("boat", (2,), 6)]
    assert merged([Mark("kettle", (1,)), Mark("kettle", (2,), 5)]) == [Mark("kettle", (1, 2))]
    assert merged([Mark("kettle", (2,), 5), Mark("kettle", (1,))]) == [Mark("kettle", (1, 2))]


def test_a_stores_own_log_gives_marks(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember(f"Kettle number {number} whistles.").id for number in range(3)]
    clock.advance(seconds=5)
    engine.search("kettle")
    clock.advance(seconds=60)
    engine.expand(ids[1])
    log = list(entries(engine))
    (mark,) = marks_of(log)
    assert (mark.query, mark.ids, mark.at_us) == ("kettle", (ids[1],), clock.now_us() - MINUTE_US)
    assert [used.ids for used in retrievals(log)][-1] == (ids[1],)


@pytest.fixture
def filled(make_engine: MakeEngine) -> Engine:
    engine = make_engine(embedder="none")
    for text in ("The kettle boils.\n", "The boat leaks. The kettle boils.", "A rope."):
        engine.remember(text)
    return engine


def labels(path: Path, *lines: object) -> Path:
    file = path / "labels.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


def test_labels_name_ids_texts_and_dates(filled: Engine, tmp_path: Path) -> None:
    file = labels(
        tmp_path,
        {"query": "a", "ids": [3, 1]},
        {"query": "b", "texts": ["The kettle boils."]},
        {"query": "c", "texts": [" The boat leaks. "], "ids": [3], "date": "2025-05-04"},
    )
    first, second, third = read_marks(file, filled)
    assert first == Mark("a", (1, 3))
    # The text of one memory stands for that one alone, though another one holds it.
    assert second == Mark("b", (1,))
    assert third.ids == (2, 3)
    assert third.at_us is not None
    assert (START.timestamp() - third.at_us / 1e6) / 86_400 == pytest.approx(28.5)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"ids": [1]}, "there is no query"),
        ({"query": " ", "ids": [1]}, "there is no query"),
        ({"query": "\ud800", "ids": [1]}, "there is no query"),
        ({"query": "a"}, "neither ids nor texts"),
        ({"query": "a", "ids": "1"}, "not a list of ids"),
        ({"query": "a", "ids": [True]}, "not a list of ids"),
        ({"query": "a", "ids": [1, 99]}, "no memory #99"),
        ({"query": "a", "texts": "boat"}, "not a list of texts"),
        ({"query": "a", "texts": ["no such text"]}, "no memory holds the text"),
        ({"query": "a", "ids": [1], "date": 5}, "'date' is not a date"),
        ({"query": "a", "ids": [1], "date": "soonish"}, "line 2: "),
    ],
)
def test_what_labels_may_not_hold(filled: Engine, tmp_path: Path, line: object, said: str) -> None:
    with pytest.raises(BadParameter, match=said) as caught:
        read_marks(labels(tmp_path, {"query": "fine", "ids": [1]}, line), filled)
    assert "line 2" in caught.value.message
    assert caught.value.hint


def test_labels_that_are_not_there(filled: Engine, tmp_path: Path) -> None:
    with pytest.raises(UnknownPath):
        read_marks(tmp_path / "absent.jsonl", filled)
