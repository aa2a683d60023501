"""From an importer to a store: drafts are written in batches, and what cannot be kept is reported while the rest goes on.

It knows neither formats nor stores: the importer reads, the engine's `write` keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lodmem.errors import InputError
from lodmem.ingest.importers.base import Importer, place
from lodmem.ingest.report import IngestReport, Problem
from lodmem.model.memory import Added, Draft

__all__ = ["BATCH", "IngestReport", "Problem", "run"]

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
    one transaction or raises and keeps none of it; a draft that it refuses becomes a Problem. `progress` gets the number of
    drafts and problems dealt with. Ingesting again after an interruption adds what is missing.

    Raises: what the importer raises where nothing can be read at all; StoreError from `write`.
    """
    added = unchanged = 0
    problems: list[Problem] = []
    for drafts, met in _batches(importer.read(path), batch):
        problems += met
        for outcome in _write([_placed(draft, space, agent, tags) for draft in drafts], write):
            if isinstance(outcome, Problem):
                problems.append(outcome)
            elif outcome.created:
                added += 1
            else:
                unchanged += 1
        if progress is not None:
            progress(added + unchanged + len(problems))
    return IngestReport(importer=importer.name, added=added, unchanged=unchanged, problems=tuple(problems))


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


def _batches(items: Iterable[Draft | Problem], size: int) -> Iterator[tuple[list[Draft], list[Problem]]]:
    drafts: list[Draft] = []
    problems: list[Problem] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(item)
        else:
            drafts.append(item)
        if len(drafts) + len(problems) >= size or sum(len(draft.full) for draft in drafts) >= BATCH_CHARS:
            yield drafts, problems
            drafts, problems = [], []
    if drafts or problems:
        yield drafts, problems
