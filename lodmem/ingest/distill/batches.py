"""Which episodes are distilled together: those of one space and class, as many as fit. Reads the store, changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lodmem.errors import UnknownMemory
from lodmem.ingest.episodes import CONSTITUTIONAL, NOISE, episode_class_of
from lodmem.model.memory import Memory
from lodmem.ports import Store

PAGE = 200


@dataclass(frozen=True, slots=True)
class Batch:
    """Episodes of one space, or ids of noise there, which is only marked. `constitutional`: they state what is held to."""

    space: str
    episodes: tuple[Memory, ...]
    noise: tuple[int, ...] = ()
    constitutional: bool = False


def batches(store: Store, *, space: str | None, again: bool, most_tokens: int | None) -> Iterator[Batch]:
    """What waits, by rising id within a space and class; each with at most `most_tokens` (one episode may have more), or 200
    episodes."""
    after = 0
    while page := store.undistilled(space=space, after=after, limit=PAGE, again=again):
        after = page[-1]
        yield from _grouped(there(store, page), most_tokens)


def there(store: Store, ids: Sequence[int]) -> list[Memory]:
    """The memories of those ids that are still there."""
    try:
        return store.get(ids)
    except UnknownMemory:  # one was forgotten since the ids were read
        found: list[Memory] = []
        for memory_id in ids:
            try:
                found += store.get([memory_id])
            except UnknownMemory:
                continue
        return found


def _grouped(memories: Sequence[Memory], most_tokens: int | None) -> Iterator[Batch]:
    groups: dict[tuple[str, bool], list[Memory]] = {}
    noise: dict[str, list[int]] = {}
    for memory in memories:
        kind = memory.episode_class or episode_class_of(memory.full)
        if kind == NOISE:
            noise.setdefault(memory.space, []).append(memory.id)
        else:
            groups.setdefault((memory.space, kind == CONSTITUTIONAL), []).append(memory)
    for space, ids in noise.items():
        yield Batch(space, (), tuple(ids))
    for (space, constitutional), found in groups.items():
        for part in _parts(found, most_tokens):
            yield Batch(space, tuple(part), (), constitutional)


def _parts(memories: Sequence[Memory], most_tokens: int | None) -> Iterator[list[Memory]]:
    part: list[Memory] = []
    tokens = 0
    for memory in memories:
        if part and most_tokens is not None and tokens + memory.tokens_full > most_tokens:
            yield part
            part, tokens = [], 0
        part.append(memory)
        tokens += memory.tokens_full
    if part:
        yield part
