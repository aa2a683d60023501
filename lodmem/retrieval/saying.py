"""Which older memories say something with some words. Words alone: what a sentence speaks of is no matter of its whole text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.relevance import idf
from lodmem.scan.columns import Columns
from lodmem.scan.scan import Scan

RAREST = 8  # of the words, those looked up
LATEST = 1_000  # passages looked at of one word
LEAST = 2  # words that a memory must have of several


def saying(scan: Scan, memory_id: int, subjects: Sequence[frozenset[str]], count: int) -> list[int]:
    """Memories of the same space that were there before this one and hold most of the words of a subject, by idf, the latest
    of equal ones first; at most `count` for each, those of the first subject first. Use inside `with scan.lock`, synced."""
    row = scan.columns.row(memory_id)
    found: dict[int, None] = {}
    if row is not None:
        for words in subjects:
            found.update(dict.fromkeys(_saying(scan.columns, row, words, count)))
    return list(found)


def _saying(columns: Columns, row: int, words: frozenset[str], count: int) -> list[int]:
    own = int(columns.first[row])
    lists: list[NDArray[np.int64]] = []
    weights: list[NDArray[np.float64]] = []
    sizes = sorted((len(columns.postings.find(word)[0]), word) for word in words)
    rare = [(size, word) for size, word in sizes if size][:RAREST]
    for size, word in rare:
        passages, _ = columns.postings.find(word)
        before = passages[: int(np.searchsorted(passages, own))][-LATEST:]
        rows = np.unique(columns.memory_of[before]).astype(np.int64)
        lists.append(rows)
        weights.append(np.full(len(rows), idf(size, columns.living)))
    if not lists:
        return []
    rows, inverse, times = np.unique(np.concatenate(lists), return_inverse=True, return_counts=True)
    mass = np.bincount(inverse, weights=np.concatenate(weights), minlength=len(rows))
    kept = columns.alive[rows] & (columns.space[rows] == columns.space[row]) & (rows != row) & (times >= min(LEAST, len(rare)))
    order = np.lexsort((-rows[kept], -np.round(mass[kept], 6)))[:count]
    return [int(memory_id) for memory_id in columns.id[rows[kept][order]]]
