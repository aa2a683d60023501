"""Records of one form tell of different things, and what is measured again and again is a series: no contradictions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lodmem
from lodmem.ingest.conflicts.find import find_conflict
from lodmem.ingest.conflicts.judge import SERIES
from lodmem.ingest.conflicts.records import are_records

FORM = (
    "The {0} on pier {1} was looked at by Ines. She wrote that its brake was worn down to {1} millimetres. It rained. "
    "A new one was ordered for {1} kroner. The {0} went back to work on the next day."
)
TOLD = "The choir rehearses on Tuesdays. The choir of the village has {} members. Ines leads it. The hall is cold."


def test_entries_of_one_form_are_records() -> None:
    one, two = FORM.format("crane", 2), FORM.format("winch", 5)
    assert are_records(one, two)
    assert are_records(two, one)
    assert find_conflict(one, two) is None


def test_what_differs_in_one_sentence_may_be_told_anew() -> None:
    one, two = TOLD.format(22), TOLD.format(27)
    assert not are_records(one, two)
    assert find_conflict(one, two) is not None


@pytest.mark.parametrize("text", ["", " ", "One sentence alone.", TOLD])
def test_a_text_is_no_record_beside_itself(text: str) -> None:
    assert not are_records(text, text)


@given(st.text(max_size=400), st.text(max_size=400))
def test_it_takes_any_text_and_either_order(one: str, two: str) -> None:
    assert are_records(one, two) == are_records(two, one)


def test_a_series_of_measurements_makes_few_conflicts(tmp_path: Path) -> None:
    with lodmem.open(tmp_path / "memory.db", embedder="none", background=False) as engine:
        for n in range(30):
            engine.remember(f"The choir of the village has {20 + n} members.", created_at=f"2026-01-{n + 1:02}")
        engine.work()
        found = engine.conflicts(limit=1000)
        sides = [side for one in found for side in (one.conflict.older, one.conflict.newer)]
        assert found
        assert max(sides.count(side) for side in sides) <= 2 * SERIES
        assert len(found) <= SERIES * SERIES
