from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lodmem.errors import BadParameter
from lodmem.evals.beam import load_beam
from lodmem.evals.datasets import Dataset, as_sessions, even, half_of, pooled, sampled
from lodmem.evals.locomo import load_locomo
from lodmem.evals.longmemeval import load_longmemeval
from lodmem.model.memory import Source


def ids(dataset: Dataset) -> list[str]:
    return [question.id for case in dataset.cases for question in case.questions]


def test_no_limit_keeps_every_question(locomo_file: Path) -> None:
    whole = load_locomo(locomo_file)
    assert ids(sampled(whole, None, seed=0)) == ids(sampled(whole, 99, seed=0)) == ids(whole)


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_keeps_order_and_repeats_for_its_seed(locomo_file: Path, seed: int) -> None:
    whole = load_locomo(locomo_file)
    few = sampled(whole, 2, seed=seed)
    assert ids(few) == ids(sampled(whole, 2, seed=seed))
    assert len(ids(few)) == 2
    assert [one for one in ids(whole) if one in ids(few)] == ids(few)
    assert set(ids(few)) <= set(ids(sampled(whole, 4, seed=seed)))
    assert all(case.questions for case in few.cases)
    assert few.skipped == whole.skipped


def test_seeds_draw_different_samples(locomo_file: Path) -> None:
    whole = load_locomo(locomo_file)
    assert len({tuple(ids(sampled(whole, 2, seed=seed))) for seed in range(12)}) > 3


def test_halves_part_the_questions_and_keep_the_memories(longmemeval_file: Path) -> None:
    whole = load_longmemeval(longmemeval_file, pooled=True)
    tune, check = half_of(whole, "tune"), half_of(whole, "check")
    assert sorted(ids(tune) + ids(check)) == sorted(ids(whole))
    assert ids(tune) == [name for name in ids(whole) if even(name)]
    for part in (tune, check):
        assert all(case.drafts == whole.cases[0].drafts for case in part.cases)
    assert half_of(whole, "all") is whole


def test_parity_of_a_name_never_changes() -> None:
    assert [even(name) for name in ("a", "b", "c", "d", "e", "f")] == [False, False, True, True, True, False]


def test_the_first_three_conversations_of_locomo_are_tuned_on(locomo_file: Path) -> None:
    whole = load_locomo(locomo_file)
    assert ids(half_of(whole, "tune")) == ids(whole)
    assert half_of(whole, "check").cases == ()


def test_an_unknown_half(locomo_file: Path) -> None:
    with pytest.raises(BadParameter, match="not a half"):
        half_of(load_locomo(locomo_file), "third")


def test_sessions_become_memories(locomo_file: Path) -> None:
    case = load_locomo(locomo_file).cases[0]
    joined = as_sessions(case)
    assert joined.labels == joined.sessions == ("session_1", "session_2")
    second = joined.drafts[1]
    assert second.full == f"{case.drafts[3].full}\n{case.drafts[4].full}"
    assert second.created_us == case.drafts[3].created_us
    assert second.source == Source("locomo:conv-900", "session_2", 0)
    assert [question.gold for question in joined.questions][:3] == [
        ("session_1",),
        ("session_1", "session_2"),
        ("session_2",),
    ]
    assert joined.now_us == case.now_us
    assert joined.id != case.id


def test_updates_become_updates_of_sessions(longmemeval_file: Path) -> None:
    joined = as_sessions(load_longmemeval(longmemeval_file).cases[0])
    question = joined.questions[0]
    assert (question.older, question.newer) == (("answer_1",), ("answer_2",))


def test_a_pool_holds_every_case_and_asks_each_question_at_its_own_time(locomo_file: Path) -> None:
    whole = load_locomo(locomo_file)
    (case,) = pooled(whole).cases
    assert len(case.labels) == len(set(case.labels)) == len(case.drafts) == sum(len(one.drafts) for one in whole.cases)
    assert ids(pooled(whole)) == ids(whole)
    text = dict(zip(case.labels, (draft.full for draft in case.drafts), strict=True))
    for one in whole.cases:
        own = dict(zip(one.labels, (draft.full for draft in one.drafts), strict=True))
        for question in one.questions:
            (moved,) = (found for found in case.questions if found.id == question.id)
            assert [text[label] for label in moved.gold] == [own[label] for label in question.gold]
            assert set(moved.gold_sessions) <= set(case.sessions)
            assert case.time_of(moved) == one.time_of(question)
    assert ids(half_of(pooled(whole), "tune")) == ids(half_of(whole, "tune"))
    (by_session,) = (as_sessions(one) for one in pooled(whole).cases)
    assert len(by_session.drafts) == sum(len(as_sessions(one).drafts) for one in whole.cases)


def test_a_pool_of_updates_keeps_the_sides(beam_file: Path) -> None:
    one = load_beam(beam_file)
    both = replace(one, cases=(one.cases[0], replace(one.cases[0], id="8")))
    found = [q for q in pooled(both).cases[0].questions if q.older]
    assert [(q.older, q.newer) for q in found] == [(("7/0",), ("7/3",)), (("8/0",), ("8/3",))]
