"""The verbs that keep a store: count, check, repair, back up, export, import, calibrate. `Engine` has them all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from lodmem.care.base import Verbs
from lodmem.care.derived import Derived, Stage, Trouble, examine, remake
from lodmem.care.export import Exported, export_file, export_lines
from lodmem.care.files import open_lines, stream_lines
from lodmem.care.load import Loaded, Loading
from lodmem.care.reading import Reader
from lodmem.care.terms import check_terms, remake_terms
from lodmem.model.landscape import Stats
from lodmem.ports import Progress, TokenCounter


class Upkeep(Verbs):
    """What of an engine needs no model and no columns. `_beside`: what is derived beside the store, cared for too."""

    _counter: TokenCounter
    _beside: Sequence[Derived]
    _max_text_bytes: int

    def stats(self) -> Stats:
        """Counts of the store."""
        return self._store.stats()

    def check(self) -> list[str]:
        """Problems found in the store, in words; empty when it is sound."""
        return [trouble.text for trouble in self.troubles() if trouble.severe]

    def troubles(self) -> list[Trouble]:
        """Problems of the store and all that is derived from it; one that is not severe makes answers poorer, not wrong."""
        self._settle_notes()
        return examine(self._derived())

    def repair(self, progress: Stage | None = None) -> list[str]:
        """Make anew whatever is derived and not as it should be: word index, index terms, vectors (enqueued for embedding),
        dead work, files beside the store. Texts, levels and statistics are never touched. What was done, in words; empty:
        nothing had to be. Can be interrupted and goes on. Raises StoreReadOnly."""
        self._refuse_read_only()
        self._settle_notes()
        done = remake(self._derived(), progress)
        if done:
            self._store.audit(self._entry("repair", {"done": done}, self._clock.now_us()))
        return done

    def _derived(self) -> tuple[Derived, ...]:
        store, clock = self._store, self._clock

        def repair_store(report: Stage | None) -> list[str]:
            stage: Callable[[str], None] | None = None if report is None else lambda what: report(0, None, what)
            return store.repair(now_us=clock.now_us(), stage=stage)

        return (
            Derived(name="store", check=store.check, repair=repair_store),
            Derived(
                name="index terms",
                check=lambda: check_terms(store),
                repair=lambda report: remake_terms(store, clock, report),
                severe=False,
            ),
            *self._beside,
        )

    def backup(self, path: str | os.PathLike[str], *, overwrite: bool = False, progress: Progress | None = None) -> int:
        """Copy the whole store, as it is at this moment, to one file, while others write; its size in bytes.

        The copy is checked before it gets its name; a failure leaves nothing there. `lodmem restore` takes it back.

        Raises: BadParameter where something is there already (unless `overwrite`), StoreError.
        """
        self._settle_notes()
        return self._store.backup(os.fspath(path), overwrite=overwrite, progress=progress)

    def export(
        self,
        target: str | os.PathLike[str] | IO[bytes],
        *,
        vectors: bool = False,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> Exported:
        """Write all that is kept as JSON lines to a file (packed if it ends in .gz) or a binary stream. See
        docs/reference/export.md. `vectors`: the embeddings too. Raises BadParameter, InputError, StoreError."""
        self._settle_notes()
        if isinstance(target, (str, os.PathLike)):
            return export_file(self._store, Path(target), vectors=vectors, overwrite=overwrite, progress=progress)
        return export_lines(self._store, target.write, vectors=vectors, progress=progress)

    def load(self, source: str | os.PathLike[str] | IO[bytes], *, progress: Progress | None = None) -> Loaded:
        """Take in what `export` wrote, from a file or a binary stream. Into an empty store everything comes back, ids too; into
        another one what is new, under new ids. Lines that cannot be used are reported and passed over; twice adds nothing.

        Raises: BadParameter for another kind of file, InputError, UnknownPath, StoreError.
        """
        self._refuse_read_only()
        now = self._clock.now_us()
        reader = Reader(self._counter, now, self._max_text_bytes)
        loading = Loading(self._store, reader, self._entry("import", {}, now))
        if isinstance(source, (str, os.PathLike)):
            with open_lines(Path(source), progress) as lines:
                return loading.run(lines)
        return loading.run(stream_lines(source, getattr(source, "name", "the stream")))

    def calibration(self) -> tuple[float, float] | None:
        """The store's own c0 and c1 for its embedding model; None: those that the model brings along."""
        return self._store.calibration()

    def calibrate(self, clip: tuple[float, float] | None) -> None:
        """Keep c0 and c1 for the store's embedding model; None: those it brings along again. Raises BadParameter."""
        detail: dict[str, object] = {} if clip is None else {"c0": clip[0], "c1": clip[1]}
        self._store.set_calibration(clip, audit=self._entry("calibrate", detail, self._clock.now_us()))
