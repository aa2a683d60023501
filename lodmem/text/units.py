"""A text read into weighted sentences: who speaks, which terms, how much is said. Knows no tokens, no budget, no query.

There are no statistics of other texts here, so a term's weight comes from the text itself (how often and in what sentences it
is said) and from what it looks like: names, numbers and rare-looking words count more than common ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum, log1p

from lodmem.text.looks import Word, surface_words
from lodmem.text.sentences import sentences
from lodmem.text.stopwords import ASKING, LABELS, ROLES
from lodmem.text.telling import worths

MAX_UNITS = 4000
MAX_CHARS = 800_000

_SPEAKER = re.compile(
    r"(?:\*\*|[<\[])?([^\W\d_][\w.'-]*(?:[ ][^\W\d_][\w.'-]*){0,2})(?:[ ]?\([^()\n]{1,30}\))?(?:\*\*|[>\]])?:(?:\*\*)?\s+(?=\S)"
)
_LINE_ENDS = ("\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029")

_AFTER_ARTICLE = 1.2
_ASKING_TELLS = 5.0
_ASKING_SCORES = 4.0
_SPEAKER_WEIGHT = 0.3


@dataclass(slots=True)
class Unit:
    """One sentence. `text` is [start, stop) of the full text on one line, without its speaker's label; `speaker` may be ''.

    `line` numbers the lines of the text on which a sentence begins; sentences of one wrapped paragraph share theirs.
    """

    start: int
    stop: int
    text: str
    speaker: str
    line: int = 0
    words: list[Word] = field(default_factory=list)
    terms: frozenset[str] = frozenset()
    score: float = 0.0


@dataclass(slots=True)
class Reading:
    """Units in order; `weights` maps each term of the text to its weight there; `speakers` are the terms of speakers' names."""

    units: list[Unit]
    weights: dict[str, float]
    speakers: frozenset[str]


def split(text: str, spans: Sequence[tuple[int, int]] | None = None) -> list[Unit]:
    """The text's sentences in order, each with its speaker; words, terms and scores are left empty.

    Beyond 4,000 sentences, or 800,000 characters, every n-th is given, so that cost and answer stay bounded. `spans`: the
    text's sentences, where they are known.
    """
    if spans is None:
        spans = sentences(text)
    stride = max(-(-len(spans) // MAX_UNITS), -(-len(text) // MAX_CHARS), 1)
    spans = spans[::stride]
    units = [_unit(text, start, stop) for start, stop in spans]
    if len(units) > 1:
        line = 0
        for unit in units:
            line += text[max(0, unit.start - 40) : unit.start].rstrip(" \t").endswith(_LINE_ENDS)
            unit.line = line
    _name_speakers(units)
    return units


def read(text: str, spans: Sequence[tuple[int, int]] | None = None) -> Reading:
    """The text's sentences with their words and scores, and what each term weighs in the text; `spans` as in `split`."""
    units = split(text, spans)
    names = {unit.speaker for unit in units if unit.speaker}
    asking = {name for name in names if name.lower() in ASKING} if len(names) > 1 else set()
    factors = [worths(unit.text) for unit in units]
    weights = _weigh(
        units,
        [tells * (_ASKING_TELLS if unit.speaker in asking else 1.0) for unit, (tells, _) in zip(units, factors, strict=True)],
    )
    speakers = frozenset(word.term for name in names for word in surface_words(name))
    for term in speakers & weights.keys():
        weights[term] = min(weights[term], _SPEAKER_WEIGHT)
    for number, (unit, (_, substance)) in enumerate(zip(units, factors, strict=True)):
        unit.terms = frozenset([word.term for word in unit.words if weights[word.term] > 0.0])
        if unit.terms:
            # fsum: the order of a set of strings changes with every process, the last bit must not.
            density = fsum(map(weights.__getitem__, unit.terms)) / (len(unit.words) + 4.0) ** 0.6
            first = 1.15 if number == 0 else 1.0
            unit.score = density * substance * first * (_ASKING_SCORES if unit.speaker in asking else 1.0)
    return Reading(units, weights, speakers)


def _weigh(units: list[Unit], tellings: list[float]) -> dict[str, float]:
    """Weights of the terms: looks times the logarithm of how tellingly often they are said. Fills in the units' words."""
    said: dict[str, float] = {}
    looks: dict[str, float] = {}
    for unit, tells in zip(units, tellings, strict=True):
        unit.words = surface_words(unit.text)
        first, mass = True, tells
        for _, term, inside, opening, determiner, _ in unit.words:
            said[term] = said.get(term, 0.0) + mass
            worth = opening if first else inside
            if worth > looks.get(term, -1.0):
                looks[term] = worth
            first, mass = False, _AFTER_ARTICLE * tells if determiner else tells
    return {term: looks[term] * log1p(mass) for term, mass in said.items()}


def _unit(text: str, start: int, stop: int) -> Unit:
    line = " ".join(text[start:stop].split())
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
    if not any(unit.speaker for unit in units):
        return
    labels = Counter(unit.speaker for unit in units if unit.speaker)
    first = units[0].speaker
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
