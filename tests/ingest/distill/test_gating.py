"""Skip, update, add: what each changes, within a batch and against the store."""

from __future__ import annotations

import pytest

from lodmem.ingest.distill.found import Found
from lodmem.ingest.distill.gating import gate
from lodmem.ingest.distill.shelf import Shelf
from lodmem.model.distilled import ACCEPTED, REJECTED, WAITING, Pattern, SeenAgain
from lodmem.model.memory import Status

pytestmark = [pytest.mark.req("R5.9"), pytest.mark.req("R5.10")]

TEXT = "Nora prefers short lists to long texts in every answer."
NEAR = "Nora prefers short lists to texts that are long in every answer."


def stored(text: str, number: int = 7, status: Status = ACCEPTED) -> Pattern:
    return Pattern(
        id=number, space="main", text=text, importance=0.5, evidence_count=1, status=status, distilled_us=0, episodes=(1,)
    )  # fmt: skip


def test_the_same_is_skipped_and_only_its_episodes_are_noted() -> None:
    out = gate([Found(TEXT, (2, 3), 0.9)], Shelf([stored(TEXT)]))
    assert (out.new, out.skipped, out.updated) == ([], 1, 0)
    assert out.again == [SeenAgain(pattern=7, episodes=(2, 3), importance=None)]
    (judged,) = out.judged
    assert (judged.verdict.verdict, judged.verdict.similarity, judged.verdict.other) == ("skip", 1.0, 7)
    assert (judged.new, judged.other_new) == (None, None)


@pytest.mark.parametrize("status", [ACCEPTED, WAITING])
def test_the_same_said_anew_is_an_update(status: Status) -> None:
    out = gate([Found(NEAR, (2,), 0.9)], Shelf([stored(TEXT, status=status)]))
    assert (out.new, out.skipped, out.updated) == ([], 0, 1)
    assert out.again == [SeenAgain(pattern=7, episodes=(2,), importance=0.9)]


@pytest.mark.parametrize("status", [REJECTED, Status.SUPERSEDED])
def test_what_a_person_rejected_is_neither_updated_nor_added(status: Status) -> None:
    out = gate([Found(NEAR, (2,), 0.9)], Shelf([stored(TEXT, status=status)]))
    assert (out.new, out.skipped, out.updated) == ([], 1, 0)
    assert out.again == [SeenAgain(pattern=7, episodes=(2,), importance=None)]


def test_something_else_is_added() -> None:
    out = gate([Found("The oven needs a socket with three phases.", (2,), 0.9)], Shelf([stored(TEXT)]))
    assert [each.episodes for each in out.new] == [(2,)]
    assert (out.judged[0].verdict.verdict, out.judged[0].new) == ("add", 0)


def test_another_number_is_added_beside_it() -> None:
    one, other = "The shop in Lindau opens at 6:30 on weekdays.", "The shop in Lindau opens at 7:30 on weekdays."
    out = gate([Found(other, (2,), 0.9)], Shelf([stored(one)]))
    assert [each.text for each in out.new] == [other]
    assert out.judged[0].verdict.blocked == "date"
    assert out.judged[0].verdict.similarity > 0.95, "how alike they were is kept"


def test_within_a_batch_the_first_one_stands() -> None:
    out = gate([Found(TEXT, (2,), 0.4), Found(TEXT, (3,), 0.9), Found(NEAR, (1,), 0.6)], Shelf())
    assert out.new == [Found(TEXT, (1, 2, 3), 0.6)], "a skip raises nothing, an update keeps the larger"
    assert (out.skipped, out.updated, out.again) == (1, 1, [])
    assert [(judged.new, judged.other_new) for judged in out.judged] == [(0, None), (None, 0), (None, 0)]
