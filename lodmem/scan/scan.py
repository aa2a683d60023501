"""The columns kept in step with the store, and what a question finds in them.

`sweep` looks over everything with a bound on its error; `relevance` is float64, for the few memories that could matter.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lodmem.errors import StoreClosed, UnknownMemory
from lodmem.lod import decay as temporal
from lodmem.lod import relevance
from lodmem.lod.relevance import Recipe
from lodmem.ports import EmbedderIdentity, Floats, Store
from lodmem.scan import sidefile
from lodmem.scan.columns import NEVER, Columns, OutOfStep
from lodmem.scan.keeping import blot_out, gathered, restored
from lodmem.scan.lexical import Lexical, passages_of, score_words
from lodmem.scan.quantize import Target
from lodmem.scan.sidefile import Unusable

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

DEAD_SHARE = 0.25
GATHERED = 256  # vectors at a time, so that they stay in the cache
BUILD_ASIDE = 20_000  # memories from which a first look does not wait for the columns
SAVE_AT, SAVE_SHARE = 1_000, 16  # changed memories, and share of all, from which the side file is written again
TOUCHES = 10  # new statistics are taken in so much faster than new memories


@dataclass(frozen=True, slots=True)
class Probe:
    """A question as the scan sees it: its index terms, and its unit vector (None: words alone)."""

    terms: tuple[str, ...]
    vector: Floats | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One probe ready for the pass: its vector's codes, None where there is nothing to compare with, and its words' say."""

    probe: Probe
    target: Target | None
    words: Lexical


class Scan:
    """Columns of one store, of its active model. Use inside `with scan.lock`; `sync` first.

    `side`: the file beside the store that keeps them, None: in memory alone. Columns that took long to make, or changed much,
    are written there by a thread of their own; `close` waits for it.
    """

    def __init__(self, store: Store, side: Path | None = None, *, may_write: bool = True) -> None:
        self._store = store
        self._side, self._may_write = side, may_write and side is not None
        self._model = store.active_model()
        self._seen = -1
        self._unsaved = 0
        self._threads: dict[str, threading.Thread] = {}
        self._closing = False
        self.lock = threading.RLock()
        self.columns = Columns(EmbedderIdentity.dims_of(self._model))
        self.progress = (0, 0)

    def sync(self) -> None:
        """Bring the columns up to the store's newest change: own and others' acknowledged writes are seen."""
        newest = self._store.last_change()
        if newest == self._seen:
            return
        if self._store.active_model() != self._model or (self._seen < 0 and not self._mapped(newest)) or not self._patched():
            self._rebuild()
        if self._unsaved > max(SAVE_AT, len(self.columns) // SAVE_SHARE):
            self._start("save", self._save)

    @property
    def seen(self) -> int:
        """Number of the newest change that the columns know."""
        return self._seen

    def building(self) -> bool:
        """Whether the columns of a large store are still being made; the first call begins to. Never waits."""
        thread = self._threads.get("build")
        if thread is not None or self._seen >= 0 or self._closing:
            return thread is not None and thread.is_alive()
        with self.lock:
            if self._mapped(self._store.last_change()):
                return False
        total = self._store.stats().memories
        if total < BUILD_ASIDE:
            return False
        self.progress = (0, total)
        self._start("build", self._build)
        return True

    def wait(self, seconds: float | None = None) -> None:
        """Until columns that are being made are there, or so long."""
        thread = self._threads.get("build")
        if thread is not None:
            thread.join(seconds)

    def forget(self, ids: Sequence[int]) -> None:
        """Take forgotten memories out of the side file."""
        if self._side is not None and self._may_write:
            blot_out(self._side, ids)
            sidefile.clear(self._side, drafts_only=True)

    def close(self) -> None:
        """Give up a build, wait for what is being written. Idempotent."""
        self._closing = True
        for thread in list(self._threads.values()):
            thread.join()

    def _start(self, name: str, work: Callable[[], None]) -> threading.Thread:
        thread = self._threads.get(name)
        if thread is None or not thread.is_alive():
            thread = self._threads[name] = threading.Thread(target=work, name=f"lodmem-{name}", daemon=True)
            thread.start()
        return thread

    def _build(self) -> None:
        with suppress(StoreClosed), self.lock:
            self.sync()

    def _mapped(self, newest: int) -> bool:
        """Take the columns from the side file, if it is of this store, this model and not of the future."""
        if self._side is None:
            return False
        try:
            saved = sidefile.load(self._side)
            facts = saved.facts
            if facts["change"] > newest or any(facts[name] != value for name, value in self._signs(facts["newest"]).items()):
                return False
            self.columns, self._seen = restored(saved), int(facts["change"])
        except Unusable:
            return False
        return True

    def _signs(self, newest: int) -> dict[str, object]:
        """What tells whose columns these are. The text of the newest memory in them tells a store from an older copy of it
        that was put in its place and has gone its own way."""
        try:
            text = self._store.get([newest])[0].content_hash if newest else ""
        except UnknownMemory:
            text = "gone"
        return {"store": self._store.identity(), "model": self._model, "text": text}

    def _patched(self) -> bool:
        """Follow the change log from where the columns stand; False when they must be made anew."""
        if self._seen < 0:
            return True
        changes = self._store.changes(self._seen)
        if not changes.complete:
            return False
        self.columns.drop(changes.gone)
        try:
            if changes.written:
                self.columns.write(self._store.rows(changes.written))
        except OutOfStep:
            return False
        if changes.touched:
            self.columns.touch(self._store.usage(changes.touched))
        self._seen = changes.last
        self._unsaved += len(changes.gone) + len(changes.written) + len(changes.touched) // TOUCHES
        return self.columns.dead <= DEAD_SHARE * len(self.columns)

    def _rebuild(self) -> None:
        """Read everything again. Rows that change meanwhile come once more by the change log."""
        newest, model = self._store.last_change(), self._store.active_model()
        columns = Columns(EmbedderIdentity.dims_of(model))
        for done in columns.load(self._store.rows()):
            self.progress = (done, max(done, self.progress[1]))
            if self._closing:
                raise StoreClosed("the store was closed while its columns were made")
        self.columns, self._seen, self._model = columns, newest, model
        self._unsaved += len(columns)

    def _save(self) -> None:
        """Write the side file. Without room or permission for it the columns stay in memory, and nobody needs to know."""
        if self._side is None or not self._may_write:
            return
        with self.lock:
            facts, arrays = gathered(self.columns)
            living = np.flatnonzero(self.columns.alive)
            newest = int(self.columns.id[living[-1]]) if len(living) else 0
            facts |= {"change": self._seen, "newest": newest, **self._signs(newest)}
            self._unsaved = 0
        with suppress(OSError, StoreClosed):
            sidefile.clear(self._side, drafts_only=True)
            sidefile.write(self._side, facts, arrays)
            # What was forgotten while it was written: whoever forgot it found the file before this one.
            gone = self._store.changes(facts["change"]).gone
            if gone:
                blot_out(self._side, gone)

    def glimpse(self, ids: Sequence[int]) -> Scan:
        """A few memories as if they were all, for as long as the columns of all are being made."""
        return _Glimpse(self._store, ids)

    def examine(self, probe: Probe, recipe: Recipe) -> Evidence:
        """Evidence of one probe for all memories."""
        return Evidence(probe, self.target(probe.vector), score_words(self.columns, probe.terms, recipe))

    def target(self, vector: Floats | None) -> Target | None:
        """A vector ready for the pass."""
        return None if vector is None or not self.columns.dims else Target.of(vector)

    def exact_cosine(self, vector: Floats | None, rows: Rows, *, precise: bool = True) -> Array:
        """Cosine of each memory's best passage, NaN where there is no vector; in float64, or not `precise` in float32."""
        columns = self.columns
        if vector is None or not self.columns.dims or not len(rows):
            return np.full(len(rows), np.nan)
        passages, starts = (rows, None) if columns.single else passages_of(columns, rows)
        products = np.empty(len(passages))
        aimed = vector.astype(np.float64 if precise else np.float32)
        for first in range(0, len(passages), GATHERED):
            part = slice(first, first + GATHERED)
            products[part] = columns.vectors[passages[part]].astype(aimed.dtype, copy=False) @ aimed
        best = products if starts is None else np.maximum.reduceat(products, starts)
        best[~columns.embedded[rows]] = np.nan
        return best

    def single_error(self, vector: Floats | None) -> float:
        """Bound on the error of cosines in float32. Source: Higham 2002, 3.1."""
        if vector is None:
            return 0.0
        return self.columns.dims * 2.0**-23 * self.columns.longest * float(np.linalg.norm(vector.astype(np.float64)))

    def relevance(self, evidence: Evidence, recipe: Recipe, rows: Rows, cosine: Array | None = None) -> Array:
        """S of memories in float64, from their exact cosines if these are at hand."""
        exact = self.exact_cosine(evidence.probe.vector, rows) if cosine is None else cosine
        fair = relevance.fair_cosine(exact, self.columns.passages[rows], recipe)
        shared, source = evidence.words.shared_at(rows), evidence.words.source_at(self.columns, rows)
        return relevance.calibrated(relevance.fuse(relevance.vector_part(fair, recipe), shared, source, recipe), recipe)

    def decay(self, now_us: int, lambda_: float, rows: Rows | slice = slice(None)) -> Array:
        """D of the given memories."""
        last, created = self.columns.last[rows], self.columns.created[rows]
        used = np.where(last == NEVER, created, last)
        return temporal.decay(temporal.days_between(used, now_us), self.columns.count[rows], lambda_)

    def rows_of(self, ids: Sequence[int]) -> Rows:
        """Row numbers of the ids that are there, in their order."""
        columns, wanted = self.columns, np.asarray(ids, dtype=np.int64)
        if not len(columns) or not len(wanted):
            return np.zeros(0, dtype=np.int64)
        rows = np.minimum(np.searchsorted(columns.id, wanted), len(columns) - 1)
        found: Rows = rows[(columns.id[rows] == wanted) & columns.alive[rows]]
        return found


class _Glimpse(Scan):
    """Columns of some memories, which follow nothing."""

    def __init__(self, store: Store, ids: Sequence[int]) -> None:
        super().__init__(store)
        for _ in self.columns.load(store.rows(ids)):
            pass

    def sync(self) -> None:
        """They stay as they were."""
