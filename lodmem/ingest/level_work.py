"""Levels by a language model for what waits in the queue: two tasks, one call each, so that a killed worker repeats one call at
most. When a memory's summary is done, its headline is enqueued in the place of it.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from lodmem.errors import UnknownMemory
from lodmem.ingest.level_writer import HEADLINE, SUMMARY, Kept, levels_of, write_headline, write_summary
from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Memory
from lodmem.ports import Clock, Language, Store, TokenCounter, WorkItem

TASK = "levels"  # its summary first, then the task HEADLINE
PAGE = 500
EXTRACTIVE, VERB_KEPT = "extractive", "levels_kept"

_WRITERS = {SUMMARY: write_summary, HEADLINE: write_headline}


@dataclass(slots=True)
class Releveled:
    """`written` counts levels by name, `kept` those that stayed, by reason; `short` memories are their own levels. `left` still
    wait; `stopped`: why the run ended before them."""

    memories: int = 0
    written: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    short: int = 0
    left: int = 0
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """What both tasks work with. `agent` is named in the audit log; `report` adds up, `lock` guards it."""

    store: Store
    language: Language
    counter: TokenCounter
    clock: Clock
    agent: str
    report: Releveled = field(default_factory=Releveled)
    lock: threading.Lock = field(default_factory=threading.Lock)


class LevelTask:
    """Writes one level of one memory."""

    batch, idle = 1, True

    def __init__(self, level: str, desk: Desk) -> None:
        self._level, self._desk = level, desk
        self.name = TASK if level == SUMMARY else level
        self.turn = nullcontext()

    def work(self, items: Sequence[WorkItem], stop: Callable[[], bool]) -> None:
        """See Task. A level that may not stand is counted and noted, and the one that was there stays."""
        (item,) = items
        if item.memory_id is not None and self._write(*self._desk.store.get([item.memory_id])) and self._level == SUMMARY:
            self._desk.store.complete([item.id], then=HEADLINE, now_us=self._desk.clock.now_us())
            return
        self._desk.store.complete([item.id])
        with self._desk.lock:
            self._desk.report.memories += 1

    def _write(self, memory: Memory) -> bool:
        """Whether the memory has levels of its own."""
        desk, report, level = self._desk, self._desk.report, self._level
        if memory.is_short:
            with desk.lock:
                report.short += 1
            return False
        outcome = _WRITERS[level](memory.full, levels_of(memory), desk.language, desk.counter)
        told: dict[str, object] = {"level": level, "model": desk.language.model_for(level).name}
        if isinstance(outcome, Kept):
            desk.store.audit(self._entry(memory, VERB_KEPT, {**told, "reason": outcome.reason}))
        else:
            desk.store.set_levels(memory.id, outcome, audit=self._entry(memory, "levels", told))
        with desk.lock:
            if isinstance(outcome, Kept):
                report.kept[outcome.reason] += 1
            else:
                report.written[level] += 1
        return True

    def _entry(self, memory: Memory, verb: str, detail: Mapping[str, object]) -> AuditEntry:
        return AuditEntry(
            at_us=self._desk.clock.now_us(),
            space=memory.space,
            agent=self._desk.agent,
            verb=verb,
            detail={"ids": [memory.id], **detail},
        )


def level_tasks(desk: Desk) -> tuple[LevelTask, ...]:
    """The headline first: a memory that was begun is ended before another one is begun."""
    return LevelTask(HEADLINE, desk), LevelTask(SUMMARY, desk)


def waiting(store: Store) -> int:
    """How many memories wait for a level."""
    return store.backlog(TASK) + store.backlog(HEADLINE)


def enqueue(store: Store, ids: Sequence[int] | None, language: Language, *, now_us: int, again: bool = False) -> int:
    """Put memories into the queue; how many. None: all that are not short, not written by a language model, and not such that
    both levels by the models in use were already no good; with `again` those too. Raises UnknownMemory."""
    if ids is not None:
        store.get(ids)
        store.enqueue(TASK, ids, now_us=now_us)
        return len(set(ids))
    count, after = 0, 0
    tried = frozenset() if again else _rejected(store, language)
    while page := store.ids(after=after, limit=PAGE):
        after = page[-1]
        there = [memory for memory in _there(store, page) if not memory.is_short]
        found = [m.id for m in there if again or (m.written_by == EXTRACTIVE and m.id not in tried)]
        store.enqueue(TASK, found, now_us=now_us)
        count += len(found)
    return count


def _rejected(store: Store, language: Language) -> frozenset[int]:
    """Memories that the models in use wrote no level for that could stand, by the audit log."""
    asked = {(level, language.model_for(level).name) for level in (SUMMARY, HEADLINE)}
    met: defaultdict[object, set[tuple[object, object]]] = defaultdict(set)
    after = 0
    while page := store.audit_log(after=after, limit=PAGE, verbs=(VERB_KEPT,)):
        after = page[-1].seq
        for entry in page:
            ids = entry.detail.get("ids")
            for memory_id in ids if isinstance(ids, list) else ():
                met[memory_id].add((entry.detail.get("level"), entry.detail.get("model")))
    return frozenset(memory_id for memory_id, levels in met.items() if isinstance(memory_id, int) and asked <= levels)


def _there(store: Store, ids: list[int]) -> list[Memory]:
    try:
        return store.get(ids)
    except UnknownMemory:  # one was forgotten since the page was read
        found = []
        for memory_id in ids:
            try:
                found += store.get([memory_id])
            except UnknownMemory:
                continue
        return found
