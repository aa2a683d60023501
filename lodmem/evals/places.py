"""From scores of memories to the ranks of evidence, by turn and by session. It refuses to know who scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.evals.datasets import Case

Ints = NDArray[np.int64]
Array = NDArray[np.float64]
Places = dict[str, int | None]


@dataclass(frozen=True, slots=True)
class Scores:
    """Memories that a system ranks and their scores, in any order; higher is better, ties go to the lower id."""

    ids: Ints
    values: Array


@dataclass(frozen=True, slots=True)
class Ranking:
    """Numbers of names best first, with their scores, each once."""

    order: Ints
    values: Array
    names: Sequence[str]
    number: Mapping[str, int]

    def places(self, gold: Iterable[str]) -> Places:
        """Rank of each gold name, from 1; None where it is not ranked."""
        return {name: self._place(name) for name in gold}

    def first(self, count: int) -> list[tuple[str, float]]:
        """The best names and their scores."""
        return [(self.names[n], float(v)) for n, v in zip(self.order[:count].tolist(), self.values[:count], strict=True)]

    def score(self, name: str) -> float | None:
        """Score of a name, None where it is not ranked."""
        place = self._place(name)
        return None if place is None else float(self.values[place - 1])

    def _place(self, name: str) -> int | None:
        found = np.flatnonzero(self.order == self.number[name])
        return int(found[0]) + 1 if len(found) else None


class Board:
    """The turns and sessions of one case by memory id."""

    def __init__(self, case: Case, ids: Mapping[str, int]) -> None:
        first: dict[int, int] = {}
        for index, label in enumerate(case.labels):
            first.setdefault(ids[label], index)
        kept = [first[memory_id] for memory_id in sorted(first)]
        self._ids: Ints = np.array(sorted(first), dtype=np.int64)
        self._labels = [case.labels[index] for index in kept]
        self._number = {label: int(np.searchsorted(self._ids, memory_id)) for label, memory_id in ids.items()}
        self._session_names = list(dict.fromkeys(case.sessions))
        self._session_number = {name: number for number, name in enumerate(self._session_names)}
        self._session_of: Ints = np.array([self._session_number[case.sessions[i]] for i in kept], dtype=np.int64)
        self._by_user = np.array([bool(case.by_user) and case.by_user[i] for i in kept], dtype=np.bool_)

    def turns(self, scores: Scores, *, official: bool = False) -> Ranking:
        """Turns by score, ties by id. `official`: user turns alone."""
        turns, values = self._ordered(scores, official=official)
        return Ranking(turns, values, self._labels, self._number)

    def sessions(self, scores: Scores, *, official: bool = False) -> Ranking:
        """Sessions by the best score of their turns, ties by the id of that turn. `official`: of their user turns."""
        turns, values = self._ordered(scores, official=official)
        numbers, first = np.unique(self._session_of[turns], return_index=True)
        order = np.argsort(first, kind="stable")
        return Ranking(numbers[order], values[first[order]], self._session_names, self._session_number)

    def distinct(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Labels as they stand in rankings: equal turns of one place are one memory, under its first label."""
        return tuple(dict.fromkeys(self._labels[self._number[label]] for label in labels))

    def user_turns(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Those of the labels that a user wrote."""
        return tuple(label for label in labels if self._by_user[self._number[label]])

    def session_of(self, label: str) -> str:
        return self._session_names[int(self._session_of[self._number[label]])]

    def _ordered(self, scores: Scores, *, official: bool) -> tuple[Ints, Array]:
        turns = np.searchsorted(self._ids, scores.ids)
        values = scores.values
        if official:
            kept = self._by_user[turns]
            turns, values = turns[kept], values[kept]
        order = np.lexsort((turns, -values))
        return turns[order], values[order]
