"""Whose place was taken: a name that a newer text says is gone, and the part that an older text gives it."""

from __future__ import annotations

import pytest

from lodmem.ingest.conflicts.find import find_conflict
from lodmem.model.conflict import Reason

TAKEN = [
    (
        "Our conductor is Marguerite, she wants the summer programme.",
        "Anselm is our conductor since Marguerite broke her wrist.",
    ),
    ("My supervisor is Prof. Achterberg.", "Dr Mbeki has supervised me since May as Achterberg retired to his boat."),
    ("The release notes are written by Odile.", "Bram does the release notes now that Odile has left."),
    ("Registration runs over Ticketmole, they take 4%.", "We ditched Ticketmole, registration is on Doorlist."),
    ("The aide in my room is Ms. Dolores.", "Mr. Tran is my aide for the year, since Dolores had her hip done."),
    ("Charts for the board live in Plotwise.", "The board gets its charts from Gridly, Plotwise was cut."),
]
ALIKE = [
    ("Gwen loves hotel breakfasts.", "Marcus leads the team since Gwen moved on."),
    ("My supervisor is Prof. Achterberg.", "Dr Mbeki gave a talk because Achterberg liked her paper on newts."),
    ("Registration runs over Ticketmole.", "Should we ditch Ticketmole for registration?"),
    ("The release notes are written by Odile.", "If Odile left, Bram would do the release notes."),
    ("The release notes are written by Odile.", "Write the release notes, and then When I say so send them to Bram."),
]


@pytest.mark.req("R5.25")
@pytest.mark.parametrize(("older", "newer"), TAKEN)
def test_a_name_that_is_gone_contradicts_its_part(older: str, newer: str) -> None:
    finding = find_conflict(f"user: {older}", f"user: {newer}")
    assert finding is not None
    assert finding.reason in (Reason.NAME, Reason.STATE)
    assert not finding.explicit  # who went may have a part elsewhere: nothing is hidden for it


@pytest.mark.parametrize(("older", "newer"), ALIKE)
def test_what_says_nothing_of_the_part_contradicts_nothing(older: str, newer: str) -> None:
    assert find_conflict(f"user: {older}", f"user: {newer}") is None
