"""A text read into weighted sentences: who speaks, which terms, how much is said. Knows no tokens, no budget, no query.

There are no statistics of other texts here, so a term's weight comes from the text itself (how often it is said) and from
what it looks like: names, numbers and rare-looking words count more than common ones.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from math import log1p

from lodmem.text.sentences import sentences
from lodmem.text.stopwords import (
    ASKING,
    CHATTER,
    COMMON,
    DATING,
    DETERMINERS,
    FIRST_PERSON,
    FIRST_PERSON_DENSE,
    LABELS,
    PAST,
    ROLES,
    STOP,
)
from lodmem.text.tokens import DENSE, stem

MAX_UNITS = 4000

_SPEAKER = re.compile(
    r"(?:\*\*|[<\[])?([^\W\d_][\w.'-]*(?:[ ][^\W\d_][\w.'-]*){0,2})(?:[ ]?\([^()\n]{1,30}\))?(?:\*\*|[>\]])?:(?:\*\*)?\s+(?=\S)"
)
_WORD = re.compile(rf"[{DENSE}]+|[^\W{DENSE}]+(?:[-.'’/:+#]+[^\W{DENSE}]+)*(?:\+\+|\#)?")
_DENSE_RUN = re.compile("[\u3041-\u309f]+|[\u30a1-\u30ff\u31f0-\u31ff]+|[^\u3041-\u30ff\u31f0-\u31ff]+")
_MARKER = re.compile(r"(?:[-*+•‣◦▪·]|#{1,6}|>+|\d{1,3}[.)])\s+")
_SPACE = re.compile(r"\s+")
_FAILURE = re.compile(
    r"\b\w*(?:Error|Exception|FAIL|[Ff]ailed|FATAL|CRITICAL|panic|[Dd]ecided|[Dd]ecision|TODO|must not|never|always)\b"
)
_POINTER = re.compile(
    r"\b(?:(?:take|have|here'?s) a (?:look|pic|photo)|look at (?:this|that)|check (?:this|that|it) out|see (?:below|above)"
    r"|by the way)\b",
    re.I,
)
_SIMPLE = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
_QUESTION_MARKS = ("?", "？", "?)", '?"')
_AFTER_ARTICLE = 1.2
_ASKING_TELLS = 3.0
_ASKING_SCORES = 4.0
_VAGUE = {"it", "that", "this", "they", "these", "those", "he", "she", "there", "so", "and", "but", "or", "then"}


@dataclass(slots=True)
class Unit:
    """One sentence. `text` is [start, stop) of the full text on one line, without its speaker's label; `speaker` may be ''."""

    start: int
    stop: int
    text: str
    speaker: str
    words: list[tuple[str, str]] = field(default_factory=list)
    terms: frozenset[str] = frozenset()
    score: float = 0.0


@dataclass(slots=True)
class Reading:
    """Units in order; `weights` maps each term of the text to its weight there; `speakers` are the terms of speakers' names."""

    units: list[Unit]
    weights: dict[str, float]
    speakers: frozenset[str]


def split(text: str) -> list[Unit]:
    """The text's sentences in order, each with its speaker; words, terms and scores are left empty.

    Beyond 4,000 sentences every n-th is given, so that cost and answer stay bounded.
    """
    spans = sentences(text)
    if len(spans) > MAX_UNITS:
        spans = spans[:: -(-len(spans) // MAX_UNITS)]
    units = [_unit(text, start, stop) for start, stop in spans]
    _name_speakers(units)
    return units


def read(text: str) -> Reading:
    """The text's sentences with their words and scores, and what each term weighs in the text."""
    units = split(text)
    names = {unit.speaker for unit in units if unit.speaker}
    dialogue = len(names) > 1 and any(name.lower() in ASKING for name in names)
    said: dict[str, float] = {}
    looks: dict[str, float] = {}
    for unit in units:
        unit.words = surface_words(unit.text)
        tells = telling(unit.text)
        if dialogue and unit.speaker.lower() in ASKING:
            tells *= _ASKING_TELLS
        before = ""
        for word, term in unit.words:
            said[term] = said.get(term, 0.0) + (_AFTER_ARTICLE * tells if before in DETERMINERS else tells)
            looks[term] = max(looks.get(term, 0.0), _look(word, not before))
            before = word.lower()
    weights = {term: looks[term] * log1p(mass) for term, mass in said.items()}
    speakers = frozenset(term for name in names for _, term in surface_words(name))
    for term in speakers & weights.keys():
        weights[term] = min(weights[term], 0.3)
    for number, unit in enumerate(units):
        unit.terms = frozenset(term for _, term in unit.words if weights[term] > 0.0)
        unit.score = _score(unit, weights, number, dialogue)
    return Reading(units, weights, speakers)


def surface_words(text: str) -> list[tuple[str, str]]:
    """(surface form, term) of each word, in order. Scripts without spaces give runs of one script, long ones in pairs."""
    found: list[tuple[str, str]] = []
    for word in _WORD.findall(text):
        if word.isascii() or not _is_dense(word):
            bare = word.strip("_")
            if bare:
                found.append((bare, _term(bare)))
            continue
        for run in _DENSE_RUN.findall(word):
            pieces = [run] if len(run) <= 4 else [run[i : i + 2] for i in range(len(run) - 1)]
            found.extend((piece, piece) for piece in pieces)
    return found


def _is_dense(word: str) -> bool:
    return re.match(f"[{DENSE}]", word) is not None


def _term(word: str) -> str:
    low = word.lower().replace("’", "'")
    if low.endswith("'s"):
        low = low[:-2]
    return stem(low) if low else low


def _unit(text: str, start: int, stop: int) -> Unit:
    line = _SPACE.sub(" ", text[start:stop])
    match = _SPEAKER.match(line) if ":" in line else None
    label = match[1] if match else ""
    if label.lower() in ROLES or (label and label[0].isupper() and label.lower() not in LABELS):
        return Unit(start, stop, line, label)
    return Unit(start, stop, line, "")


def _name_speakers(units: list[Unit]) -> None:
    """Decide which labels are speakers, hand each unit its speaker, and take the label out of its text.

    Roles ("user") always are, and where the text opens with one nobody else is. A name is a speaker when it opens the text, or
    when names that come twice and more open a quarter of the sentences.
    """
    labels = Counter(unit.speaker for unit in units if unit.speaker)
    first = units[0].speaker if units else ""
    real = {label for label in labels if label.lower() in ROLES}
    if first not in real:
        repeated = {label for label, count in labels.items() if count > 1}
        if first or 4 * sum(labels[label] for label in repeated) >= len(units):
            real |= repeated | {first}
    current = ""
    for unit in units:
        if unit.speaker and unit.speaker in real:
            current = unit.speaker
            match = _SPEAKER.match(unit.text)
            unit.text = unit.text[match.end() :] if match else unit.text
        unit.speaker = current


@lru_cache(maxsize=1 << 13)
def _look(word: str, opens: bool) -> float:
    """How much a word's looks promise, 0 (stop word) to about 2; `opens`: it opens its sentence, a capital says nothing."""
    low = word.lower().replace("’", "'")
    low = low[:-2] if low.endswith("'s") else low
    if low in STOP or low.split("'")[0] in STOP:
        return 0.0
    if low in CHATTER:
        return 0.1
    if not word.isascii():
        return 1.2 if len(word) > 1 else 0.4
    if any(char.isdigit() for char in word):
        return 1.2 if len(word) > 2 else 0.7
    if low in COMMON:
        return 0.3
    look = 0.6 if len(low) < 4 else 1.0 if len(low) < 7 else 1.15
    if word[0].isupper() and not opens:
        look *= 1.5
    elif not low.isalpha() or (not word.islower() and not word[1:].islower()):
        look *= 1.3
    return look


@lru_cache(maxsize=1 << 14)
def telling(text: str) -> float:
    """How likely a sentence's words are to be asked for later, 1 and up: it dates, tells of oneself, reports, or sets a topic."""
    words = set(_SIMPLE.findall(text.lower()))
    factor = 1.0
    if _dates(words):
        factor *= 2.5
    if not words.isdisjoint(FIRST_PERSON) or (not text.isascii() and not FIRST_PERSON_DENSE.isdisjoint(text)):
        factor *= 1.8
    if not words.isdisjoint(PAST) or any(word.endswith("ed") and len(word) > 4 for word in words):
        factor *= 1.4
    if text.endswith(_QUESTION_MARKS):
        factor *= 2.5
    return factor


def _dates(words: set[str]) -> bool:
    return not words.isdisjoint(DATING) or any(len(word) == 4 and word.isdecimal() for word in words)


def _score(unit: Unit, weights: dict[str, float], number: int, dialogue: bool) -> float:
    """What a sentence says for its length, times factors for facts and against talk."""
    if not unit.terms:
        return 0.0
    mass: float = sum(weights[term] for term in unit.terms)
    score: float = mass / (len(unit.words) + 4.0) ** 0.6
    text = unit.text
    words = {word.lower() for word, _ in unit.words}
    if _DIGIT.search(text) or _dates(words):
        score *= 1.25
    if not words.isdisjoint(FIRST_PERSON) or words & {"i'm", "i've", "i'd", "i'll", "we're", "we've"}:
        score *= 1.2
    if _FAILURE.search(text):
        score *= 1.3
    if text.endswith(_QUESTION_MARKS):
        score *= 0.5
    if _POINTER.search(text):
        score *= 0.4
    opening = unit.words[0][0].lower()
    if opening in CHATTER:
        score *= 0.7
    elif opening in _VAGUE:
        score *= 0.85
    if number == 0:
        score *= 1.15
    if dialogue and unit.speaker.lower() in ASKING:
        score *= _ASKING_SCORES
    return score


def without_marker(text: str) -> str:
    """The text without a list, heading or quote marker before it."""
    return _MARKER.sub("", text, count=1) if _MARKER.match(text) else text
