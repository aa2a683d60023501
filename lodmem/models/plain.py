"""Word pieces of plain text counted without the tokenizer: ASCII and the punctuation that English is set with.

Most text is of that kind, and a word's pieces do not depend on its neighbours, so that a count is a sum over words. It refuses
all other text, which the tokenizer itself has to read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

# No control characters, nothing that has accents to strip. Each of the signs is a token of its own.
_STRANGE = re.compile("[^\t\n\r -~·‘’“”–—…•]")
_TOKEN = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
_LONGEST_RUN = 100
_ROOM = 1 << 15
_OPENING = 3


class PlainCounter:
    """Counts of plain text by a WordPiece vocabulary, which holds every ASCII sign, and every letter and digit as a `##` piece.

    Words are remembered in bounded number. Thread-safe.
    """

    def __init__(self, tokenizer_json: bytes) -> None:
        self._pieces = _Pieces(json.loads(tokenizer_json)["model"]["vocab"])

    def count(self, text: str) -> int | None:
        """Tokens of the text; None when it is not plain, or a run of it without white space is longer than 100 characters."""
        if _STRANGE.search(text) or (len(text) > _LONGEST_RUN and max(map(len, text.split()), default=0) > _LONGEST_RUN):
            return None
        return sum(map(self._pieces.__getitem__, _TOKEN.findall(text.lower())))


class _Pieces(dict[str, int]):
    """Pieces of each word: one for those of the vocabulary; others are cut when they are first met."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._heads = frozenset(piece for piece in vocabulary if not piece.startswith("##"))
        self._tails = frozenset(piece[2:] for piece in vocabulary if piece.startswith("##"))
        self._head_reach, self._tail_reach = _reach(self._heads), _reach(self._tails)
        super().__init__(dict.fromkeys(self._heads, 1))

    def __missing__(self, word: str) -> int:
        if len(self) >= len(self._heads) + _ROOM:
            # A dict keeps its order: what was met stands after the vocabulary. Another thread may be doing the same.
            for met in list(self)[len(self._heads) :]:
                self.pop(met, None)
        count = self[word] = self._cut(word)
        return count

    def _cut(self, word: str) -> int:
        """Number of pieces, the longest first, from the left. Source: WordPiece as BERT has it (Devlin et al. 2019)."""
        count = start = 0
        known, reach = self._heads, self._head_reach
        while start < len(word):
            stop = min(len(word), start + reach.get(word[start : start + _OPENING], _OPENING - 1))
            while stop > start + 1 and word[start:stop] not in known:
                stop -= 1
            start = stop
            count += 1
            known, reach = self._tails, self._tail_reach
        return count


def _reach(pieces: Iterable[str]) -> dict[str, int]:
    """Length of the longest piece that begins with the same three letters."""
    longest: dict[str, int] = {}
    for piece in pieces:
        if len(piece) >= _OPENING:
            opening = piece[:_OPENING]
            longest[opening] = max(longest.get(opening, 0), len(piece))
    return longest
