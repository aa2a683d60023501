"""Passages: whole sentences, about the asked length, nothing lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lodmem.text.passages import passages
from lodmem.text.sentences import sentences

TEXTS = st.text(max_size=500) | st.lists(
    st.sampled_from(["The cat sat down. ", "Nobody came, and the rain went on and on.\n", "他来了。", "x" * 90 + " ", "\n"]),
    max_size=60,
).map("".join)


@given(TEXTS, st.integers(min_value=1, max_value=150))
def test_passages_are_whole_sentences_in_order_without_gap(text: str, words: int) -> None:
    spans = sentences(text)
    found = passages(text, words)
    assert bool(found) == bool(spans)
    starts = {start for start, _ in spans}
    stops = {stop for _, stop in spans}
    end = 0
    for start, stop in found:
        assert end <= start < stop
        assert start in starts
        assert stop in stops
        assert not text[end:start].strip()
        end = stop
    assert not text[end:].strip()


def test_passages_hold_about_the_asked_number_of_words() -> None:
    text = "One two three four five six seven eight nine ten. " * 100
    sizes = [len(text[start:stop].split()) for start, stop in passages(text)]
    assert sum(sizes) == 1000
    assert all(size == 130 for size in sizes[:-1])
    assert 0 < sizes[-1] <= 1.25 * 130


def test_a_short_tail_joins_the_passage_before() -> None:
    text = "One two three four five. " * 27
    assert len(passages(text)) == 1
    assert len(passages(text + "One two three four five. " * 10)) == 2


def test_a_short_text_is_one_passage() -> None:
    assert passages("  Hello there.  Good bye.  ") == [(2, 25)]


def test_scripts_without_spaces_and_data_are_cut_too() -> None:
    chinese = "他昨天从北京坐火车来了。" * 100
    sizes = [stop - start for start, stop in passages(chinese)]
    assert all(150 <= size <= 250 for size in sizes[:-1])
    assert sum(sizes) == len(chinese)
    blob = "QWxhZGRpbjpvcGVuIHNlc2FtZQ" * 200
    assert all(stop - start <= 1300 for start, stop in passages(blob))


def test_blank_text_has_no_passage() -> None:
    assert passages(" \n ") == []
