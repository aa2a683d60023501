"""Which pairs of texts are proposed as conflicts, which are not, and that no text breaks the reading."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lodmem.ingest.conflicts.find import find_conflict, read
from lodmem.model.conflict import Reason

HERE = Path(__file__).parent
PAIRS = json.loads((HERE / "pairs.json").read_text(encoding="utf-8"))
CONFLICTS, TURNS, MISSED = PAIRS["conflicts"], PAIRS["turns"], PAIRS["missed_turns"]
ALIKES = json.loads((HERE / "alikes.json").read_text(encoding="utf-8"))["alikes"]
# Said in words that the rules do not see through.
UNSEEN = {"I was offered a salary of $71,000 by the museum."}

texts = st.text(max_size=400)
clauses = st.lists(
    st.sampled_from(
        [
            "the choir has 22 members",
            "now the choir has 27 members",
            "my rent is $950",
            "no longer",
            "switched from Trello to Linear",
            "I live in Oslo",
            "moved to Bergen",
            "?",
            "\n```\n",
            "on March 3",
            "at 9:30",
            "improved from 10% to 20%",
            "user:",
            "my favorite tea is Assam",
            "\x00\x1b[31m",
        ]
    ),
    max_size=14,
).map(", ".join)


def test_there_are_enough_examples() -> None:
    assert len(CONFLICTS) >= 60
    assert len(ALIKES) >= 100


@pytest.mark.req("R5.25")
@pytest.mark.parametrize(("reason", "older", "newer"), [case for case in CONFLICTS if case[1] not in UNSEEN])
def test_another_value_of_the_same_thing_is_a_conflict(reason: str, older: str, newer: str) -> None:
    finding = find_conflict(older, newer)
    assert finding is not None
    assert finding.reason is Reason(reason)


@pytest.mark.req("R5.25")
@pytest.mark.parametrize(("reason", "older", "newer"), TURNS)
def test_a_fact_inside_a_turn_is_updated_by_one_inside_another(reason: str, older: str, newer: str) -> None:
    finding = find_conflict(older, newer)
    assert finding is not None
    assert finding.reason is Reason(reason)


def test_what_is_not_seen_in_turns_yet() -> None:
    assert [pair for pair in MISSED if find_conflict(*pair) is None] == MISSED
    assert len(MISSED) <= 0.2 * len(TURNS)


def test_what_is_not_seen_yet() -> None:
    assert [older for _, older, newer in CONFLICTS if find_conflict(older, newer) is None] == sorted(
        UNSEEN, key=[older for _, older, _ in CONFLICTS].index
    )


@pytest.mark.req("R5.25")
@pytest.mark.parametrize(("why", "one", "other"), ALIKES)
def test_what_only_looks_alike_is_none(why: str, one: str, other: str) -> None:
    assert find_conflict(one, other) is None, why
    assert find_conflict(other, one) is None, why


def test_both_values_are_quoted() -> None:
    finding = find_conflict("Our newsletter has 340 subscribers.", "The newsletter recently reached 410 subscribers.")
    assert finding is not None
    assert finding.detail == "'340 subscribers' / '410 subscribers'"
    assert finding.sentences == ("Our newsletter has 340 subscribers.", "The newsletter recently reached 410 subscribers.")


def test_one_sentence_of_a_long_turn_is_enough() -> None:
    talk = "We talked about the weather on the fjord and the long way home. " * 60
    older = f"user: {talk}The newsletter has 340 subscribers. {talk}"
    newer = f"user: {talk}The newsletter now has 410 subscribers. {talk}"
    finding = find_conflict(older, newer)
    assert finding is not None
    assert "410" in finding.detail


@pytest.mark.parametrize(
    ("older", "newer", "explicit"),
    [
        ("I eat meat.", "I no longer eat meat.", True),
        ("We use Trello for the plan.", "We switched from Trello to Linear for the plan.", True),
        ("The error rate of the importer is 12%.", "We improved the error rate of the importer from 12% to 1%.", True),
        ("I live in Ghent.", "I moved from Ghent to Antwerp.", True),
        ("I live in Ghent.", "I moved to Antwerp.", False),
        ("The choir has 22 members.", "The choir now has 27 members.", False),
    ],
)
def test_only_who_names_the_old_value_as_over_is_explicit(older: str, newer: str, explicit: bool) -> None:
    finding = find_conflict(older, newer)
    assert finding is not None
    assert finding.explicit is explicit


def test_what_a_model_said_is_no_statement() -> None:
    assert not read("assistant: Your rent is $950 and you live in Oslo.")
    assert find_conflict("assistant: Your rent is $950.", "assistant: Your rent is now $990.") is None


@given(texts | clauses, texts | clauses)
@example("a" * 300 + " 3 cats", "now " * 50 + "4 cats")
@example("١٢٣ قطط", "５匹の猫")
@settings(deadline=None, max_examples=150)
def test_no_text_breaks_it(one: str, other: str) -> None:
    finding = find_conflict(one, other)
    assert find_conflict(one, one) is None
    if finding is not None:
        assert read(one).speaker == read(other).speaker
        assert finding.detail
        assert len(finding.detail) <= 140


@given(clauses)
@settings(deadline=None, max_examples=100)
def test_a_text_does_not_contradict_itself_in_other_case_of_space(text: str) -> None:
    assert find_conflict(text, f" {text}\n") is None or read(text)


@pytest.mark.parametrize(
    "unit", ["the choir has 22 members and ", "x" * 50 + " ", "9:30 ", "from 1 to 2, ", "[(", "My Big Red Old House Of Cards "]
)
def test_megabytes_take_no_longer_than_their_first_part(unit: str) -> None:
    text = unit * (2_000_000 // len(unit))
    started = time.process_time()
    read.__wrapped__(text)
    assert time.process_time() - started < 5.0
