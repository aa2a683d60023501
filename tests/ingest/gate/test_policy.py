"""Skip, update, add; and what is never skipped."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.ingest.gate import SKIP_FROM, UPDATE_FROM, Verdict, is_copy, judge_experience, judge_pattern, ratio
from lodmem.ingest.gate.policy import LONGEST
from lodmem.text.differs import Difference
from tests.text.exact_cases import PAIRS

# Long enough that one word in it hardly moves the ratio.
AROUND = (
    " besides, the rest of what was said about it that afternoon stayed as it had been said many times before, down to the last"
    " comma, and whoever was there can tell you that nothing else was added to it by anybody in the room who was listening"
    " while the kettle sang on the stove and the old cat slept through all of it as cats do when nothing is asked"
)


@pytest.mark.req("R5.10")
@pytest.mark.parametrize(("what", "one", "other"), PAIRS)
def test_what_differs_in_something_exact_is_never_skipped(what: Difference, one: str, other: str) -> None:
    for new, old in ((one, other), (other, one), (one + AROUND, other + AROUND), (other + AROUND, one + AROUND)):
        verdict = judge_pattern(new, [(7, old)])
        assert verdict.verdict is Verdict.ADD, what
        assert not is_copy(judge_experience(new, [(7, old)]))


@pytest.mark.req("R5.10")
def test_nearly_all_of_these_would_be_skipped_by_similarity_alone() -> None:
    alike = [SequenceMatcher(None, one + AROUND, other + AROUND, autojunk=False).ratio() for _, one, other in PAIRS]
    assert sum(each >= SKIP_FROM for each in alike) >= 200
    verdict = judge_pattern("The talk is at 14:00 in the hall upstairs.", [(3, "The talk is at 15:00 in the hall upstairs.")])
    assert (verdict.verdict, verdict.other, verdict.blocked) == (Verdict.ADD, 3, "date")
    assert verdict.similarity == pytest.approx(0.976, abs=1e-3)


@pytest.mark.req("R5.9")
def test_the_thresholds() -> None:
    old = "the user prefers short answers with a list of the steps that come next"
    assert judge_pattern(old, [(1, old)]).verdict is Verdict.SKIP
    skip = judge_pattern(old + ".", [(1, old)])
    assert skip.verdict is Verdict.SKIP
    assert skip.similarity >= SKIP_FROM
    update = judge_pattern(
        "The user prefers short answers, and likes the steps as a list", [(1, "The user prefers short answers")]
    )
    assert (update.verdict, update.other) == (Verdict.ADD, 1)
    new = "The user prefers short answers, mostly as lists of the steps"
    update = judge_pattern(new, [(1, "The user prefers short answers as lists of steps")])
    assert (update.verdict, update.other) == (Verdict.UPDATE, 1)
    assert UPDATE_FROM <= update.similarity < SKIP_FROM
    other = judge_pattern(new, [(1, "A mill stands by the brook behind the old school")])
    assert (other.verdict, other.blocked) == (Verdict.ADD, "")
    assert other.similarity < UPDATE_FROM
    assert judge_pattern(new, []).other is None


@pytest.mark.req("R5.9")
@given(st.text(alphabet="abc de", min_size=1, max_size=30), st.lists(st.text(alphabet="abc de", max_size=30), max_size=5))
def test_the_verdict_follows_from_the_best_ratio(new: str, texts: list[str]) -> None:
    others = list(enumerate(texts, start=1))
    verdict = judge_pattern(new, others)
    fair = [ratio(new, text) for _, text in others if judge_pattern(new, [(1, text)]).blocked == ""]
    best = max(fair, default=0.0)
    wanted = Verdict.SKIP if best >= SKIP_FROM else Verdict.UPDATE if best >= UPDATE_FROM else Verdict.ADD
    assert verdict.verdict is wanted
    if wanted is not Verdict.ADD:
        assert verdict.similarity == best


def test_thresholds_can_be_moved() -> None:
    pair = ("The pump runs at dawn in the yard", [(1, "The pump runs at dawn in a yard")])
    assert judge_pattern(*pair).verdict is Verdict.SKIP or judge_pattern(*pair).similarity < SKIP_FROM
    assert judge_pattern(*pair, skip_from=0.99).verdict is Verdict.UPDATE
    assert judge_pattern(*pair, skip_from=0.999, update_from=0.99).verdict is Verdict.ADD


def test_a_blocked_neighbour_does_not_hide_one_that_says_the_same() -> None:
    new = "The harbour office closes at noon for everybody who comes by boat"
    others = [(1, new.replace("noon", "midnight")), (2, new + "."), (3, new.replace("noon", "dawn"))]
    verdict = judge_pattern(new, others)
    assert (verdict.verdict, verdict.other, verdict.blocked) == (Verdict.SKIP, 2, "")


def test_of_equally_alike_ones_the_older_decides() -> None:
    assert judge_pattern("The mill is old", [(9, "The mill is old"), (4, "The mill is old")]).other == 4


@pytest.mark.req("R5.8")
def test_an_experience_is_always_added() -> None:
    text = "The roof of the boathouse was painted green by the neighbours"
    same = judge_experience(text, [(1, text)])
    assert (same.verdict, same.other, same.similarity) == (Verdict.ADD, 1, 1.0)
    assert is_copy(same)
    assert not is_copy(judge_experience(text, [(1, text.replace("green", "in three different greens"))]))


def test_a_text_too_long_to_compare_says_so() -> None:
    text = "word " * (LONGEST // 4)
    verdict = judge_experience(text, [(1, text + "x")])
    assert (verdict.verdict, verdict.blocked) == (Verdict.ADD, "length")
    assert not is_copy(verdict)
