"""Names of regions: the words that their headlines have and others lack. Pure; texts come in.

Source: Grootendorst 2022 (BERTopic), section 3.3, class-based TF-IDF: tf(t, c) * log(1 + A / f(t)), A the mean number of words
a class; a word counts once a headline.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log

from lodmem.text.looks import Word, surface_words

LONGEST = 36  # characters of a label
WORDS = 2
_LEAST_LOOK = 0.5
_LONGEST_WORD = 24
_PAIR = 1.15  # a pair of words says more than either alone
_OFTEN = 0.5  # of the times that the rarer one is there
_BASE = 0.34  # share of the headlines of a class below which a word is too rare to stand for it, against its best word

_LIFT = 1.5  # times as often as everywhere
_CLIPPED = re.compile("['’](?!s$)[a-z]{1,2}$")  # don't, we'll

Term = tuple[str, ...]


@dataclass(slots=True)
class _Counts:
    """How many headlines hold each term, and how each is written."""

    headlines: int = 0
    terms: Counter[Term] = field(default_factory=Counter)
    forms: dict[Term, Counter[str]] = field(default_factory=dict)

    def add(self, other: _Counts) -> None:
        self.headlines += other.headlines
        self.terms.update(other.terms)
        for term, forms in other.forms.items():
            self.forms.setdefault(term, Counter()).update(forms)


def labels(headlines: Mapping[int, Sequence[str]], group_of: Mapping[int, int]) -> tuple[dict[int, str], dict[int, str]]:
    """Labels of fine clusters by number, and of the groups they lie in; '' where no word stands out. Those of one level differ
    where their words allow it."""
    fine = {number: _counted(texts) for number, texts in headlines.items()}
    coarse: dict[int, _Counts] = {}
    for number, found in fine.items():
        coarse.setdefault(group_of[number], _Counts()).add(found)
    return _named(fine), _named(coarse)


def _counted(texts: Sequence[str]) -> _Counts:
    counts = _Counts()
    for text in texts:
        counts.headlines += 1
        seen: dict[Term, str] = {}
        for term, form in _terms(text):
            seen.setdefault(term, form)
        for term, form in seen.items():
            counts.terms[term] += 1
            counts.forms.setdefault(term, Counter())[form] += 1
    return counts


def _terms(text: str) -> Iterator[tuple[Term, str]]:
    """Words worth a name, and pairs of them that stand side by side, each with its form in the text."""
    found = surface_words(text)
    for word in found:
        if _is_telling(word):
            yield (word.term,), word.surface
    for one, two in pairwise(found):
        if _is_telling(one) and _is_telling(two) and one.term != two.term:
            form = f"{one.surface} {two.surface}"
            if len(form) <= LONGEST and form in text:
                yield (one.term, two.term), form


def _is_telling(word: Word) -> bool:
    return (
        word.inside >= _LEAST_LOOK
        and 1 < len(word.surface) <= _LONGEST_WORD
        and not word.surface[0].isdigit()
        and any(map(str.isalpha, word.surface))
        and not _CLIPPED.search(word.surface)
    )


def _named(classes: Mapping[int, _Counts]) -> dict[int, str]:
    total: Counter[Term] = Counter()
    for counts in classes.values():
        total.update(counts.terms)
    mean = sum(total.values()) / max(len(classes), 1)
    headlines = sum(counts.headlines for counts in classes.values())
    found: dict[int, str] = {}
    taken: set[str] = set()
    for number in sorted(classes, key=lambda n: (-classes[n].headlines, n)):
        chosen = _chosen(classes[number], total, mean, headlines)
        label = _joined(chosen[:WORDS])
        if label.casefold() in taken:
            label = _joined([*chosen[: WORDS - 1], *chosen[WORDS : WORDS + 1]])
        taken.add(label.casefold())
        found[number] = label
    return found


def _chosen(counts: _Counts, total: Mapping[Term, int], mean: float, headlines: int) -> list[str]:
    """Up to WORDS + 1 forms, the best first, no word twice."""
    least = 1 if counts.headlines < 4 else 2

    def weight(term: Term) -> float:
        share = counts.terms[term] / counts.headlines
        return share * log(1 + mean / total[term]) * (_PAIR if len(term) > 1 else 1.0)

    def stands_out(term: Term) -> bool:
        return counts.headlines == headlines or counts.terms[term] * headlines >= _LIFT * total[term] * counts.headlines

    candidates = sorted((t for t in counts.terms if counts.terms[t] >= least and stands_out(t)), key=lambda t: (-weight(t), t))
    chosen: list[str] = []
    said: set[str] = set()
    best = 0.0
    for term in candidates:
        if len(chosen) > WORDS or weight(term) < _BASE * best:
            break
        pick = _paired(term, counts, candidates) if len(term) == 1 else term
        if said.intersection(pick) or (len(pick) > 1 and not _belongs(pick, counts)):
            continue
        best = best or weight(term)
        said.update(pick)
        chosen.append(max(counts.forms[pick].items(), key=lambda item: (item[1], item[0]))[0])
    return chosen


def _belongs(pair: Term, counts: _Counts) -> bool:
    """Whether two words stand side by side often enough to be one name."""
    return counts.terms[pair] >= _OFTEN * min(counts.terms[(word,)] for word in pair)


def _paired(term: Term, counts: _Counts, candidates: Sequence[Term]) -> Term:
    """The pair that a word mostly stands in, else the word."""
    for pair in candidates:
        if len(pair) > 1 and term[0] in pair and counts.terms[pair] >= _OFTEN * counts.terms[term]:
            return pair
    return term


def _joined(forms: Sequence[str]) -> str:
    label = ""
    for form in forms:
        bare = form[:-2] if form.endswith(("'s", "’s")) else form
        longer = f"{label}, {bare}" if label else bare
        if len(longer) > LONGEST:
            break
        label = longer
    return label
