"""What a value measures: the nearest measuring word ("accuracy", "response time"), and what narrows it. Pure, English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lodmem.ingest.conflicts.clauses import terms_of, words
from lodmem.text.stopwords import STOP

_LEFT, _RIGHT = 130, 45
_MEASURES = words(
    "accuracy coverage score grade rate time latency delay lag debounce timeout uptime availability "
    "deadline quota limit price cost rent salary wage income revenue fee fare ratio weight height width "
    "length size balance distance speed temperature dose dosage capacity storage bandwidth mileage "
    "interest discount commission pre-approved preapproved budget allowance savings debt percentage "
    "mastery pace margin share tax bonus deposit donation bill premium volume voltage battery "
    "subscription tip reward quote quoted rating gpa rank ranking index level"
)
_MEASURE = re.compile(rf"\b({'|'.join(sorted(map(re.escape, _MEASURES), key=len, reverse=True))})s?\b", re.IGNORECASE)
# What tells of a measure where no measuring word is near.
_DOING = re.compile(r"\b(raised|raise|saved|spent|spend|earned|earn|paid|pay|payment|invested|owe|owed)\b", re.IGNORECASE)
_WORD = re.compile(r"[\w'’-]+")


@dataclass(frozen=True, slots=True)
class Attribute:
    """`name` is the measuring word, `narrow` are the words before it."""

    name: str
    narrow: frozenset[str]

    def fits(self, other: Attribute) -> bool:
        """Whether both may be one attribute: the same word, and nothing that narrows them differently."""
        if self.name != other.name:
            return False
        return not self.narrow or not other.narrow or bool(self.narrow & other.narrow)


def attribute(sentence: str, start: int, stop: int, *, money: bool = False) -> Attribute | None:
    """The attribute of the value at [start, stop): the nearest measuring word before it, else close behind it; for money also
    what is done with it."""
    found = _last(_MEASURE, sentence, max(0, start - _LEFT), start)
    ahead = _MEASURE.search(sentence, stop, min(len(sentence), stop + _RIGHT))
    if ahead is not None and (found is None or ahead.start() - stop < start - found.end() - 25):
        found = ahead
    if found is None and money:
        found = _last(_DOING, sentence, max(0, start - _LEFT), start)
    named = None if found is None else _named(sentence, found)
    return None if named is None or (named.name == "time" and not named.narrow) else named


def _last(pattern: re.Pattern[str], text: str, start: int, stop: int) -> re.Match[str] | None:
    found = list(pattern.finditer(text, start, stop))
    return found[-1] if found else None


def _named(sentence: str, found: re.Match[str]) -> Attribute:
    before = [word.lower() for word in _WORD.findall(sentence[max(0, found.start() - 40) : found.start()])][-3:]
    narrow: list[str] = []
    for word in reversed(before):
        if word in STOP or word in _ENDS:
            break
        narrow.append(word)
    return Attribute(_stem(found[1].lower()), frozenset(t for word in narrow for t in terms_of(word)))


@lru_cache(maxsize=512)
def _stem(word: str) -> str:
    return min(terms_of(word), key=len, default=word)


_ENDS = frozenset(words("average mean total current overall new initial my the a an"))
