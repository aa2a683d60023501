"""In which exact things two texts differ: numbers, dates, names, negation. Asks no model.

It is strict: where a difference may be one of these, it counts as one, since what is at stake is only whether two texts that
look alike are kept as two. Where case says nothing (no capitals at all, capitals only, a script without case), any word that
the other text lacks may be a name.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from lodmem.text.exact import Exact, exact
from lodmem.text.exact_words import NEGATING_PREFIXES, OPPOSED
from lodmem.text.stems import stem
from lodmem.text.stopwords import FOREIGN, STOP

__all__ = ["Difference", "Exact", "compared", "differences", "exact"]


class Difference(StrEnum):
    """What two texts differ in; a closed set."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"


def differences(one: str, other: str) -> tuple[Difference, ...]:
    """The kinds of exact things in which they differ, in the order of `Difference`; empty: none was found."""
    return () if one == other else compared(exact(one), exact(other))


def compared(one: Exact, other: Exact) -> tuple[Difference, ...]:
    """As `differences`, of texts that were read before. Symmetric."""
    found = {
        Difference.NUMBER: one.numbers != other.numbers,
        Difference.DATE: one.dates != other.dates,
        Difference.NAME: _names_differ(one, other),
        Difference.NEGATION: one.negations != other.negations or _opposed(one, other) or _opposed(other, one),
    }
    return tuple(kind for kind, differs in found.items() if differs)


def _names_differ(one: Exact, other: Exact) -> bool:
    if one.signs != other.signs:
        return True
    if any(_lacks(a, b) for a, b in ((one, other), (other, one))):
        return True
    sure = {name for side in (one, other) for name in side.names}
    if [w for w in one.words if w in sure] != [w for w in other.words if w in sure]:
        return True
    return bool(one.persons - other.persons) and bool(other.persons - one.persons)


def _lacks(one: Exact, other: Exact) -> bool:
    """Whether `one` has what may be a name and `other` has not."""
    if any(name not in other.known for name in one.names):
        return True
    maybe = one.openers
    if one.uncased or other.uncased:
        maybe = maybe | {word for word in one.known if word not in STOP and word not in FOREIGN}
    missing = [word for word in maybe if word not in other.known]
    if not missing:
        return False
    stems = {stem(word) for word in other.known}
    return any(stem(word) not in stems for word in missing)


def _opposed(one: Exact, other: Exact) -> bool:
    """Whether a word of `one` stands against one of `other`: its opposite, itself with a prefix, "-less" for "-ful"."""
    if one.words == other.words:
        return False
    counted, theirs = Counter(one.words), Counter(other.words)
    own, others = counted - theirs, theirs - counted
    return any(_opposites(word) & others.keys() for word in own)


def _opposites(word: str) -> set[str]:
    found = set(OPPOSED.get(word, ()))
    found.update(word[len(prefix) :] for prefix in NEGATING_PREFIXES if word.startswith(prefix) and len(word) > len(prefix) + 2)
    if word.endswith("less"):
        found.update((word[:-4], f"{word[:-4]}ful"))
    return found
