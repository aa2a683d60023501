"""Counts tokens with the WordPiece tokenizer of all-MiniLM-L6-v2, which ships in the package.

Plain text is counted by the vocabulary alone; the tokenizer is read at the first other text, once a process. It refuses to know
what the counts are for.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lodmem.models.checked import read_checked
from lodmem.models.plain import PlainCounter

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

TOKENIZER_PATH = Path(__file__).parent / "data" / "all-MiniLM-L6-v2" / "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
CLS_ID, SEP_ID, UNKNOWN_ID = 101, 102, 100

# The tokenizer takes any longer word for one unknown token, so that a megabyte of base64 would be free.
_LONGEST_WORD = 100
_LONG_RUN = re.compile(rf"[^ \t\r\n]{{{_LONGEST_WORD}}}(?=[^ \t\r\n])")
_WHITE = re.compile(r"[ \t\r\n]")

# Rule of thumb for text outside the vocabulary: language models spend about one token on four bytes of UTF-8.
_BYTES_PER_UNKNOWN_TOKEN = 4

_SLICE = 1 << 16
_SPLIT_CHARS = 1 << 18
_BATCH_CHARS = 1 << 20
_GENERATION = 1 << 15

_HINT = "install lodmem again"

_lock = threading.Lock()
_loaded: Tokenizer | None = None
_plain: PlainCounter | None = None


def load_tokenizer() -> Tokenizer:
    """The shared tokenizer: no truncation, no padding, text that looks like `[SEP]` is plain text. Do not change it.

    Raises:
        ModelUnavailable: the tokenizer file is missing or not the one that was shipped.
    """
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                from tokenizers import Tokenizer

                data = read_checked(TOKENIZER_PATH, TOKENIZER_SHA256, hint=_HINT)
                tokenizer = Tokenizer.from_str(data.decode())
                tokenizer.no_truncation()
                tokenizer.no_padding()
                tokenizer.encode_special_tokens = True
                _loaded = tokenizer
    return _loaded


def _plain_counter() -> PlainCounter:
    """The shared counter of plain text. Raises ModelUnavailable as `load_tokenizer` does."""
    global _plain
    if _plain is None:
        with _lock:
            if _plain is None:
                _plain = PlainCounter(read_checked(TOKENIZER_PATH, TOKENIZER_SHA256, hint=_HINT))
    return _plain


class WordPieceCounter:
    """TokenCounter of the shipped tokenizer, without special tokens. Thread-safe.

    A word outside the vocabulary counts one token for each four bytes of UTF-8, begun ones included; a run of more than 100
    characters without white space counts as pieces of 100. Counts of lines are remembered, the lines are not.
    """

    def __init__(self) -> None:
        self._memo = _Memo()

    def count(self, text: str) -> int:
        return self.counts((text,))[0]

    def counts(self, texts: Sequence[str]) -> list[int]:
        """One count a text, in order. Memory stays bounded whatever the length of a text."""
        plain = _plain_counter()
        totals = [0] * len(texts)
        batch: list[tuple[int, str]] = []
        waiting = 0
        for index, text in enumerate(texts):
            for line in text.split("\n") if len(text) <= _SPLIT_CHARS else _lines(text):
                known = self._memo.get(line)
                if known is not None:
                    totals[index] += known
                    continue
                known = plain.count(line)
                if known is not None:
                    self._memo.put(line, known)
                    totals[index] += known
                    continue
                batch.append((index, line))
                waiting += len(line)
                if waiting >= _BATCH_CHARS:
                    self._add(totals, batch)
                    batch, waiting = [], 0
        self._add(totals, batch)
        return totals

    def _add(self, totals: list[int], batch: list[tuple[int, str]]) -> None:
        if not batch:
            return
        tokenizer = load_tokenizer()
        parts = [_cut_runs(line) for _, line in batch]
        encodings = tokenizer.encode_batch_fast(parts, add_special_tokens=False)
        for (index, line), part, encoding in zip(batch, parts, encodings, strict=True):
            count = len(encoding)
            if UNKNOWN_ID in encoding.ids:
                count += _unknown_surplus(part, tokenizer.encode(part, add_special_tokens=False))
            self._memo.put(line, count)
            totals[index] += count


class _Memo:
    """Counts by hash and length of the line, so that no text outlives its being forgotten.

    Two generations: what was not asked for during a whole generation is gone. Racing threads at worst count again.
    """

    def __init__(self) -> None:
        self._young: dict[tuple[int, int], int] = {}
        self._old: dict[tuple[int, int], int] = {}

    def get(self, line: str) -> int | None:
        key = (hash(line), len(line))
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self._keep(key, found)
        return found

    def put(self, line: str, count: int) -> None:
        self._keep((hash(line), len(line)), count)

    def _keep(self, key: tuple[int, int], count: int) -> None:
        if len(self._young) >= _GENERATION:
            self._old, self._young = self._young, {}
        self._young[key] = count


def _unknown_surplus(text: str, encoding: Encoding) -> int:
    """Tokens to add to the one that each unknown word got."""
    surplus = 0
    for token, (start, stop) in zip(encoding.ids, encoding.offsets, strict=True):
        if token == UNKNOWN_ID:
            surplus += max(0, (len(text[start:stop].encode()) - 1) // _BYTES_PER_UNKNOWN_TOKEN)
    return surplus


def _cut_runs(text: str) -> str:
    return _LONG_RUN.sub(r"\g<0> ", text)


def _lines(text: str) -> Iterator[str]:
    """Pieces of a long text, cut at white space, lines at least; one that has none for long is cut as `_cut_runs` does."""
    for piece in _slices(text):
        for part in [piece] if len(piece) <= 2 * _SLICE else _slices(_cut_runs(piece)):
            yield from part.split("\n")


def _slices(text: str) -> Iterator[str]:
    """Pieces of at most about 64k characters, cut at white space, where no token can be."""
    start = 0
    while len(text) - start > _SLICE:
        cut = _WHITE.search(text, start + _SLICE)
        if cut is None:
            break
        yield text[start : cut.start()]
        start = cut.end()
    yield text[start:]
