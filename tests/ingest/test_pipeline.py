from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.errors import BadParameter
from lodmem.ingest.pipeline import passages_of, prepare
from lodmem.model.memory import Draft, Prepared
from lodmem.models.tokenizer import WordPieceCounter
from lodmem.text import looks, stems, tokens
from lodmem.text.compress import make_levels
from lodmem.text.sentences import sentences
from lodmem.text.tokens import date_terms

PARTS = (
    "Anna: We moved the tide gauge to the mole on 3 May 2023.",
    "Did it fail again?",
    "user: please note the colour, it must never be red!",
    "- Krankenversicherung und Größe, der Vertrag ist nicht da",
    "O'Brien sent e-mail via foo_bar.py (v1.2.3) — twice…",
    "記憶は消えない。灯台の番人が書いた。",
    "Die Lehrerin und der Schüler haben das Buch nicht gelesen.",
    "The Who played; Harbour Street was closed and the ferry departed.",
)
TEXTS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=14).flatmap(
    lambda parts: st.sampled_from([" ", "\n", "\n\n"]).map(lambda between: between.join(parts))
)
DAY_US = 86_400_000_000


def alone(text: str, now_us: int) -> Prepared:
    """Prepared by a process that has seen no other text."""
    looks._words.clear()
    for remembered in (stems._german, tokens._of_words, tokens._of_chunks, tokens._day_terms):
        remembered.cache_clear()
    return prepare(Draft(full=text), WordPieceCounter(), now_us=now_us)


@given(st.lists(TEXTS, max_size=5), st.integers(-(10**15), 4 * 10**15))
def test_a_memory_is_the_same_alone_and_after_others(texts: list[str], now_us: int) -> None:
    counter = WordPieceCounter()
    together = [prepare(Draft(full=text), counter, now_us=now_us) for text in texts for _ in range(2)]
    assert together == [alone(text, now_us) for text in texts for _ in range(2)]


@given(TEXTS)
def test_known_sentences_change_nothing(text: str) -> None:
    counter = WordPieceCounter()
    assert make_levels(text, counter, sentences(text)) == make_levels(text, counter)
    assert passages_of(text, 0, sentences(text)) == passages_of(text, 0)


@given(st.integers(-(10**15), 4 * 10**15))
def test_date_terms_are_those_of_the_day(moment_us: int) -> None:
    start = moment_us // DAY_US * DAY_US
    assert date_terms(moment_us) == date_terms(start) == date_terms(start + DAY_US - 1)
    assert date_terms(start) != date_terms(start + DAY_US)


def test_meta_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(BadParameter, match="meta"):
        prepare(Draft(full="tea", meta=None), WordPieceCounter(), now_us=0)  # type: ignore[arg-type]
