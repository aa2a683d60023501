"""How true the map is on real texts: ours, beside the two widest directions and, where it is installed, UMAP.

Each is measured on the same vectors: what the product's own store gives of them. It refuses to know any format.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory

import numpy as np

from lodmem._version import __version__
from lodmem.errors import BadParameter, ModelUnavailable
from lodmem.evals.cache import CachingEmbedder, default_cache_dir
from lodmem.evals.datasets import Case, Dataset
from lodmem.evals.meter import Meter
from lodmem.evals.metrics.trustworthiness import faithfulness
from lodmem.evals.runner import Plan
from lodmem.evals.stores import QuestionClock, opened
from lodmem.evals.variants import NUMBER, Measure, VariantsReport
from lodmem.plane.heavy import outside
from lodmem.plane.layout import principal
from lodmem.plane.maker import LANDMARKS, MapMaker
from lodmem.plane.read import positions
from lodmem.ports import Floats
from lodmem.stores.sqlite.store import SqliteStore

K = 15
FEWER = 1000
MEMORIES = 6000


def evaluate_map(dataset: Dataset, plan: Plan, *, memories: int = MEMORIES) -> VariantsReport:
    """Trustworthiness and recall of 15 neighbours on the map of a data set's first so many memories, in one store.

    Raises: ModelUnavailable without an embedding model, BadParameter for too few memories, ModelError, StorePathError.
    """
    if plan.embedder is None:
        raise ModelUnavailable("how true a map is to meaning needs an embedding model", hint="name one with --embedder")
    started = time.perf_counter()
    case = _first(dataset.cases[0], memories)
    if len(case.drafts) <= 2 * K:
        raise BadParameter(f"{len(case.drafts)} memories are too few to measure", hint=f"more than {2 * K}")
    meter = Meter(plan.progress, 2 * len(case.drafts) + 4)
    rows: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        embedder = stack.enter_context(CachingEmbedder(plan.embedder, plan.cache_dir or default_cache_dir()))
        store = stack.enter_context(opened(case, embedder, plan.work_dir, meter))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="lodmem-map-", ignore_cleanup_errors=True)))
        store.engine.backup(folder / "copy.db")
        kept = stack.enter_context(SqliteStore.open(folder / "copy.db", now_us=case.now_us))
        ids, vectors = kept.meanings(kept.ids(limit=len(case.drafts)))

        def ours(landmarks: int) -> Floats:
            MapMaker(kept, QuestionClock(case.now_us), landmarks=landmarks).run(rebuild=True)
            found = positions(kept)
            if not np.array_equal(found.ids, ids):
                raise AssertionError("a memory has no place")
            return np.stack([found.x, found.y], axis=1)

        for name, method in _methods(vectors, ours).items():
            rows[name] = _measured(vectors, method)
            meter.finish(f"{case.id}: {name}", 1)
    return VariantsReport(
        dataset=dataset.name,
        what="the map",
        head="map",
        measures=[
            Measure("trustworthiness", f"trustworthiness of {K}"),
            Measure("recall", f"recall of {K}"),
            Measure("cpu_s", "CPU s", NUMBER),
        ],
        rows=rows,
        questions=0,
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        told=[f"{len(ids):,} memories; the last map of ours places all but {FEWER:,} by those that have a place"],
        counted=f"{len(ids):,} memories",
    )


def _first(case: Case, memories: int) -> Case:
    """The case with its first so many memories, and nothing to ask."""
    return replace(
        case,
        id=f"{case.id} first {memories}",
        drafts=case.drafts[:memories],
        labels=case.labels[:memories],
        sessions=case.sessions[:memories],
        by_user=case.by_user[:memories],
        questions=(),
    )


def _methods(vectors: Floats, ours: Callable[[int], Floats]) -> dict[str, Callable[[], Floats]]:
    found: dict[str, Callable[[], Floats]] = {
        "lodmem": lambda: ours(LANDMARKS),
        f"lodmem, {FEWER:,} landmarks": lambda: ours(FEWER),
        "two widest directions (PCA)": lambda: principal(vectors),
    }
    try:
        layout = outside("umap")
    except ModelUnavailable:
        return found
    return found | {"UMAP": lambda: layout(vectors, principal(vectors))}


def _measured(vectors: Floats, method: Callable[[], Floats]) -> dict[str, float]:
    before = _cpu()
    flat = method()
    spent = _cpu() - before
    true = faithfulness(vectors, flat, K)
    return {"trustworthiness": true.trustworthiness, "recall": true.recall, "cpu_s": round(spent, 1)}


def _cpu() -> float:
    """Seconds of this process and its children."""
    return sum(use.ru_utime + use.ru_stime for use in (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)))
