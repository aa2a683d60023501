"""The engine's verbs about what comes in: one after another, many at once, from files, as a transcript grows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from lodmem.care.working import Working
from lodmem.errors import BadParameter
from lodmem.ingest.building import Builder, Here
from lodmem.ingest.embed import TASK
from lodmem.ingest.episodes import importance_of
from lodmem.ingest.judging import TASK as JUDGE
from lodmem.ingest.level_work import TASK as LEVELS
from lodmem.ingest.pipeline import admit
from lodmem.model.memory import DEFAULT_IMPORTANCE, Added, Draft, check_space

if TYPE_CHECKING:
    from lodmem.ingest.follow import Following
    from lodmem.ingest.ingest import IngestReport

BATCH = 200
MOST_JOBS = 32
# Bytes of an input for which other processes are worth their start, and how many: the one that reads and writes is busy for a
# third of the time that a memory takes, and keeps up with two.
LARGE, JOBS = 16_000_000, 2


class Writing(Working):
    """What of an engine takes memories in."""

    _max_text_bytes: int

    def remember_many(self, drafts: Iterable[Draft], *, progress: Callable[[int], None] | None = None) -> list[Added]:
        """Keep many, in transactions of some hundred; outcomes in order. Stops at the first draft that cannot be used."""
        outcomes: list[Added] = []
        for batch in _batches(drafts, BATCH):
            outcomes += self._write(batch)
            if progress is not None:
                progress(len(outcomes))
        return outcomes

    def ingest(
        self,
        path: str | Path,
        *,
        importer: str | None = None,
        space: str | None = None,
        tags: Sequence[str] = (),
        importance: float | None = DEFAULT_IMPORTANCE,
        dry_run: bool = False,
        jobs: int | None = 0,
        progress: Callable[[int, int | None], None] | None = None,
    ) -> IngestReport:
        """Import a repository, a folder or a file. What cannot be read is reported and passed over; twice adds nothing.

        `importance` is that of memories whose source gives none; None: judged from each text. `jobs`: processes that make
        summaries and index terms beside this one; None: two for inputs of 16 MB and more that are read as a stream. A program
        that asks for some must be one that can be imported (`if __name__ == "__main__":`). `progress` gets what is done and
        the whole: bytes, where a format is streamed.

        Raises: UnknownPath, BadParameter for an unknown importer.
        """
        from lodmem.ingest import importers
        from lodmem.ingest.ingest import run

        if jobs is not None and not 0 <= jobs <= MOST_JOBS:
            raise BadParameter(f"jobs must be from 0 to {MOST_JOBS}, got {jobs!r}")
        target = Path(path)
        found = importers.find(target, importer)
        total = None if progress is None else importers.extent(found, target)
        place = check_space(space or self.space)
        if jobs is None:
            jobs = JOBS if (importers.size(found, target) or 0) >= LARGE and _cores() > 1 else 0
        with self._builder(0 if dry_run else jobs) as builder:
            return run(
                found,
                target,
                begin=_kept_nowhere if dry_run else partial(self._begin_weighed, builder, importance),
                space=place,
                agent=self.agent,
                tags=tuple(tags),
                ahead=builder.ahead,
                progress=None if progress is None else lambda done: progress(done, total),
            )

    def follow(
        self, path: str | Path, *, importer: str | None = None, space: str | None = None, tags: Sequence[str] = ()
    ) -> Following:
        """A transcript, or a folder of them, that grows: each `look` keeps what is new. Raises: UnknownPath, BadParameter."""
        from lodmem.ingest import importers
        from lodmem.ingest.follow import Following

        target, place = Path(path), check_space(space or self.space)
        found = importers.find(target, importer)
        begin = partial(self._begin, Here(self._counter))
        return Following(found, target, begin=begin, space=place, agent=self.agent, tags=tuple(tags))

    def _builder(self, jobs: int) -> AbstractContextManager[Builder]:
        if not jobs:
            return nullcontext(Here(self._counter))
        from lodmem.ingest.beside import Beside

        return Beside(self._counter, jobs)

    def _begin_weighed(self, builder: Builder, importance: float | None, drafts: Sequence[Draft]) -> Callable[[], list[Added]]:
        """Begin with drafts, those whose importance nobody gave with another one."""
        if importance == DEFAULT_IMPORTANCE:
            return self._begin(builder, drafts)
        weighed = [
            replace(draft, importance=self._weighed(draft.full) if importance is None else importance)
            if draft.importance == DEFAULT_IMPORTANCE
            else draft
            for draft in drafts
        ]
        return self._begin(builder, weighed)

    def _weighed(self, text: str) -> float:
        """How important a text is, where nobody said: by heuristic, or the default until the language model says."""
        asks = self._language is not None and "importance" in self._llm_tasks
        return DEFAULT_IMPORTANCE if asks else importance_of(text)

    def _write(self, drafts: Sequence[Draft]) -> list[Added]:
        return self._begin(Here(self._counter), drafts)()

    def _begin(self, builder: Builder, drafts: Sequence[Draft]) -> Callable[[], list[Added]]:
        """Admit drafts and begin to build those that are not there yet; the call of what it returns writes them."""
        self._refuse_read_only()
        self._called()
        now_us = self._clock.now_us()
        admitted = [admit(draft, max_bytes=self._max_text_bytes) for draft in drafts]
        known = self._store.known([one.identity for one in admitted])
        built = builder.begin([one for one, there in zip(admitted, known, strict=True) if there is None], now_us=now_us)

        def write() -> list[Added]:
            prepared = [self._with_tasks(item) for item in built()]
            tasks = (TASK if self._store.active_model() else JUDGE, *((LEVELS,) if self._language is not None else ()))
            added = iter(self._store.add(prepared, now_us=now_us, tasks=tasks) if prepared else ())
            outcomes: list[Added] = []
            for one, there in zip(admitted, known, strict=True):
                outcome = next(added) if there is None else Added(there, False)
                outcomes.append(replace(outcome, masked=one.masked) if one.masked else outcome)
            if self._worker is not None and any(outcome.created for outcome in outcomes):
                self._worker.start()
            return outcomes

        return write


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _kept_nowhere(drafts: Sequence[Draft]) -> Callable[[], list[Added]]:
    return lambda: [Added(0, True) for _ in drafts]


def _batches(drafts: Iterable[Draft], size: int) -> Iterator[list[Draft]]:
    rest = iter(drafts)
    while batch := list(islice(rest, size)):
        yield batch
