"""Runs a data set through the product's own search: a fresh store for each case, then every question.

It looks without promoting, at alpha 1, and asks for the ranking alone. It refuses to know any data set's format.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import lodmem
from lodmem._version import __version__
from lodmem.engine import Engine
from lodmem.errors import ModelUnavailable
from lodmem.evals.cache import CachingEmbedder, default_cache_dir
from lodmem.evals.datasets import Case, Dataset, Question, sampled
from lodmem.evals.locomo import CATEGORIES, load_locomo
from lodmem.evals.metrics.recall import recall_at
from lodmem.evals.report import CUTOFFS, Outcome, Report
from lodmem.ports import Embedder

Progress = Callable[[str, int, int], None]


def evaluate_locomo(
    path: Path,
    *,
    embedder: Embedder | None,
    cache_dir: Path | None = None,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Recall of the evidence turns of a LoCoMo file, within each conversation.

    `embedder` None: by words alone. `cache_dir` None: the platform's cache directory. `limit` draws that many questions with
    `seed`. `progress(what, done, total)` is called as the work goes on; done and total count turns and questions.

    Raises:
        UnknownPath, BadParameter: the file is missing or not in the format.
        ModelError: the embedder failed.
    """
    return evaluate(
        sampled(load_locomo(path), limit, seed=seed),
        names=CATEGORIES,
        embedder=embedder,
        cache_dir=cache_dir,
        progress=progress,
    )


def evaluate(
    dataset: Dataset,
    *,
    names: Mapping[str, str] = MappingProxyType({}),
    embedder: Embedder | None,
    cache_dir: Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """The report of every question of a data set, in order. See `evaluate_locomo`."""
    started = time.perf_counter()
    meter = _Meter(progress or _silent, sum(2 * len(case.drafts) + len(case.questions) for case in dataset.cases))
    cached = None if embedder is None else CachingEmbedder(embedder, cache_dir or default_cache_dir())
    try:
        outcomes = tuple(outcome for case in dataset.cases for outcome in _run_case(case, cached, meter))
    finally:
        if cached is not None:
            cached.close()
    return Report(
        dataset=dataset.name,
        outcomes=outcomes,
        skipped=dataset.skipped,
        dropped=dataset.dropped,
        embedder="none" if embedder is None else embedder.identity.key,
        version=__version__,
        seconds=time.perf_counter() - started,
        names=names,
    )


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still at the time of the questions."""

    at_us: int

    def now_us(self) -> int:
        return self.at_us


class _Meter:
    """Turns done pieces into calls of the progress callback."""

    def __init__(self, tell: Progress, total: int) -> None:
        self._tell = tell
        self._total = total
        self._base = 0

    def at(self, what: str, done: int) -> None:
        self._tell(what, self._base + done, self._total)

    def finish(self, what: str, size: int) -> None:
        self._base += size
        self.at(what, 0)


def _silent(what: str, done: int, total: int) -> None:
    pass


def _run_case(case: Case, embedder: Embedder | None, meter: _Meter) -> Iterator[Outcome]:
    with (
        tempfile.TemporaryDirectory(prefix="lodmem-eval-", ignore_cleanup_errors=True) as folder,
        _fresh_engine(Path(folder), case, embedder) as engine,
    ):
        size = len(case.drafts)
        added = engine.remember_many(case.drafts, progress=lambda done: meter.at(f"{case.id}: remembering", done))
        meter.finish(f"{case.id}: remembering", size)
        engine.drain(progress=lambda done, _: meter.at(f"{case.id}: embedding", min(done, size)))
        meter.finish(f"{case.id}: embedding", size)
        ids = dict(zip(case.labels, (one.id for one in added), strict=True))
        for question in case.questions:
            yield _ask(engine, question, ids, by_words=embedder is None)
            meter.finish(f"{case.id}: asking", 1)


def _fresh_engine(folder: Path, case: Case, embedder: Embedder | None) -> Engine:
    model = "none" if embedder is None else embedder
    return lodmem.open(folder / "eval.db", embedder=model, clock=FixedClock(case.now_us), background=False)


def _ask(engine: Engine, question: Question, ids: Mapping[str, int], *, by_words: bool) -> Outcome:
    # theta3 0: what would be horizon is ranked too, so that recall at 50 is recall among 50.
    landscape = engine.search(question.text, alpha=1.0, theta3=0.0, k=max(CUTOFFS), facing=False, touch=False)
    if landscape.words_only and not by_words:
        raise ModelUnavailable(
            f"a search of the evaluation went by words alone: {landscape.words_only}", hint="or evaluate with no embedder"
        )
    ranked = landscape.ids
    place = {memory_id: rank for rank, memory_id in enumerate(ranked, start=1)}
    gold = {label: ids[label] for label in question.gold}
    return Outcome(
        question=question.id,
        category=question.category,
        ranks={label: place.get(memory_id) for label, memory_id in gold.items()},
        recall={k: recall_at(ranked, set(gold.values()), k) for k in CUTOFFS},
    )
