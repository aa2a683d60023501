"""The verdicts: skip, update, add. Thresholds are SPEC 5.3's; numbers, dates, names and negation come before them."""

from __future__ import annotations

from collections.abc import Sequence

from lodmem.ingest.gate.ratio import at_most, ratio
from lodmem.model.gate import GateVerdict, Verdict
from lodmem.text.differs import compared
from lodmem.text.exact import exact

SKIP_FROM = 0.95
UPDATE_FROM = 0.70
LONGEST = 20_000  # characters from which texts are not compared: the time grows with the square


def judge_pattern(
    new: str,
    others: Sequence[tuple[int, str]],
    *,
    skip_from: float = SKIP_FROM,
    update_from: float = UPDATE_FROM,
) -> GateVerdict:
    """Whether a pattern is there already (skip, changing nothing), says another one anew (update), or is new (add).

    `others`: (id, text). Of several the most similar one decides, ties by the lower id. One that differs from it in a number, a
    date, a name or a negation can only be beside it.
    """
    return _judged(new, others, skip_from, update_from)


def judge_experience(new: str, others: Sequence[tuple[int, str]], *, copy_from: float = SKIP_FROM) -> GateVerdict:
    """Whether an experience is a near copy of an older one; it is added all the same.

    The verdict is always add. It is a near copy where `similarity` reaches `copy_from` and nothing is `blocked`.
    """
    found = _judged(new, others, copy_from, copy_from, least=UPDATE_FROM, first=True)
    return GateVerdict(verdict=Verdict.ADD, other=found.other, similarity=found.similarity, blocked=found.blocked)


def is_copy(verdict: GateVerdict, copy_from: float = SKIP_FROM) -> bool:
    """Whether a verdict on an experience says that it is a near copy of `other`."""
    return verdict.other is not None and verdict.similarity >= copy_from and not verdict.blocked


def _judged(
    new: str,
    others: Sequence[tuple[int, str]],
    skip_from: float,
    update_from: float,
    *,
    least: float | None = None,
    first: bool = False,
) -> GateVerdict:
    """`least`: from where similarities are exact. `first`: any of those that reach `skip_from` will do, and of those that are
    blocked the one with the highest bound stands for all."""
    least = update_from if least is None else least
    best = nearest = GateVerdict(verdict=Verdict.ADD, other=None, similarity=0.0)
    bounded = sorted(((_bound(new, text), other, text) for other, text in others), key=lambda each: (-each[0], each[1]))
    for bound, other, text in bounded:
        if new == text:
            return GateVerdict(verdict=Verdict.SKIP, other=other, similarity=1.0)
        if bound < least or _too_long(new, text):
            if nearest.other is None:
                blocked = "length" if _too_long(new, text) else ""
                nearest = GateVerdict(verdict=Verdict.ADD, other=other, similarity=bound, blocked=blocked)
            break
        if bound <= best.similarity:
            break
        blocked = ", ".join(compared(exact(new), exact(text)))
        if blocked and nearest.other is not None and (first or bound <= nearest.similarity):
            continue
        found = _by_ratio(ratio(new, text), other, blocked, skip_from, update_from)
        if found.verdict is not Verdict.ADD and found.similarity > best.similarity:
            best = found
            if first and found.verdict is Verdict.SKIP:
                break
        if nearest.other is None or found.similarity > nearest.similarity:
            nearest = found
    return nearest if best.other is None else best


def _too_long(new: str, text: str) -> bool:
    return max(len(new), len(text)) > LONGEST


def _bound(new: str, text: str) -> float:
    """Above the ratio; of a text too long, whether it is the same."""
    return float(new == text) if _too_long(new, text) else at_most(new, text)


def _by_ratio(similarity: float, other: int, blocked: str, skip_from: float, update_from: float) -> GateVerdict:
    verdict = Verdict.ADD
    if similarity < update_from:
        blocked = ""
    elif not blocked:
        verdict = Verdict.SKIP if similarity >= skip_from else Verdict.UPDATE
    return GateVerdict(verdict=verdict, other=other, similarity=similarity, blocked=blocked)
