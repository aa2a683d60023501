"""What is asked first, because it is cheap, never hides what the slower pattern finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.text import telling as module
from lodmem.text.telling import telling, worths

PIECES = (
    "ValueError",
    "Exception",
    "FAIL",
    "failed",
    "Failed",
    "FATAL",
    "CRITICAL",
    "panic",
    "Decided",
    "decision",
    "TODO",
    "must",
    "must_not",
    "never",
    "always",
    "take",
    "a",
    "look",
    "here's",
    "photo",
    "at",
    "that",
    "check",
    "IT",
    "out",
    "see",
    "below",
    "by",
    "the",
    "way",
    "\u017fee",
    "above",
    "SEE",
    "\u0130",
    "e\u0301",
    ",",
    ".",
    "(",
    "_",
    "\u8a18",
    "1",
    "said",
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).flatmap(
    lambda pieces: st.sampled_from([" ", "", "_", "\n"]).map(lambda between: between.join(pieces))
)


@given(TEXTS)
def test_quick_looks_miss_nothing(text: str) -> None:
    known = module._marks(text).known
    if module._STRESS.search(text):
        assert module._may_stress(text, known)
    if module._POINTER.search(text):
        assert not text.isascii() or not known.isdisjoint(module._POINTED)


@given(TEXTS)
def test_both_worths_begin_with_telling(text: str) -> None:
    assert worths(text)[0] == telling(text)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("We moved the gauge in 2023.", "The gauge is moved in there."),
        ("The build failed: no space left.", "The build is here: no space left."),
        ("The mole is closed.", "Take a look at the mole."),
        ("The mole is closed.", "Is the mole closed?"),
    ],
)
def test_facts_show_more_than_talk(more: str, less: str) -> None:
    assert worths(more)[1] > worths(less)[1]
