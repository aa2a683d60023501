"""Transcripts that grow: what was written since the last look is kept at each look. It knows no clock; the caller waits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lodmem.errors import BadParameter, InputError, UnknownPath
from lodmem.ingest.importers.base import Importer, Meter
from lodmem.ingest.importers.files import shown
from lodmem.ingest.importers.transcripts import Transcript, Transcripts
from lodmem.ingest.ingest import Begin, Keeper, batches
from lodmem.ingest.report import IngestReport, Problem
from lodmem.model.memory import Draft


class Following:
    """A transcript or a folder of them, new files too. What is half written, or done after the last turn, waits."""

    def __init__(
        self,
        importer: Importer,
        path: Path,
        *,
        begin: Begin,
        space: str,
        agent: str,
        tags: tuple[str, ...] = (),
    ) -> None:
        """Raises BadParameter where the importer reads nothing that grows."""
        if not isinstance(importer, Transcripts):
            raise BadParameter(
                f"{shown(path)} is read by {importer.name}, which cannot follow it",
                hint="only transcripts are followed (claude-code, codex); ingest again adds what is new",
            )
        self._importer, self._path = importer, path
        self._begin, self._place = begin, (space, agent, tags)
        self._open: dict[Path, Transcript] = {}
        self._told: set[Problem] = set()

    def look(self) -> IngestReport:
        """Keep what is new since the last look. A file that went away is no problem: it may come back."""
        meter = Meter()
        space, agent, tags = self._place
        keeper = Keeper(self._importer.name, begin=self._begin, space=space, agent=agent, tags=tags)
        for drafts, problems in batches(self._new(meter)):
            keeper.begin(drafts, problems)()
        return keeper.report(meter)

    def _new(self, meter: Meter) -> Iterator[Draft | Problem]:
        for found in self._importer.paths(self._path, Meter(), self._open):
            if isinstance(found, Problem):
                if found not in self._told:
                    self._told.add(found)
                    yield found
                continue
            transcript = self._open.setdefault(found, self._importer.transcript(found))
            try:
                yield from transcript.read(meter, whole=False)
            except (UnknownPath, InputError):
                continue
