"""Passages: whole sentences packed to about the length an embedding model reads well. Knows no model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lodmem.text.sentences import sentences
from lodmem.text.tokens import DENSE

_DENSE = re.compile(f"[{DENSE}]")


def passages(text: str, words: int = 130, *, spans: Sequence[tuple[int, int]] | None = None) -> list[tuple[int, int]]:
    """Spans [start, stop) in characters, in order, without overlap, each of whole sentences and about `words` words long.

    A passage is fuller than `words` only by a short tail (up to a quarter) or when one sentence alone is. At least one for a
    text that is not blank; a blank text has none. One and a half characters of a script without spaces count as a word, and so
    do eight characters of anything else at least, so that code and data are cut too. `spans`: the text's sentences, if known.
    """
    found: list[tuple[int, int]] = []
    sizes: list[float] = []
    for start, stop in sentences(text) if spans is None else spans:
        size = _size(text[start:stop])
        if found and sizes[-1] + size <= words:
            found[-1] = (found[-1][0], stop)
            sizes[-1] += size
        else:
            found.append((start, stop))
            sizes.append(size)
    if len(found) > 1 and sizes[-1] + sizes[-2] <= words * 1.25:
        found[-2:] = [(found[-2][0], found[-1][1])]
    return found


def _size(sentence: str) -> float:
    if sentence.isascii():
        return max(len(sentence.split()), len(sentence) / 8)
    dense = len(_DENSE.findall(sentence))
    other = _DENSE.sub(" ", sentence) if dense else sentence
    return dense / 1.5 + max(len(other.split()), (len(sentence) - dense) / 8)
