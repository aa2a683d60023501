from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lodmem.text.trim import ELLIPSIS, cut_words

WORDS = st.lists(st.sampled_from(["zoo,", "and", "hazy", "tide.", "z", "fizzy" * 9, "-", "\t", "\x1c"]), max_size=30)


@given(WORDS.map(" ".join), st.integers(2, 24))
def test_plain_text_is_cut_where_other_text_is(text: str, limit: int) -> None:
    assert cut_words(text.replace("z", "ž"), limit).replace("ž", "z") == cut_words(text, limit)


def test_a_text_within_the_limit_stays_as_it_is() -> None:
    assert cut_words("  The tide gauge\tstands on the mole ", 20) == "  The tide gauge\tstands on the mole "
    assert cut_words("one two three four", 3) == "one two three" + ELLIPSIS
