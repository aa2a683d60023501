"""Texts that follow one form, such as log entries, tickets, inspections: each tells of another thing, and contradicts none."""

from __future__ import annotations

import re
from collections import Counter

from lodmem.text.sentences import sentences

ALIKE = 0.5  # share of the words of two sentences that both have
OF_A_FORM = 0.6  # share of the sentences that the other text has, the same or alike
_WORD = re.compile(r"\w+")


def are_records(one: str, two: str) -> bool:
    """Whether most sentences of the texts are the same or alike, and more than one of them differs.

    Where one form differs in one sentence alone, it may be the same thing told anew.
    """
    first, second = _said(one), _said(two)
    most = max(len(first), len(second))
    if most < 2:
        return False
    rest = [sentence for sentence in first if sentence not in second]
    others = [sentence for sentence in second if sentence not in first]
    alike = sum(_alike(left, right) for left, right in zip(rest, others, strict=False))
    return alike > 1 and most - max(len(rest), len(others)) + alike >= OF_A_FORM * most


def _said(text: str) -> dict[str, None]:
    return dict.fromkeys(text[start:stop].lower() for start, stop in sentences(text))


def _alike(one: str, two: str) -> bool:
    left, right = Counter(_WORD.findall(one)), Counter(_WORD.findall(two))
    return (left & right).total() >= ALIKE * max(left.total(), right.total(), 1)
