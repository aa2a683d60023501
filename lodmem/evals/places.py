"""From scores of memories to the ranks of evidence, by turn and by session. It refuses to know who scored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.evals.datasets import Case

Places = dict[str, int | None]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Names best first with their scores, each once."""

    names: tuple[str, ...]
    scores: tuple[float, ...]

    def places(self, gold: Iterable[str]) -> Places:
        """Rank of each gold name, from 1; None where it is not ranked. Names that share a memory share its rank once."""
        at = {name: rank for rank, name in enumerate(self.names, start=1)}
        return {name: at.get(name) for name in gold}


class Board:
    """The turns and sessions of one case by memory id."""

    def __init__(self, case: Case, ids: Mapping[str, int]) -> None:
        self._label: dict[int, str] = {}
        self._session: dict[int, str] = {}
        self._by_user: set[int] = set()
        self._same: dict[str, str] = {}
        for index, label in enumerate(case.labels):
            memory_id = ids[label]
            self._same[label] = self._label.setdefault(memory_id, label)
            self._session.setdefault(memory_id, case.sessions[index])
            if case.by_user and case.by_user[index]:
                self._by_user.add(memory_id)
        self.has_official = bool(case.by_user)

    def turns(self, scores: Mapping[int, float], *, official: bool = False) -> Ranking:
        """Labels of turns by score, ties by id. `official`: of user turns alone."""
        ids, values = self._ordered(scores, official=official)
        return Ranking(tuple(self._label[i] for i in ids.tolist()), tuple(values.tolist()))

    def sessions(self, scores: Mapping[int, float], *, official: bool = False) -> Ranking:
        """Sessions by the best score of their turns, ties by the id of that turn. `official`: of their user turns."""
        ids, values = self._ordered(scores, official=official)
        best: dict[str, float] = {}
        for memory_id, value in zip(ids.tolist(), values.tolist(), strict=True):
            best.setdefault(self._session[memory_id], value)
        return Ranking(tuple(best), tuple(best.values()))

    def gold(self, labels: Collection[str]) -> tuple[str, ...]:
        """Labels as they stand in rankings: equal turns of one place are one memory under its first label."""
        return tuple(dict.fromkeys(self._same[label] for label in labels))

    def _ordered(
        self, scores: Mapping[int, float], *, official: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        chosen = [i for i in scores if i in self._by_user] if official else list(scores)
        ids = np.array(chosen, dtype=np.int64)
        values = np.array([scores[i] for i in chosen], dtype=np.float64)
        order = np.lexsort((ids, -values))
        return ids[order], values[order]
