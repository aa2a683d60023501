"""From an importer to a store: drafts are written in batches, and what cannot be kept is reported while the rest goes on.

It knows neither formats nor stores: the importer reads, the engine's `write` keeps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lodmem.errors import InputError
from lodmem.ingest.hygiene import masked
from lodmem.ingest.importers.base import Importer, Meter, Streaming, place
from lodmem.ingest.report import MAX_PROBLEMS, IngestReport, Overview, Problem
from lodmem.model.memory import Added, Draft

__all__ = ["BATCH", "IngestReport", "Keeper", "Problem", "batches", "run"]

BATCH = 200
# A batch is also full at this many characters, so that long texts do not pile up in memory.
BATCH_CHARS = 8_000_000


def run(
    importer: Importer,
    path: Path,
    *,
    write: Callable[[Sequence[Draft]], Sequence[Added]],
    space: str,
    agent: str,
    tags: tuple[str, ...] = (),
    batch: int = BATCH,
    progress: Callable[[int], None] | None = None,
) -> IngestReport:
    """Keep all that the importer reads at `path`, in order.

    A draft without a space or an agent of its own gets the given ones; `tags` are added to its own. `write` keeps a batch in
    one transaction or raises and keeps none of it; a draft that it refuses becomes a Problem. `progress` gets what is dealt
    with: bytes where the importer streams, else drafts and problems. Ingesting again after an interruption adds what is
    missing.

    Raises: what the importer raises where nothing can be read at all; StoreError from `write`.
    """
    meter = Meter()
    streaming = isinstance(importer, Streaming)
    items = importer.stream(path, meter) if isinstance(importer, Streaming) else importer.read(path)
    keeper = Keeper(importer.name, write=write, space=space, agent=agent, tags=tags)
    for drafts, met in batches(items, batch):
        keeper.keep(drafts, met)
        if progress is not None:
            progress(meter.done if streaming else keeper.seen)
    return keeper.report(meter)


class Keeper:
    """Takes drafts and problems in batches, and counts what became of them."""

    def __init__(
        self,
        name: str,
        *,
        write: Callable[[Sequence[Draft]], Sequence[Added]],
        space: str,
        agent: str,
        tags: tuple[str, ...] = (),
    ) -> None:
        self._name, self._write, self._place = name, write, (space, agent, tags)
        self._added = self._unchanged = self._more = 0
        self._problems: list[Problem] = []
        self._masked: Counter[str] = Counter()
        self._overview = Overview()

    @property
    def seen(self) -> int:
        """How many drafts and problems were dealt with."""
        return self._added + self._unchanged + self._more + len(self._problems)

    def keep(self, drafts: Sequence[Draft], problems: Iterable[Problem]) -> None:
        """Write the drafts; note the problems, and those of drafts that are refused."""
        for problem in problems:
            self._note(problem)
        for draft in drafts:
            self._overview.see(masked(draft)[0] if self._overview.wants_text else draft)
        for outcome in _write([_placed(draft, *self._place) for draft in drafts], self._write):
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


def _write(drafts: Sequence[Draft], write: Callable[[Sequence[Draft]], Sequence[Added]]) -> Iterator[Added | Problem]:
    if not drafts:
        return
    try:
        yield from write(drafts)
        return
    except InputError as error:
        if len(drafts) == 1:
            yield Problem(place(drafts[0]), error.message)
            return
    for draft in drafts:
        yield from _write([draft], write)


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
