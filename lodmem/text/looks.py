"""The words of a text in the form it uses, and how promising each looks. Knows no counts and no other text.

A word is looked at once and remembered, in bounded number: texts repeat their words.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lodmem.text.remembered import Remembered
from lodmem.text.stems import stem
from lodmem.text.stopwords import CHATTER, COMMON, DENSE_FUNCTION, DETERMINERS, FOREIGN, STOP
from lodmem.text.tokens import DENSE

_WORD = re.compile(rf"[{DENSE}]+|[^\W{DENSE}]+(?:[-.'’/:+#]+[^\W{DENSE}]+)*(?:\+\+|\#)?")
_ASCII_WORD = re.compile(r"\w+(?:[-.'/:+#]+\w+)*(?:\+\+|\#)?", re.ASCII)
_DENSE = re.compile(f"[{DENSE}]")
_KANA = re.compile("[\u3041-\u30ff]")
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_JAPANESE_RUN = re.compile("[\u3041-\u309f]+|[\u30a1-\u30ff\u31f0-\u31ff]+|[^\u3041-\u30ff\u31f0-\u31ff]+")
_CHINESE_RUN = re.compile(f"[^{''.join(sorted(DENSE_FUNCTION))}]+")


class Word(NamedTuple):
    """A word as the text writes it, its term, how promising it looks inside a sentence and opening one, and what it is."""

    surface: str
    term: str
    inside: float
    opening: float
    determiner: bool
    capital: bool


def surface_words(text: str) -> list[Word]:
    """The words in order.

    Scripts without spaces give runs of one script, cut at function characters, those of more than four characters in pairs.
    """
    if text.isascii():
        plain = _ASCII_WORD.findall(text)
        if "_" in text:
            plain = [bare for word in plain if (bare := word.strip("_"))]
        return list(map(_words.__getitem__, plain))
    found: list[Word] = []
    for word in _WORD.findall(text):
        if not _is_dense(word):
            bare = word.strip("_")
            if bare:
                found.append(_words[bare])
            continue
        for run in (_JAPANESE_RUN if _KANA.search(word) else _CHINESE_RUN).findall(word):
            pieces = [run] if len(run) <= 4 else [run[i : i + 2] for i in range(0, len(run) - 1, 2)]
            found.extend(_seen(piece, piece) for piece in pieces)
    return found


def _looks(word: str, low: str) -> tuple[float, float]:
    """How much a word's looks promise, 0 (stop word) to about 2: inside a sentence, and opening one, where a capital says
    nothing."""
    if low in STOP or ("'" in low and low.split("'")[0] in STOP):
        return 0.0, 0.0
    worth = _alike(word, low)
    if worth is not None:
        return worth, worth
    worth = 0.6 if len(low) < 4 else 1.0 if len(low) < 7 else 1.15
    opening = worth * 1.3 if not low.isalpha() or (not word.islower() and not word[1:].islower()) else worth
    return worth * 1.5 if word[0].isupper() else opening, opening


def _alike(word: str, low: str) -> float | None:
    """What a word promises wherever it stands; None: that depends."""
    if low in CHATTER or low in FOREIGN or (not low.isascii() and _HIRAGANA.fullmatch(low)):
        return 0.1
    if _is_dense(word):
        return 0.8 if len(word) > 1 else 0.3
    if not word.isalpha() and any(map(str.isdigit, word)):
        return 1.2 if len(word) > 2 else 0.4
    return 0.3 if low in COMMON or len(low) < 2 else None


def _is_dense(word: str) -> bool:
    return not word.isascii() and _DENSE.match(word) is not None


def _word(word: str) -> Word:
    low = _low(word)
    return _described(word, stem(low) if low else word, low)


def _seen(word: str, term: str) -> Word:
    return _described(word, term, _low(word))


def _described(word: str, term: str, low: str) -> Word:
    inside, opening = _looks(word, low)
    return Word(word, term, inside, opening, word.lower() in DETERMINERS, word[0].isupper())


_words = Remembered(_word)


def _low(word: str) -> str:
    low = word.lower().replace("’", "'")
    return low[:-2] if low.endswith("'s") else low
