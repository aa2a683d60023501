"""Keywords of a text: distinctive words in the form the text uses. Knows no statistics of other texts."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeVar

from lodmem.text.looks import surface_words
from lodmem.text.units import Reading, Unit

_LEAST = 0.5
_LONGEST = 40

_Key = TypeVar("_Key")


def keywords(reading: Reading, lead: str, limit: int) -> list[str]:
    """At most `limit` words that `lead` lacks, the weightiest first, ties in the text's order. A name of two words is one."""
    said = {word.term for word in surface_words(lead)} | reading.speakers
    weights = reading.weights
    forms: dict[str, dict[str, int]] = {}
    names: dict[str, dict[tuple[str, str], int]] = {}
    for unit in reading.units:
        for word, term, inside, _, _, _ in unit.words:
            if inside >= _LEAST and weights[term] >= _LEAST and term not in said and len(word) <= _LONGEST:
                counts = forms.setdefault(term, {})
                counts[word] = counts.get(word, 0) + 1
        _collect_names(unit, names)
    found: list[str] = []
    for term in sorted(forms, key=lambda term: -weights[term]):
        if len(found) == limit:
            break
        if term in said:
            continue
        said.add(term)
        form = _most_common(forms[term])
        if pairs := names.get(term):
            name, other = pair = _most_common(pairs)
            if other in forms and other not in said and 2 * pairs[pair] >= forms[term][form]:
                form = name
                said.add(other)
        found.append(form)
    return [_bare(form) for form in found]


def _collect_names(unit: Unit, names: dict[str, dict[tuple[str, str], int]]) -> None:
    """Count pairs of capitalised words that stand side by side, under the terms of both."""
    for first, second in pairwise(unit.words):
        if first.capital and second.capital and first.term != second.term:
            name = f"{first.surface} {second.surface}"
            if name in unit.text:
                for term, other in ((first.term, second.term), (second.term, first.term)):
                    counts = names.setdefault(term, {})
                    counts[name, other] = counts.get((name, other), 0) + 1


def _most_common(counts: dict[_Key, int]) -> _Key:
    """The key of the highest count, the first of several."""
    return max(counts, key=counts.__getitem__)


def _bare(form: str) -> str:
    return form[:-2] if form.endswith(("'s", "’s")) else form
