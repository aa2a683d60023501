"""A store for each case: built through the product's own verbs, then opened for reading only, so that asking changes nothing.

In a work directory a finished store is kept and used again as long as case, model and the code that wrote it are the same.
It refuses to know what is asked.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import lodmem
from lodmem.engine import Engine
from lodmem.errors import StorePathError
from lodmem.evals.datasets import Case
from lodmem.evals.fingerprint import WRITING, of_code
from lodmem.evals.meter import Meter
from lodmem.ports import Embedder

STORE, IDS = "eval.db", "ids.json"


class QuestionClock:
    """A clock that stands still at the time of a question."""

    def __init__(self, at_us: int) -> None:
        self.at_us = at_us

    def now_us(self) -> int:
        return self.at_us


@dataclass(frozen=True, slots=True)
class Opened:
    """A case's store, read-only. `ids` gives each label its memory; set `clock.at_us` before asking."""

    case: Case
    engine: Engine
    ids: dict[str, int]
    clock: QuestionClock


@contextmanager
def opened(case: Case, embedder: Embedder | None, work: Path | None, meter: Meter) -> Iterator[Opened]:
    """The store of a case, built if it is not there; `meter` counts two steps a draft. `work` None: a folder that goes away.

    Raises: StorePathError when `work` cannot be written, ModelError when the embedder fails.
    """
    with _folder(case, embedder, work) as folder:
        ids = _kept(folder)
        if ids is None:
            ids = _build(case, embedder, folder, meter)
        else:
            meter.finish(f"{case.id}: kept store", 2 * len(case.drafts))
        clock = QuestionClock(case.now_us)
        model = "none" if embedder is None else embedder
        with lodmem.open(folder / STORE, embedder=model, clock=clock, background=False, read_only=True) as engine:
            yield Opened(case, engine, ids, clock)


@contextmanager
def _folder(case: Case, embedder: Embedder | None, work: Path | None) -> Iterator[Path]:
    if work is None:
        with tempfile.TemporaryDirectory(prefix="lodmem-eval-", ignore_cleanup_errors=True) as passing:
            yield Path(passing)
        return
    name = re.sub(r"[^\w.-]+", "-", case.id)[:60]
    folder = work / f"{name}-{_key(case, embedder)[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorePathError(f"stores cannot be kept in {work}: {error.strerror}", hint="name another with --work") from error
    yield folder


def _key(case: Case, embedder: Embedder | None) -> str:
    """SHA-256 of all that decides what the store holds."""
    total = hashlib.sha256()
    model = "" if embedder is None else embedder.identity.key
    total.update(json.dumps([of_code(*WRITING), model, case.now_us, len(case.drafts)]).encode())
    for label, draft in zip(case.labels, case.drafts, strict=True):
        source = draft.source
        place = [] if source is None else [source.uri, source.session, source.sequence]
        total.update(json.dumps([label, draft.created_us, place, draft.full]).encode())
    return total.hexdigest()


def _kept(folder: Path) -> dict[str, int] | None:
    """Ids by label of a finished store; None where none is. Ids are written last, so an interrupted one is not taken."""
    try:
        found = json.loads((folder / IDS).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return {str(label): int(memory_id) for label, memory_id in found.items()}


def _build(case: Case, embedder: Embedder | None, folder: Path, meter: Meter) -> dict[str, int]:
    for left in folder.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    size = len(case.drafts)
    model = "none" if embedder is None else embedder
    with lodmem.open(folder / STORE, embedder=model, clock=QuestionClock(case.now_us), background=False) as engine:
        added = engine.remember_many(case.drafts, progress=lambda done: meter.at(f"{case.id}: remembering", done))
        meter.finish(f"{case.id}: remembering", size)
        engine.drain(progress=lambda done, _: meter.at(f"{case.id}: embedding", min(done, size)))
        engine.indexing()
        engine.drain()  # of a large store judging is left until its columns are there
        meter.finish(f"{case.id}: embedding", size)
    ids = {label: one.id for label, one in zip(case.labels, added, strict=True)}
    written = folder / f"{IDS}.new"
    written.write_text(json.dumps(ids))
    written.replace(folder / IDS)
    return ids
