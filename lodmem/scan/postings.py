"""The inverted index in memory: which passages hold a term, how often. It knows passages by row number, nothing else.

A base in one block (built in bulk) and small lists for what came since; the lists are folded in when they have grown.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

FOLD_AT = 200_000

Ints = NDArray[np.int32]


class Postings:
    """`find` gives (passage rows rising, term counts) of a term."""

    def __init__(self) -> None:
        self._vocabulary: dict[str, int] = {}
        self._starts = np.zeros(1, dtype=np.int64)
        self._rows: Ints = np.zeros(0, dtype=np.int32)
        self._counts: Ints = np.zeros(0, dtype=np.int32)
        self._recent: dict[int, tuple[array[int], array[int]]] = {}
        self._recent_size = 0

    def __len__(self) -> int:
        """Number of distinct terms ever seen."""
        return len(self._vocabulary)

    def extend(self, first_row: int, passages: Sequence[Sequence[str]]) -> None:
        """Add passages; their rows follow one another from `first_row`, above all rows added before."""
        if sum(len(terms) for terms in passages) > FOLD_AT // 4:
            self._extend_in_bulk(first_row, passages)
            return
        for row, terms in enumerate(passages, start=first_row):
            counted: dict[str, int] = {}
            for term in terms:
                counted[term] = counted.get(term, 0) + 1
            for term, count in counted.items():
                number = self._vocabulary.setdefault(term, len(self._vocabulary))
                rows, counts = self._recent.setdefault(number, (array("i"), array("i")))
                rows.append(row)
                counts.append(count)
            self._recent_size += len(counted)
        if self._recent_size > FOLD_AT:
            self._merge(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))

    def find(self, term: str) -> tuple[Ints, Ints]:
        number = self._vocabulary.get(term)
        if number is None:
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        rows, counts = self._base(number)
        recent = self._recent.get(number)
        if recent is None:
            return rows, counts
        newer = (np.array(recent[0], dtype=np.int32), np.array(recent[1], dtype=np.int32))
        return np.concatenate((rows, newer[0])), np.concatenate((counts, newer[1]))

    def _base(self, number: int) -> tuple[Ints, Ints]:
        if number + 1 >= len(self._starts):
            return self._rows[:0], self._counts[:0]
        part = slice(int(self._starts[number]), int(self._starts[number + 1]))
        return self._rows[part], self._counts[part]

    def _extend_in_bulk(self, first_row: int, passages: Sequence[Sequence[str]]) -> None:
        numbers = np.fromiter(self._numbers(chain.from_iterable(passages)), dtype=np.int64)
        lengths = np.fromiter((len(terms) for terms in passages), dtype=np.int64, count=len(passages))
        rows = np.repeat(np.arange(first_row, first_row + len(passages), dtype=np.int64), lengths)
        keys, counts = np.unique((numbers << 32) | rows, return_counts=True)
        self._merge(keys >> 32, (keys & 0xFFFFFFFF).astype(np.int32), counts.astype(np.int32))

    def _numbers(self, terms: Iterable[str]) -> Iterable[int]:
        vocabulary = self._vocabulary
        for term in terms:
            yield vocabulary.setdefault(term, len(vocabulary))

    def _merge(self, numbers: NDArray[np.int64], rows: Ints, counts: Ints) -> None:
        """Fold base, recent lists and the given postings into a new base, by term, then row."""
        base_numbers = np.repeat(np.arange(len(self._starts) - 1, dtype=np.int64), np.diff(self._starts))
        recent = sorted(self._recent.items())
        parts = [np.full(len(lists[0]), number, dtype=np.int64) for number, lists in recent]
        all_numbers = np.concatenate([base_numbers, *parts, numbers])
        all_rows = np.concatenate([self._rows, *(np.array(lists[0], np.int32) for _, lists in recent), rows])
        all_counts = np.concatenate([self._counts, *(np.array(lists[1], np.int32) for _, lists in recent), counts])
        order = np.lexsort((all_rows, all_numbers))
        self._rows, self._counts = all_rows[order], all_counts[order]
        sizes = np.bincount(all_numbers, minlength=len(self._vocabulary))
        self._starts = np.concatenate(([0], np.cumsum(sizes)))
        self._recent = {}
        self._recent_size = 0
