"""Keywords of a text: distinctive words in the form the text uses. Knows no statistics of other texts."""

from __future__ import annotations

from collections import Counter

from lodmem.text.looks import look, surface_words
from lodmem.text.units import Reading, Unit

_LEAST = 0.5
_LONGEST = 40


def keywords(reading: Reading, lead: str, limit: int) -> list[str]:
    """At most `limit` words that `lead` lacks, the weightiest first, ties in the text's order. A name of two words is one."""
    said = {term for _, term in surface_words(lead)} | reading.speakers
    forms: dict[str, Counter[str]] = {}
    names: dict[str, Counter[tuple[str, str]]] = {}
    for unit in reading.units:
        for word, term in unit.words:
            if len(word) <= _LONGEST and term not in said and reading.weights[term] >= _LEAST and look(word, False) >= _LEAST:
                forms.setdefault(term, Counter())[word] += 1
        _collect_names(unit, names)
    found: list[str] = []
    for term in sorted(forms, key=lambda term: -reading.weights[term]):
        if len(found) == limit:
            break
        if term in said:
            continue
        said.add(term)
        form, count = forms[term].most_common(1)[0]
        for (name, other), times in names.get(term, Counter()).most_common(1):
            if other in forms and other not in said and 2 * times >= count:
                form = name
                said.add(other)
        found.append(form)
    return [_bare(form) for form in found]


def _collect_names(unit: Unit, names: dict[str, Counter[tuple[str, str]]]) -> None:
    """Count pairs of capitalised words that stand side by side, under the terms of both."""
    words = unit.words
    for number in range(1, len(words)):
        (first, one), (second, two) = words[number - 1], words[number]
        if first[0].isupper() and second[0].isupper() and one != two and f"{first} {second}" in unit.text:
            names.setdefault(one, Counter())[f"{first} {second}", two] += 1
            names.setdefault(two, Counter())[f"{first} {second}", one] += 1


def _bare(form: str) -> str:
    return form[:-2] if form.endswith(("'s", "’s")) else form
