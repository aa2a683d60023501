from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.models import plain as module
from lodmem.models.plain import PlainCounter
from lodmem.models.tokenizer import TOKENIZER_PATH, load_tokenizer

DATA = TOKENIZER_PATH.read_bytes()
COUNTER = PlainCounter(DATA)
SIGNS = [chr(code) for code in range(32, 127)] + ["\t", "\n", "\r", *"·‘’“”–—…•"]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
WORDS = st.text(st.sampled_from(LETTERS), min_size=1, max_size=40)
PIECES = st.lists(st.sampled_from(["embed", "ding", "s", "un", "able", "telecommunication", "inter", "q", "0x1f"])).map("".join)


@given(st.text(st.sampled_from(SIGNS), max_size=200) | st.lists(WORDS | PIECES, max_size=12).map(" ".join))
def test_plain_text_counts_as_the_tokenizer_counts_it(text: str) -> None:
    counted = COUNTER.count(text)
    if max(map(len, text.split()), default=0) <= 100:
        assert counted == len(load_tokenizer().encode(text, add_special_tokens=False))
    else:
        assert counted is None


def test_every_sign_alone_and_inside_words() -> None:
    for sign in SIGNS:
        for text in (sign, f"a{sign}b", f"tea {sign}{sign} tea"):
            assert COUNTER.count(text) == len(load_tokenizer().encode(text, add_special_tokens=False))


@pytest.mark.parametrize("text", ["naïve", "記憶", "tea\0", "a\u00a0b", "\x1f", "½", "😀", "x" * 101])
def test_other_text_is_left_to_the_tokenizer(text: str) -> None:
    assert COUNTER.count(text) is None


def test_a_run_of_a_hundred_is_still_plain() -> None:
    assert COUNTER.count("x" * 100) == len(load_tokenizer().encode("x" * 100, add_special_tokens=False))


def test_the_vocabulary_holds_every_letter_inside_and_at_the_front() -> None:
    vocabulary = json.loads(DATA)["model"]["vocab"]
    for sign in SIGNS[:95]:
        low = sign.lower()
        assert sign == " " or low in vocabulary
        assert not low.isalnum() or f"##{low}" in vocabulary


def test_room_for_words_is_bounded_and_the_vocabulary_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROOM", 5)
    counter = PlainCounter(DATA)
    pieces = counter._pieces
    size = len(pieces)
    for number in range(40):
        assert counter.count(f"zq{number}xv tea") == COUNTER.count(f"zq{number}xv") + 1  # type: ignore[operator]
        assert len(pieces) <= size + 5
    assert list(pieces)[:size] == list(pieces._heads)
    assert pieces["telecommunications"] == 1
