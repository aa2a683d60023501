"""The patterns of one space, and which of them could stop or be updated by a new one. In memory, kept up by a run.

A pattern that differs in a number, a date or a negation can only stand beside (SPEC 5.3), and so can one that lacks a name of
the other. So only those that agree in all of these have to be compared, which keeps a run from growing with the square. A few
that share the rarest words are compared too: how alike they are is what the gate's log is for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lodmem.model.distilled import Pattern
from lodmem.text.exact import Exact, exact
from lodmem.text.tokens import index_terms

NEAREST = 5
_COMMON = 200  # a term that so many patterns hold tells little about which are near

_Key = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, str], ...]]


class Shelf:
    """Patterns by id. Putting one there again replaces it; its text never changes."""

    def __init__(self, patterns: Iterable[Pattern] = ()) -> None:
        self._patterns: dict[int, Pattern] = {}
        self._agreeing: dict[_Key, list[int]] = {}
        self._words: dict[int, frozenset[str]] = {}
        self._holders: dict[str, list[int]] = {}
        for pattern in patterns:
            self.put(pattern)

    def __len__(self) -> int:
        return len(self._patterns)

    def __getitem__(self, number: int) -> Pattern:
        return self._patterns[number]

    def put(self, pattern: Pattern) -> None:
        """Keep a pattern."""
        if pattern.id not in self._patterns:
            read = exact(pattern.text)
            self._agreeing.setdefault(_key(read), []).append(pattern.id)
            self._words[pattern.id] = read.known
            for term in set(index_terms(pattern.text)):
                self._holders.setdefault(term, []).append(pattern.id)
        self._patterns[pattern.id] = pattern

    def candidates(self, text: str) -> list[tuple[int, str]]:
        """(id, text) of every pattern that the gate could skip or update this text for, and of some near ones; rising ids."""
        read = exact(text)
        found = {i for i in self._agreeing.get(_key(read), ()) if self._words[i].issuperset(read.names)}
        shared: Counter[int] = Counter()
        for term in set(index_terms(text)):
            holders = self._holders.get(term, ())
            if len(holders) <= _COMMON:
                shared.update(holders)
        found.update(i for i, _ in sorted(shared.items(), key=lambda each: (-each[1], each[0]))[:NEAREST])
        return [(i, self._patterns[i].text) for i in sorted(found)]


def _key(read: Exact) -> _Key:
    return read.numbers, read.dates, read.negations
