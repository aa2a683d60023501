"""Patterns before the gate: what was found in a batch of episodes, of what quality, and which episodes it stands in. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lodmem.text.faithful import invented, support

MIN_CHARS, MIN_WORDS, MAX_CHARS = 30, 3, 600
LEAST_SUPPORT = 0.5  # share of a pattern's terms that its best episode has
_NEAR = 0.8  # of the best episode's share: such an episode says it too


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern, the ids of the episodes that say it (rising), and how important it is, 0..1."""

    text: str
    episodes: tuple[int, ...]
    importance: float


def has_quality(text: str) -> bool:
    """At least 30 characters and 3 words, at most 600 characters, on one line."""
    return MIN_CHARS <= len(text) <= MAX_CHARS and len(text.split()) >= MIN_WORDS and "\n" not in text


def episodes_of(text: str, episodes: Mapping[int, str]) -> tuple[int, ...]:
    """Ids of the episodes that a pattern was made of: those that hold most of its words, and whatever else it takes to have all
    its names and numbers. Empty: it says what they do not, or is hardly about them."""
    shares = {memory_id: support(text, full) for memory_id, full in episodes.items()} if text.strip() else {}
    order = sorted(shares, key=lambda memory_id: (-shares[memory_id], memory_id))
    if not order or not shares[order[0]]:
        return ()
    best = shares[order[0]]
    chosen = [memory_id for memory_id in order if shares[memory_id] >= _NEAR * best]
    rest = [memory_id for memory_id in order[len(chosen) :] if shares[memory_id] > 0.0]
    while missing := invented(text, _together(chosen, episodes)):
        nearer = next((i for i in rest if len(invented(text, _together([*chosen, i], episodes))) < len(missing)), None)
        if nearer is None:
            return ()
        chosen.append(nearer)
        rest.remove(nearer)
    return tuple(sorted(chosen)) if support(text, _together(chosen, episodes)) >= LEAST_SUPPORT else ()


def stands_in(text: str, episodes: Mapping[int, str]) -> bool:
    """Whether these episodes together hold every name and number of a pattern, and most of its words."""
    whole = "\n".join(episodes.values())
    return bool(episodes) and not invented(text, whole) and support(text, whole) >= LEAST_SUPPORT


def _together(ids: list[int], episodes: Mapping[int, str]) -> str:
    return "\n".join(episodes[memory_id] for memory_id in ids)
