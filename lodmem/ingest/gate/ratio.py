"""How alike two texts are, as SequenceMatcher counts it, and quickly how alike they can be at most."""

from __future__ import annotations

from rapidfuzz.distance import Indel

LONG, PIECE = 64, 16  # characters: from where places are passed over, and by which piece


def ratio(one: str, other: str) -> float:
    """Twice the characters in matching blocks, by those of both texts; 0 to 1, 1 for two empty ones. Not symmetric.

    Equal to difflib.SequenceMatcher(None, one, other, autojunk=False).ratio(), found with searches in C.
    Source: Ratcliff and Metzener 1988, "Pattern matching: the gestalt approach".
    """
    total = len(one) + len(other)
    return 2.0 * _matching(one, other) / total if total else 1.0


def at_most(one: str, other: str) -> float:
    """A bound that `ratio` never exceeds.

    The matching blocks are a common subsequence, so that the longest common subsequence, in the same formula, is a bound:
    Indel similarity counts twice its length. Bit-parallel work.
    """
    total = len(one) + len(other)
    return float(Indel.similarity(one, other)) / total if total else 1.0


def _matching(one: str, other: str) -> int:
    """Characters in matching blocks: of the longest block, then of what is left of it on both sides, then right."""
    found = 0
    open_parts = [(0, len(one), 0, len(other))]
    while open_parts:
        lo, hi, other_lo, other_hi = open_parts.pop()
        at, other_at, size = _longest(one, lo, hi, other, other_lo, other_hi)
        if size:
            found += size
            if lo < at and other_lo < other_at:
                open_parts.append((lo, at, other_lo, other_at))
            if at + size < hi and other_at + size < other_hi:
                open_parts.append((at + size, hi, other_at + size, other_hi))
    return found


def _longest(one: str, lo: int, hi: int, other: str, other_lo: int, other_hi: int) -> tuple[int, int, int]:
    """The longest common block: of several the first in `one`, of these the first in `other`."""
    best_at, best_other, best = lo, other_lo, 0
    at = lo
    while at + best < hi:
        found = other.find(one[at : at + best + 1], other_lo, other_hi)
        if found < 0:
            at = _next(one, at, best + 1, other, other_lo, other_hi)
            continue
        best_at, best_other = at, found
        best = _reach(one, at, hi, other, found, other_hi, best + 1)
    return best_at, best_other, best


def _next(one: str, at: int, size: int, other: str, other_lo: int, other_hi: int) -> int:
    """The next place where a block of `size` may begin, when none begins at `at`: behind what breaks this one, if that is
    nowhere in `other` with some characters before it."""
    if size < LONG:
        return at + 1
    there, broken = 0, size  # so many characters from `at` are in `other`; so many are not
    while broken - there > 1:
        middle = (there + broken) // 2
        if other.find(one[at : at + middle], other_lo, other_hi) < 0:
            broken = middle
        else:
            there = middle
    begin = at + max(0, broken - PIECE)
    return begin + 1 if other.find(one[begin : at + broken], other_lo, other_hi) < 0 else at + 1


def _reach(one: str, at: int, hi: int, other: str, other_at: int, other_hi: int, size: int) -> int:
    """How far two places agree that are known to agree for `size` characters."""
    most = min(hi - at, other_hi - other_at)
    step = 1
    while size < most:
        step = min(step, most - size)
        if one[at + size : at + size + step] == other[other_at + size : other_at + size + step]:
            size += step
            step *= 2
        elif step == 1:
            break
        else:
            step = max(1, step // 4)
    return size
