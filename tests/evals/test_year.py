from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from lodmem.errors import BadParameter
from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.evals.year import (
    ARRIVE_BEFORE,
    ARRIVE_UNTIL,
    DAYS,
    QUARTERS,
    START_US,
    Ask,
    arrivals,
    asks,
    day_us,
    most_asked,
    questions_of,
    week_of,
)
from lodmem.model.memory import Draft, Source

THINGS = ("kettle", "boat", "rope", "lamp", "anchor", "stove", "ladder", "bucket", "sail", "hammer", "barrel", "candle")


def invented(cases: int = 2, sessions: int = 6) -> Dataset:
    """Each session of each case tells two things and is asked about both."""
    return Dataset(
        name="invented", cases=tuple(_case(f"c{number}", number, sessions) for number in range(cases)), skipped=0, dropped=0
    )


def _case(name: str, number: int, sessions: int) -> Case:
    drafts, labels, homes, questions = [], [], [], []
    for session in range(sessions):
        for turn in range(2):
            thing = THINGS[(session * 2 + turn) % len(THINGS)]
            label = f"{session}:{turn}"
            text = f"Owner {number} put the {thing} of week {session} into shed {number + turn}."
            drafts.append(Draft(full=text, created_us=0, source=Source(name, f"s{session}", turn)))
            labels.append(label)
            homes.append(f"s{session}")
            asked = f"Where did owner {number} put the {thing} of week {session}?"
            questions.append(Question(id=f"{name}/{label}", text=asked, category="1", gold=(label,)))
    return Case(
        id=name, drafts=tuple(drafts), labels=tuple(labels), sessions=tuple(homes), questions=tuple(questions), now_us=0
    )


def test_sessions_arrive_in_their_order_evenly() -> None:
    found = arrivals(invented(cases=2, sessions=5))
    assert [arrival.at_us for arrival in found] == sorted(arrival.at_us for arrival in found)
    own = [arrival for arrival in found if arrival.case == 1]
    assert [arrival.drafts for arrival in own] == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]
    assert {b.at_us - a.at_us for a, b in pairwise(own)} == {round((ARRIVE_BEFORE + ARRIVE_UNTIL) / 5 * 86_400e6)}
    assert own[0].at_us == day_us(-ARRIVE_BEFORE) < START_US
    assert own[-1].at_us < day_us(ARRIVE_UNTIL)


def test_questions_are_asked_when_their_evidence_is_there() -> None:
    dataset = invented()
    when = {(arrival.case, draft): arrival.at_us for arrival in arrivals(dataset) for draft in arrival.drafts}
    asked = asks(dataset, 400, seed=1)
    assert len(asked) == 400
    assert [ask.at_us for ask in asked] == sorted(ask.at_us for ask in asked)
    for ask in asked:
        place, question = questions_of(dataset)[ask.question]
        assert when[place, dataset.cases[place].labels.index(question.gold[0])] <= ask.at_us
        assert ask.quarter == min(QUARTERS - 1, (ask.at_us - START_US) * QUARTERS // (day_us(DAYS) - START_US))


def test_popularity_is_uneven_drifts_and_is_the_same_for_one_seed() -> None:
    # With few sessions everything is there by the last quarter.
    dataset = invented(cases=10, sessions=6)
    asked = asks(dataset, 4000, seed=2)
    assert asked == asks(dataset, 4000, seed=2) != asks(dataset, 4000, seed=3)
    last = Counter(ask.question for ask in asked if ask.quarter == QUARTERS - 1)
    counts = [count for _, count in last.most_common()]
    assert counts[0] > 3 * counts[9] > 0
    tops = [{q for q, _ in Counter(a.question for a in asked if a.quarter == n).most_common(20)} for n in (2, 3)]
    assert 1 <= len(tops[0] & tops[1]) < 18


def test_most_asked_before_a_time() -> None:
    asked = [Ask(1, 7, 0), Ask(2, 3, 0), Ask(3, 3, 0), Ask(4, 2, 0), Ask(9, 2, 0), Ask(9, 2, 0)]
    assert most_asked(asked, 9) == [3, 2, 7]


def test_weeks_begin_with_the_year() -> None:
    assert [week_of(day_us(day)) for day in (0.0, 6.99, 7.0, 363.0)] == [1, 1, 2, 52]


def test_nothing_can_be_asked_from_the_beginning() -> None:
    whole = invented(cases=1)
    late = replace(whole, cases=tuple(replace(case, questions=case.questions[-1:]) for case in whole.cases))
    with pytest.raises(BadParameter, match="no question"):
        asks(late, 10, seed=0)
    with pytest.raises(BadParameter, match="no question"):
        asks(replace(whole, cases=()), 10, seed=0)
