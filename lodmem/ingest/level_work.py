"""Levels by a language model for what waits in the queue, one memory at a time, as far as the spend cap reaches.

What is written is stored after each call, so that a killed worker repeats one call at most; an interrupted one gives its memory
back at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lodmem.errors import SpendCapReached, UnknownMemory
from lodmem.ingest.level_writer import HEADLINE, SUMMARY, Kept, levels_of, write_headline, write_summary
from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Memory
from lodmem.ports import Clock, Language, Store, TokenCounter, WorkItem

TASK = "levels"
LEASE_US = 900_000_000
PAGE = 500

_WRITERS = ((SUMMARY, write_summary), (HEADLINE, write_headline))


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


class LevelWorker:
    """Works off the queue of levels in the caller's thread. `agent` is named in the audit log."""

    def __init__(self, store: Store, language: Language, counter: TokenCounter, clock: Clock, *, name: str, agent: str) -> None:
        self._store, self._language, self._counter, self._clock = store, language, counter, clock
        self._name, self._agent = name, agent

    def enqueue(self, ids: list[int] | None, *, again: bool = False) -> int:
        """Put memories into the queue; how many. None: all that are not short and not written by a language model, with `again`
        those too. Raises UnknownMemory."""
        if ids is not None:
            self._store.get(ids)
            self._store.enqueue(TASK, ids, now_us=self._clock.now_us())
            return len(set(ids))
        count, after = 0, 0
        wanted = ("extractive",) if not again else ()
        while page := self._store.ids(after=after, limit=PAGE):
            after = page[-1]
            found = [m.id for m in self._there(page) if not m.is_short and (not wanted or m.written_by in wanted)]
            self._store.enqueue(TASK, found, now_us=self._clock.now_us())
            count += len(found)
        return count

    def run(self, progress: Callable[[int], None] | None = None) -> Releveled:
        """Work until nothing is due or the cap is reached. Raises ModelUnavailable: the rest stays queued."""
        report = Releveled()
        try:
            while items := self._store.claim(TASK, worker=self._name, now_us=self._clock.now_us(), lease_us=LEASE_US, limit=1):
                self._work(items[0], report)
                report.memories += 1
                if progress is not None:
                    progress(report.memories)
        except SpendCapReached as error:
            report.stopped = str(error)
        report.left = self._store.backlog(TASK)
        return report

    def _work(self, item: WorkItem, report: Releveled) -> None:
        try:
            if item.memory_id is not None:
                self._relevel(item.memory_id, report)
        except UnknownMemory:
            pass  # forgotten meanwhile
        except BaseException as error:
            code = getattr(error, "code", type(error).__name__)
            self._store.release([item.id], error=str(code), retry_us=self._clock.now_us())
            raise
        self._store.complete([item.id])

    def _relevel(self, memory_id: int, report: Releveled) -> None:
        (memory,) = self._store.get([memory_id])
        if memory.is_short:
            report.short += 1
            return
        levels = levels_of(memory)
        for level, write in _WRITERS:
            outcome = write(memory.full, levels, self._language, self._counter)
            model = self._language.model_for(level).name
            if isinstance(outcome, Kept):
                report.kept[outcome.reason] += 1
                self._store.audit(
                    self._entry(memory, "levels_kept", {"level": level, "model": model, "reason": outcome.reason})
                )
            else:
                levels = outcome
                report.written[level] += 1
                self._store.set_levels(memory.id, levels, audit=self._entry(memory, "levels", {"level": level, "model": model}))

    def _entry(self, memory: Memory, verb: str, detail: Mapping[str, object]) -> AuditEntry:
        return AuditEntry(
            at_us=self._clock.now_us(),
            space=memory.space,
            agent=self._agent,
            verb=verb,
            detail={"ids": [memory.id], **detail},
        )

    def _there(self, ids: list[int]) -> list[Memory]:
        try:
            return self._store.get(ids)
        except UnknownMemory:  # one was forgotten since the page was read
            found = []
            for memory_id in ids:
                try:
                    found += self._store.get([memory_id])
                except UnknownMemory:
                    continue
            return found
