from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.errors import ModelUnavailable
from lodmem.models import tokenizer as module
from lodmem.models.checked import read_checked
from lodmem.models.tokenizer import TOKENIZER_PATH, TOKENIZER_SHA256, WordPieceCounter, load_tokenizer
from lodmem.ports import TokenCounter

COUNTER: TokenCounter = WordPieceCounter()
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
WORDS = st.lists(
    st.sampled_from(["tea", "harbour's", "[SEP]", "naïve", "記憶", "한국어", "x" * 130, "😀", "a_b", "\u0301", "\0"])
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        (" \n\t ", 0),
        ("hello world", 2),
        ("Hello, world!", 4),
        ("embeddings", 4),
        ("記憶する", 4),
        ("[SEP]", 3),
        ("😀", 1),
    ],
)
def test_counts_word_pieces_without_special_tokens(text: str, expected: int) -> None:
    assert COUNTER.count(text) == expected


@given(TEXT | WORDS.map(" ".join), TEXT | WORDS.map("".join))
def test_counts_add_up_over_lines(first: str, second: str) -> None:
    assert COUNTER.count(f"{first}\n{second}") == COUNTER.count(first) + COUNTER.count(second)


@given(st.lists(TEXT, max_size=8))
def test_many_counts_equal_single_counts(texts: list[str]) -> None:
    assert COUNTER.counts(texts) == [COUNTER.count(text) for text in texts]


@given(WORDS.map(" ".join))
def test_never_less_than_the_bare_tokenizer(text: str) -> None:
    assert COUNTER.count(text) >= len(load_tokenizer().encode(text, add_special_tokens=False))


def test_cutting_long_texts_changes_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The keeper\twrote down the tide,\r\nthe wind and unbelievably long names. 記憶 " * 40
    whole = COUNTER.count(text)
    monkeypatch.setattr(module, "_SPLIT_CHARS", 0)
    monkeypatch.setattr(module, "_SLICE", 7)
    monkeypatch.setattr(module, "_BATCH_CHARS", 50)
    assert WordPieceCounter().count(text) == whole > 40 * 15


def test_remembered_counts_are_the_same_and_room_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GENERATION", 4)
    counter = WordPieceCounter()
    lines = [f"{number} boats in the harbour" for number in range(20)]
    for _ in range(3):
        for line in [*lines, lines[0]]:
            assert counter.count(line) == 5
    assert len(counter._memo._young) + len(counter._memo._old) <= 8
    assert lines[0] not in repr(vars(counter._memo))


def test_a_blob_without_white_space_is_not_free() -> None:
    assert COUNTER.count("QUJD" * 500) > 500
    assert COUNTER.count("a" * 100) == len(load_tokenizer().encode("a" * 100, add_special_tokens=False))


def test_words_outside_the_vocabulary_cost_by_their_bytes() -> None:
    assert [len(word.encode()) for word in ("ሰላም", "ሰላምታ")] == [9, 12]
    assert COUNTER.counts(["ሰላም", "ሰላምታ", "tea ሰላም tea"]) == [3, 3, 5]


@pytest.mark.slow
def test_five_megabytes_take_seconds() -> None:
    text = "The ferry left the north pier eleven minutes late again. " * 90_000
    assert len(text) > 5_000_000
    started = time.process_time()
    assert COUNTER.count(text) == 90_000 * 11
    assert time.process_time() - started < 20


@pytest.mark.parametrize(("text", "times"), [("two words", 1), ("two naïve", 2)])
def test_each_file_is_read_once_whatever_the_threads(monkeypatch: pytest.MonkeyPatch, text: str, times: int) -> None:
    """Plain text needs the vocabulary alone; other text the tokenizer as well."""
    monkeypatch.setattr(module, "_loaded", None)
    monkeypatch.setattr(module, "_plain", None)
    reads: list[Path] = []

    def reading(path: Path, sha256: str, *, hint: str) -> bytes:
        reads.append(path)
        return read_checked(path, sha256, hint=hint)

    monkeypatch.setattr(module, "read_checked", reading)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(WordPieceCounter().count(text))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [2] * 8
    assert reads == [TOKENIZER_PATH] * times
    assert (module._loaded is None) == (times == 1)


def test_a_changed_tokenizer_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changed = tmp_path / "tokenizer.json"
    changed.write_bytes(TOKENIZER_PATH.read_bytes() + b"\n")
    monkeypatch.setattr(module, "_loaded", None)
    monkeypatch.setattr(module, "_plain", None)
    monkeypatch.setattr(module, "TOKENIZER_PATH", changed)
    with pytest.raises(ModelUnavailable, match=TOKENIZER_SHA256):
        WordPieceCounter().count("x")
    with pytest.raises(ModelUnavailable, match=TOKENIZER_SHA256):
        load_tokenizer()
    changed.unlink()
    with pytest.raises(ModelUnavailable, match="cannot read"):
        WordPieceCounter().count("x")


def test_origin_and_licence_lie_beside_the_file() -> None:
    notice = (TOKENIZER_PATH.parent / "NOTICE.txt").read_text()
    assert "Apache License, Version 2.0" in notice
    assert TOKENIZER_SHA256 in notice
