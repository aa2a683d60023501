"""What of a text must be equal for two texts to say the same: its numbers, dates, negations, names, and the words around them.

It reads strictly: what may be one of these is taken as one. Knows no grammar.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from lodmem.text.exact_words import (
    AFFIRMED,
    COUNTING_SIGNS,
    DATES,
    DATES_IF_CAPITAL,
    DATING_SIGNS,
    NEGATING_ENDINGS,
    NEGATING_SIGNS,
    NEGATIONS,
    NUMBERS,
    PERSONS,
    PLAIN_NOT,
    UNITS,
)
from lodmem.text.stems import stem
from lodmem.text.stopwords import CHATTER, COMMON, DENSE_FUNCTION, FOREIGN, STOP
from lodmem.text.tokens import DENSE

_SIGNS = "".join(sign for sign in sorted(NEGATIONS | AFFIRMED) if not sign.isalpha() and len(sign) == 1)
# Scripts of India whole, because their vowel signs are no word characters to `re`; the full stops of these are none.
_LETTERS = rf"(?:[^\W{DENSE}]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff])+"
_TOKEN = re.compile(
    rf"(?P<dense>[{DENSE}])|(?P<number>[+-]?\d+(?:[.,']\d+)+(?![\w:/-]))"
    rf"|(?P<code>(?:[@#/~]|--?)?{_LETTERS}(?:[@#/\\_.:+&-]+{_LETTERS})*(?:\+\+|\#)?)"
    rf"|(?P<sign>[{_SIGNS}]|[<>=!≤≥≠≈±]+|[$€£¥₹₽])"
)
_NUMBER = re.compile(r"[+-]?\d+(?:[.,:/’'–-]\d+)*")
_NUMBER_WITH_TAIL = re.compile(r"(\d+(?:[.,:/–-]\d+)*)([^\W\d_]+|[%‰°])")
_GROUPED = re.compile(r"\d{1,3}(?:[,’']\d{3})+(?:\.\d+)?")
_DATE = re.compile(r"\d{4}-\d\d?(?:-\d\d?)?|\d\d?:\d\d(?::\d\d)?|\d\d?[./]\d\d?(?:[./](?:\d{4}|\d\d))|\d\d?h\d{0,2}", re.I)
_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)?")
_CLOCK = frozenset({"am", "pm", "uhr", "h", "o'clock", "oclock"})
_CURRENCY = frozenset("$€£¥₹₽")
_COMPARED = re.compile(r"[<>=!≤≥≠≈±]+")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})
_ENDS = frozenset(".!?:;…。！？\n•")
_TAILS = frozenset({"t", "s", "d", "ll", "re", "ve", "m"})
_EXACT = DATES | NUMBERS.keys() | NEGATIONS | PERSONS.keys()
_HIRAGANA = re.compile("[\u3041-\u309f]")


class Exact(NamedTuple):
    """What of a text must be equal for two texts to say the same. Made by `exact`."""

    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    negations: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    openers: frozenset[str]
    persons: Counter[str]
    words: tuple[str, ...]
    known: frozenset[str]
    signs: str
    uncased: bool


@lru_cache(maxsize=256)
def exact(text: str) -> Exact:
    """A text read for what must be equal in it."""
    return _Reader(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)).read()


class _Reader:
    """Goes through a text once, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [(m.lastgroup or "", m[0], m.start()) for m in _TOKEN.finditer(text)]
        self._numbers: list[str] = []
        self._dates: list[str] = []
        self._negations: list[tuple[str, str]] = []
        self._names: list[str] = []
        self._openers: set[str] = set()
        self._persons: Counter[str] = Counter()
        self._words: list[str] = []
        self._signs: list[str] = []

    def read(self) -> Exact:
        uncased = self._text in (self._text.lower(), self._text.upper())
        for at, (kind, token, _) in enumerate(self._tokens):
            if kind == "dense":
                self._dense(token)
            elif kind == "sign":
                self._sign(at, token)
            elif not token.isalpha() and any(map(str.isdigit, token)):
                self._with_digits(at, token)
            else:
                self._word(at, token, uncased=uncased)
        self._negations += [(ending, str(n)) for ending in NEGATING_ENDINGS if (n := self._text.count(ending))]
        known = frozenset(self._words)
        return Exact(
            tuple(self._numbers),
            tuple(self._dates),
            tuple(self._negations),
            tuple(self._names),
            frozenset(self._openers),
            self._persons,
            tuple(self._words),
            known,
            "".join(self._signs),
            uncased,
        )

    def _dense(self, char: str) -> None:
        if char in NEGATING_SIGNS:
            self._negations.append((char, ""))
        elif char in COUNTING_SIGNS:
            self._numbers.append(COUNTING_SIGNS[char])
        elif char in DATING_SIGNS:
            self._dates.append(char)
        elif char not in DENSE_FUNCTION and not _HIRAGANA.match(char):
            self._signs.append(char)

    def _sign(self, at: int, sign: str) -> None:
        if sign in NEGATIONS or sign in AFFIRMED:
            self._negations.append(("-" if sign in NEGATIONS else "+", ""))
        elif sign in _CURRENCY or (_COMPARED.fullmatch(sign) and at + 1 < len(self._tokens) and sign.strip("!")):
            self._numbers.append(sign)

    def _with_digits(self, at: int, token: str) -> None:
        low = token.lower()
        tail = _NUMBER_WITH_TAIL.fullmatch(low)
        if _DATE.fullmatch(low) or (tail and (tail[2] in _CLOCK or _DAY.fullmatch(low))):
            self._dates.append(low)
        elif tail and tail[2] in UNITS:
            self._numbers += [_plain(tail[1]), tail[2]]
        elif _NUMBER.fullmatch(low):
            self._numbers.append(("-" if self._negative(at, token) else "") + _plain(low))
            unit = self._next(at).lower()
            if unit in _CLOCK:
                self._dates.append(low)
            elif unit in UNITS:
                self._numbers.append(stem(unit))
        else:  # v2, 3rd-floor, abc123, 10.0.0.1:80/x: what holds digits is exact as it stands
            self._numbers.append(low)

    def _negative(self, at: int, token: str) -> bool:
        start = self._tokens[at][2]
        return token[0] != "-" and start > 0 and self._text[start - 1] == "−"

    def _word(self, at: int, token: str, *, uncased: bool) -> None:
        plain = token.isalpha()
        lower = token.lower()
        low = lower if plain else _bare(lower)
        if low in _TAILS and self._text[self._tokens[at][2] - 1] == "'" and at:
            self._contracted(at, low)
            return
        capital = token != lower
        if low in NEGATIONS:
            self._negations.append(("not" if low in PLAIN_NOT else low, self._content_after(at)))
        elif low in NUMBERS:
            self._numbers.append(NUMBERS[low])
        elif (low in DATES and low not in DATES_IF_CAPITAL) or (low in DATES_IF_CAPITAL and (capital or uncased)):
            self._dates.append(low)
        if low in PERSONS:
            self._persons[PERSONS[low]] += 1
        self._words.append(low)
        if low in _EXACT:
            return
        if not plain and _is_code(token):
            self._names.append(low)
        elif capital:
            self._capital(at, token, low)
        elif not token.isascii() and low == token.upper() and low not in STOP and low not in FOREIGN:
            self._openers.add(low)  # a script without case

    def _capital(self, at: int, token: str, low: str) -> None:
        plain_case = token[1:] == token[1:].lower()
        if not self._opens(at) or not plain_case:
            if low not in STOP:
                self._names.append(low)
        elif low not in STOP and low not in COMMON and low not in CHATTER and low not in FOREIGN:
            self._openers.add(low)

    def _contracted(self, at: int, low: str) -> None:
        """The part behind an apostrophe: n't negates, the others say nothing."""
        if low == "t" and at and self._tokens[at - 1][1].lower().endswith("n"):
            self._negations.append(("not", self._content_after(at)))

    def _opens(self, at: int) -> bool:
        """Whether a token is the first of its sentence or line."""
        start = self._tokens[at][2]
        end = self._tokens[at - 1][2] + len(self._tokens[at - 1][1]) if at else 0
        return at == 0 or bool(_ENDS.intersection(self._text[end:start]))

    def _next(self, at: int) -> str:
        """The token behind, unless something but a space or a hyphen stands between."""
        if at + 1 >= len(self._tokens):
            return ""
        _, token, start = self._tokens[at + 1]
        end = self._tokens[at][2] + len(self._tokens[at][1])
        between = self._text[end:start]
        return token if between.strip(" -\u00a0\u202f") == "" else between.strip()[:1]

    def _content_after(self, at: int) -> str:
        """Stem of the first word behind a negation that says something, so that a negation that moves is seen."""
        for _, token, _ in self._tokens[at + 1 : at + 6]:
            low = _bare(token.lower())
            if low not in STOP and low not in NEGATIONS and low not in FOREIGN and low not in {"t", "s"}:
                return stem(low)
        return ""


def _is_code(token: str) -> bool:
    """Whether a token is a path, an address, an identifier: names whatever their case."""
    inner = token.rstrip(".:")
    return bool(re.search(r"[@#/\\_+&:]|\w\.\w|^--?\w|[a-z][A-Z]", inner))


def _bare(low: str) -> str:
    return low.rstrip(".:-&").removesuffix("'s")


def _plain(number: str) -> str:
    """A number without separators of thousands, leading zeros, and in ASCII digits."""
    plain = re.sub(r"[,’']", "", number) if _GROUPED.fullmatch(number) else number
    plain = "".join(str(unicodedata.digit(char)) if char.isdigit() else char for char in plain)
    return plain.lstrip("0") or "0" if plain.isdigit() else plain
