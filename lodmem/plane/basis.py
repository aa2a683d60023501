"""What a map is made from: the embeddings of memories, or, in a store without a model, the words of their texts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from lodmem.ports import Store
from lodmem.ports.basics import Floats
from lodmem.ports.mapped import Ids

WORD_DIMS = 512
_AT_ONCE = 256
_MOST_TERMS = 256


class Basis(Protocol):
    """Gives vectors of memories: ids, rising, of those that have one, and a unit (or zero) row each."""

    def vectors(self, ids: Sequence[int]) -> tuple[Ids, Floats]: ...


class Meaning:
    """A memory's vector is the mean of its own passages' vectors."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def vectors(self, ids: Sequence[int]) -> tuple[Ids, Floats]:
        return self._store.meanings(ids)


class Words:
    """A memory's vector is the sum of a direction for each of its terms, the rarer the heavier.

    Directions are random signs, so that the cosine of two memories is about that of their weighted terms (Achlioptas 2003).
    How rare a term is, is counted over the landmarks: what no landmark holds tells nothing about where a memory belongs.
    """

    def __init__(self, store: Store, landmarks: Sequence[int]) -> None:
        self._store = store
        held: Counter[str] = Counter()
        count = 0
        for start in range(0, len(landmarks), 4096):
            for terms in store.term_lists(landmarks[start : start + 4096]).values():
                held.update(set(terms))
                count += 1
        self._number = {term: i for i, term in enumerate(sorted(held))}
        self._weight = np.array([np.log(1 + count / held[t]) for t in sorted(held)], np.float32)
        self._direction = _directions(self._number)

    def vectors(self, ids: Sequence[int]) -> tuple[Ids, Floats]:
        lists = self._store.term_lists(ids)
        rows = np.zeros((len(lists), WORD_DIMS), np.float32)
        known = list(lists.values())
        for start in range(0, len(known), _AT_ONCE):
            self._fill(rows[start : start + _AT_ONCE], known[start : start + _AT_ONCE])
        return np.array(list(lists), np.int64), rows

    def question(self, terms: Iterable[str]) -> Floats:
        """The vector of a question's terms."""
        row = np.zeros((1, WORD_DIMS), np.float32)
        self._fill(row, [list(terms)])
        return np.asarray(row[0])

    def _fill(self, rows: Floats, lists: Sequence[Sequence[str]]) -> None:
        numbers: list[int] = []
        times: list[int] = []
        owners: list[int] = []
        for owner, terms in enumerate(lists):
            counted = Counter(number for term in terms if (number := self._number.get(term)) is not None)
            best = sorted(counted.items())[:_MOST_TERMS]
            numbers += [number for number, _ in best]
            times += [count for _, count in best]
            owners += [owner] * len(best)
        if not numbers:
            return
        index, owned = np.array(numbers), np.array(owners)
        weight = self._weight[index] * (1 + np.log(np.array(times, np.float32)))
        starts = np.flatnonzero(np.concatenate(([True], owned[1:] != owned[:-1])))
        sums = np.add.reduceat(self._direction[index] * weight[:, None], starts, axis=0)
        rows[owned[starts]] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)


def _directions(numbers: Mapping[str, int]) -> np.ndarray:
    """A row of WORD_DIMS signs, int8, for each term."""
    digests = b"".join(hashlib.blake2b(term.encode(), digest_size=WORD_DIMS // 8).digest() for term in numbers)
    bits = np.unpackbits(np.frombuffer(digests, np.uint8).reshape(len(numbers), WORD_DIMS // 8), axis=1)
    return bits.astype(np.int8) * 2 - 1
