"""Keywords of a text: distinctive words in the form the text uses. Knows no statistics of other texts."""

from __future__ import annotations

from collections import Counter

from lodmem.text.units import Reading, surface_words


def keywords(reading: Reading, lead: str, limit: int) -> list[str]:
    """At most `limit` words that `lead` lacks, the weightiest first, ties in the text's order."""
    said = {term for _, term in surface_words(lead)} | reading.speakers
    forms: dict[str, Counter[str]] = {}
    for unit in reading.units:
        for word, term in unit.words:
            if term not in said and reading.weights[term] >= 0.5:
                forms.setdefault(term, Counter())[word] += 1
    order = sorted(forms, key=lambda term: -reading.weights[term])
    return [forms[term].most_common(1)[0][0] for term in order[:limit]]
