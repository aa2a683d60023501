"""Patterns without a model: the episodes' own sentences. What several episodes say stands once and weighs more. Pure.

A sentence becomes a pattern when it states something (`sayings`), or when three different episodes say it, whatever it states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lodmem.ingest.distill.found import Found, has_quality
from lodmem.ingest.distill.sayings import Saying, sayings
from lodmem.ingest.episodes import importance_of
from lodmem.model.memory import Memory
from lodmem.text.differs import compared, exact
from lodmem.text.tokens import index_terms

REPEATED = 3  # episodes that make a sentence without cues a pattern
SAME = 0.75  # shared terms of all terms
_MOST = 0.95
_AGAIN = 0.85  # each further episode takes away this much of what lacks to 1


@dataclass(slots=True)
class _Group:
    """Sentences that say the same, the most telling first."""

    best: Saying
    terms: frozenset[str]
    episodes: set[int] = field(default_factory=set)


def distil(episodes: Sequence[Memory]) -> tuple[list[Found], int]:
    """Patterns of a batch in the order they were first said, and how many sentences were looked at as candidates but had no
    quality."""
    groups: list[_Group] = []
    holders: dict[str, set[int]] = {}
    for memory in episodes:
        speaker = str(memory.meta.get("speaker", ""))[:60]
        for saying in sayings(memory.full, speaker):
            _put(saying, memory.id, groups, holders)
    found: list[Found] = []
    poor = 0
    for group in groups:
        if not group.best.cues and len(group.episodes) < REPEATED:
            continue
        if not has_quality(group.best.text):
            poor += 1
            continue
        found.append(Found(group.best.text, tuple(sorted(group.episodes)), importance(group.best.text, len(group.episodes))))
    return found, poor


def importance(text: str, episodes: int) -> float:
    """What the text looks like, raised by each further episode that says it, at most .95; in hundredths."""
    looks = importance_of(text)
    return round(max(looks, min(_MOST, 1.0 - (1.0 - looks) * _AGAIN ** (episodes - 1))), 2)


def _put(saying: Saying, memory_id: int, groups: list[_Group], holders: dict[str, set[int]]) -> None:
    terms = frozenset(index_terms(saying.text))
    if not terms:
        return
    near = set().union(*(holders.get(term, set()) for term in terms))
    for number in sorted(near):
        group = groups[number]
        if len(terms & group.terms) >= SAME * len(terms | group.terms) and _agree(saying.text, group.best.text):
            group.episodes.add(memory_id)
            if len(saying.cues) > len(group.best.cues):
                group.best = saying
            return
    for term in terms:
        holders.setdefault(term, set()).add(len(groups))
    groups.append(_Group(saying, terms, {memory_id}))


def _agree(one: str, other: str) -> bool:
    """Whether two sentences name the same, count the same, and neither denies what the other says."""
    return not compared(exact(one), exact(other))
