"""From an importer to a store: drafts are written in batches, and what cannot be kept is reported while the rest goes on.

It knows neither formats nor stores: the importer reads, the engine's `begin` takes a batch, and what that returns keeps it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from lodmem.errors import InputError
from lodmem.ingest.hygiene import masked
from lodmem.ingest.importers.base import Importer, Meter, Streaming, place
from lodmem.ingest.report import MAX_PROBLEMS, IngestReport, Overview, Problem
from lodmem.model.memory import Added, Draft

__all__ = ["BATCH", "Begin", "IngestReport", "Keeper", "Problem", "batches", "run"]

BATCH = 200
# A batch is also full at this many characters, so that long texts do not pile up in memory.
BATCH_CHARS = 4_000_000

Begin = Callable[[Sequence[Draft]], Callable[[], Sequence[Added]]]


def run(
    importer: Importer,
    path: Path,
    *,
    begin: Begin,
    space: str,
    agent: str,
    tags: tuple[str, ...] = (),
    batch: int = BATCH,
    ahead: int = 0,
    progress: Callable[[int], None] | None = None,
) -> IngestReport:
    """Keep all that the importer reads at `path`, in order.

    A draft without a space or an agent of its own gets the given ones; `tags` are added to its own. `begin` takes a batch, and
    what it returns keeps it in one transaction; either raises and keeps none of it; a draft that is refused becomes a Problem.
    `ahead`: how many batches are begun before the first of them is kept. `progress` gets what is dealt with: bytes where the
    importer streams, else drafts and problems. Ingesting again after an interruption adds what is missing.

    Raises: what the importer raises where nothing can be read at all; StoreError.
    """
    meter = Meter()
    streaming = isinstance(importer, Streaming)
    items = importer.stream(path, meter) if isinstance(importer, Streaming) else importer.read(path)
    keeper = Keeper(importer.name, begin=begin, space=space, agent=agent, tags=tags)
    begun: deque[tuple[Callable[[], None], int]] = deque()

    def keep_next() -> None:
        keep, done = begun.popleft()
        keep()
        if progress is not None:
            progress(done if streaming else keeper.seen)

    for drafts, met in batches(items, batch):
        begun.append((keeper.begin(drafts, met), meter.done))
        if len(begun) > ahead:
            keep_next()
    while begun:
        keep_next()
    return keeper.report(meter)


class Keeper:
    """Takes drafts and problems in batches, and counts what became of them."""

    def __init__(
        self,
        name: str,
        *,
        begin: Begin,
        space: str,
        agent: str,
        tags: tuple[str, ...] = (),
    ) -> None:
        self._name, self._begin, self._place = name, begin, (space, agent, tags)
        self._added = self._unchanged = self._more = 0
        self._problems: list[Problem] = []
        self._masked: Counter[str] = Counter()
        self._overview = Overview()

    @property
    def seen(self) -> int:
        """How many drafts and problems were dealt with."""
        return self._added + self._unchanged + self._more + len(self._problems)

    def begin(self, drafts: Sequence[Draft], problems: Sequence[Problem]) -> Callable[[], None]:
        """Begin with the drafts; the call of what it returns keeps them, and notes the problems and those of refused drafts."""
        for draft in drafts:
            self._overview.see(masked(draft)[0] if self._overview.wants_text else draft)
        placed = [_placed(draft, *self._place) for draft in drafts]
        return partial(self._keep, _begun(placed, self._begin), problems)

    def _keep(self, outcomes: Iterable[Added | Problem], problems: Sequence[Problem]) -> None:
        for problem in problems:
            self._note(problem)
        for outcome in outcomes:
            if isinstance(outcome, Problem):
                self._note(outcome)
                continue
            self._masked.update(outcome.masked)
            self._added += outcome.created
            self._unchanged += not outcome.created

    def report(self, meter: Meter) -> IngestReport:
        """What became of all that was kept so far."""
        return IngestReport(
            importer=self._name,
            added=self._added,
            unchanged=self._unchanged,
            problems=tuple(self._problems),
            more_problems=self._more,
            passed={kind: count for kind, count in meter.passed.most_common() if count},
            masked=dict(self._masked),
            overview=self._overview,
        )

    def _note(self, problem: Problem) -> None:
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(problem)
        else:
            self._more += 1


def _placed(draft: Draft, space: str, agent: str, tags: tuple[str, ...]) -> Draft:
    together = tuple(dict.fromkeys((*draft.tags, *tags)))
    return replace(draft, space=draft.space or space, agent=draft.agent or agent, tags=together)


def _begun(drafts: Sequence[Draft], begin: Begin) -> Iterator[Added | Problem]:
    """Begins at once; the outcomes, one each, come as they are asked for."""
    try:
        write = begin(drafts) if drafts else tuple
    except InputError as error:
        return _singly(drafts, begin, error)
    return _kept(drafts, begin, write)


def _kept(drafts: Sequence[Draft], begin: Begin, write: Callable[[], Sequence[Added]]) -> Iterator[Added | Problem]:
    try:
        yield from write()
    except InputError as error:
        yield from _singly(drafts, begin, error)


def _singly(drafts: Sequence[Draft], begin: Begin, error: InputError) -> Iterator[Added | Problem]:
    """One after the other, after all of them together were refused."""
    if len(drafts) == 1:
        yield Problem(place(drafts[0]), error.message)
        return
    for draft in drafts:
        yield from _begun([draft], begin)


def batches(items: Iterable[Draft | Problem], size: int = BATCH) -> Iterator[tuple[list[Draft], list[Problem]]]:
    """Drafts and problems, `size` of both together at a time, fewer where the texts are long."""
    drafts: list[Draft] = []
    problems: list[Problem] = []
    chars = 0
    for item in items:
        if isinstance(item, Problem):
            problems.append(item)
        else:
            drafts.append(item)
            chars += len(item.full)
        if len(drafts) + len(problems) >= size or chars >= BATCH_CHARS:
            yield drafts, problems
            drafts, problems, chars = [], [], 0
    if drafts or problems:
        yield drafts, problems
