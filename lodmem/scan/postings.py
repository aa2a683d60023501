"""The inverted index in memory: which passages hold a term, how often. It knows passages by row number, nothing else.

A base in one block, which may be mapped from a file, and small lists for what came since; the lists are folded in when they
have grown. Rows only ever rise, so folding never sorts.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

FOLD_AT = 200_000
FOLD_SHARE = 20
MOST = np.iinfo(np.uint16).max

Ints = NDArray[np.int32]
Shorts = NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Block:
    """Postings in one piece: term t has rows[starts[t]:starts[t + 1]], rising, and as many counts.

    `hashes` are of the terms' UTF-8, rising; `terms` the numbers that belong to them; `spelled` and `ends` all terms' bytes
    one after another, by number.
    """

    starts: NDArray[np.int64]
    rows: Ints
    counts: Shorts
    hashes: NDArray[np.uint64]
    terms: Ints
    spelled: NDArray[np.uint8]
    ends: NDArray[np.int64]


def nothing() -> Block:
    """A block without a term."""
    return Block(
        np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.uint16), np.zeros(0, np.uint64), np.zeros(0, np.int32),
        np.zeros(0, np.uint8), np.zeros(0, np.int64),
    )  # fmt: skip


class Postings:
    """`find` gives (passage rows rising, term counts) of a term."""

    def __init__(self, base: Block | None = None) -> None:
        self._base = base or nothing()
        self._named = len(self._base.ends)
        self._newer: defaultdict[str, int] = defaultdict(self.__len__)
        self._starts, self._rows, self._counts = self._base.starts, self._base.rows, self._base.counts
        self._recent: dict[int, tuple[array[int], array[int]]] = {}
        self._recent_size = 0
        self._bulk: list[tuple[NDArray[np.int64], Ints, Shorts]] = []

    def __len__(self) -> int:
        """Number of distinct terms ever seen."""
        return self._named + len(self._newer)

    def extend(self, first_row: int, passages: Sequence[Sequence[str]]) -> None:
        """Add passages; their rows follow one another from `first_row`, above all rows added before."""
        for row, terms in enumerate(passages, start=first_row):
            counted: dict[str, int] = {}
            for term in terms:
                counted[term] = counted.get(term, 0) + 1
            for term, count in counted.items():
                rows, counts = self._recent.setdefault(self._number(term), (array("i"), array("H")))
                rows.append(row)
                counts.append(min(count, MOST))
            self._recent_size += len(counted)
        if self._recent_size > max(FOLD_AT, len(self._rows) // FOLD_SHARE):
            self.fold()

    def extend_in_bulk(self, first_row: int, passages: Sequence[Sequence[str]]) -> None:
        """The same for many passages; nothing of it is found before `fold`."""
        if self._recent:
            self.fold()  # their rows are lower
        numbers = np.fromiter(self._numbers(chain.from_iterable(passages)), dtype=np.int64)
        lengths = np.fromiter((len(terms) for terms in passages), dtype=np.int64, count=len(passages))
        rows = np.repeat(np.arange(first_row, first_row + len(passages), dtype=np.int64), lengths)
        keys, counts = np.unique((numbers << 32) | rows, return_counts=True)
        found = np.minimum(counts, MOST).astype(np.uint16)
        self._bulk.append((keys >> 32, (keys & 0xFFFFFFFF).astype(np.int32), found))

    def find(self, term: str) -> tuple[Ints, Shorts]:
        number = self._known(term)
        if number is None:
            return self._rows[:0], self._counts[:0]
        rows, counts = self._of(number)
        recent = self._recent.get(number)
        if recent is None:
            return rows, counts
        newer = (np.array(recent[0], dtype=np.int32), np.array(recent[1], dtype=np.uint16))
        return np.concatenate((rows, newer[0])), np.concatenate((counts, newer[1]))

    def fold(self) -> None:
        """Make one block of everything."""
        recent = sorted(self._recent.items())
        parts = self._bulk
        if recent:
            sizes = [len(rows) for _, (rows, _) in recent]
            numbers = np.repeat(np.array([number for number, _ in recent], dtype=np.int64), sizes)
            rows = np.concatenate([np.array(rows, dtype=np.int32) for _, (rows, _) in recent])
            counts = np.concatenate([np.array(counts, dtype=np.uint16) for _, (_, counts) in recent])
            parts = [*parts, (numbers, rows, counts)]
        if parts:
            self._starts, self._rows, self._counts = _woven(self._starts, self._rows, self._counts, parts, len(self))
        self._recent, self._recent_size, self._bulk = {}, 0, []

    def block(self) -> Block:
        """Everything in one piece, for a file. The arrays stay as they are whatever is added later."""
        self.fold()
        base = self._base
        encoded = [term.encode() for term in self._newer]
        hashes = np.concatenate((base.hashes, np.array([_hash(term) for term in encoded], dtype=np.uint64)))
        numbers = np.concatenate((base.terms, np.arange(self._named, len(self), dtype=np.int32)))
        order = np.argsort(hashes, kind="stable")
        spelled = np.concatenate((base.spelled, np.frombuffer(b"".join(encoded), dtype=np.uint8)))
        lengths = np.array([len(term) for term in encoded], dtype=np.int64)
        ends = np.concatenate((base.ends, len(base.spelled) + np.cumsum(lengths)))
        return Block(_padded(self._starts, len(self)), self._rows, self._counts, hashes[order], numbers[order], spelled, ends)

    def _of(self, number: int) -> tuple[Ints, Shorts]:
        if number + 1 >= len(self._starts):
            return self._rows[:0], self._counts[:0]
        part = slice(int(self._starts[number]), int(self._starts[number + 1]))
        return self._rows[part], self._counts[part]

    def _known(self, term: str) -> int | None:
        newer = self._newer.get(term)
        return newer if newer is not None or not self._named else self._in_base(term.encode())

    def _in_base(self, term: bytes) -> int | None:
        base, wanted = self._base, np.uint64(_hash(term))
        at = int(np.searchsorted(base.hashes, wanted))
        while at < len(base.hashes) and base.hashes[at] == wanted:
            number = int(base.terms[at])
            start = int(base.ends[number - 1]) if number else 0
            if base.spelled[start : int(base.ends[number])].tobytes() == term:
                return number
            at += 1
        return None

    def _number(self, term: str) -> int:
        known = self._known(term)
        return self._newer[term] if known is None else known

    def _numbers(self, terms: Iterable[str]) -> Iterable[int]:
        # A new term gets its number by being asked for: several times faster than a loop here.
        return map(self._number if self._named else self._newer.__getitem__, terms)


def _woven(
    starts: NDArray[np.int64], rows: Ints, counts: Shorts, parts: Sequence[tuple[NDArray[np.int64], Ints, Shorts]], terms: int
) -> tuple[NDArray[np.int64], Ints, Shorts]:
    """One set of postings from several, each sorted by (term, row), rows of a later one above those of an earlier one."""
    sizes = np.zeros(terms, dtype=np.int64)
    sizes[: len(starts) - 1] = np.diff(starts)
    filled = sizes.copy()
    for numbers, _, _ in parts:
        sizes += np.bincount(numbers, minlength=terms)
    woven = np.concatenate(([0], np.cumsum(sizes)))
    all_rows, all_counts = np.empty(woven[-1], dtype=np.int32), np.empty(woven[-1], dtype=np.uint16)
    old = np.arange(len(rows)) + np.repeat(woven[: len(starts) - 1] - starts[:-1], np.diff(starts))
    all_rows[old], all_counts[old] = rows, counts
    for numbers, part_rows, part_counts in parts:
        held = np.bincount(numbers, minlength=terms)
        inside = np.arange(len(numbers)) - np.repeat(np.cumsum(held) - held, held)
        places = woven[numbers] + filled[numbers] + inside
        all_rows[places], all_counts[places] = part_rows, part_counts
        filled += held
    return woven, all_rows, all_counts


def _padded(starts: NDArray[np.int64], terms: int) -> NDArray[np.int64]:
    """Starts for so many terms; the last ones may never have had a posting."""
    return np.concatenate((starts, np.full(terms + 1 - len(starts), starts[-1], dtype=np.int64)))


def _hash(term: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(term, digest_size=8).digest(), "little")
