"""Asks every question of a data set against the store of its case, and keeps what was found. What is asked is handed in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from lodmem._version import __version__
from lodmem.evals.cache import CachingEmbedder, default_cache_dir
from lodmem.evals.datasets import Case, Dataset, Question, half_of, sampled
from lodmem.evals.fingerprint import of_code
from lodmem.evals.kept import Kept, Line
from lodmem.evals.meter import Meter, Progress
from lodmem.evals.stores import Opened, opened
from lodmem.ports import Embedder

# Made for each case once its store is open; gives a question's result, JSON-ready.
Asker = Callable[[Question], Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How an evaluation is run. `embedder` None: by words alone. `cache_dir` None: the platform's cache directory.

    `work_dir` keeps finished stores, `out_dir` results; None: neither. `half` is tune, check or all; `limit` draws so many
    questions with `seed`. `progress(what, done, total)` is called as the work goes on.
    """

    embedder: Embedder | None
    cache_dir: Path | None = None
    work_dir: Path | None = None
    out_dir: Path | None = None
    half: str = "all"
    limit: int | None = None
    seed: int = 0
    progress: Progress | None = None

    @property
    def model(self) -> str:
        """Key of the embedding model, 'none' without one."""
        return "none" if self.embedder is None else self.embedder.identity.key


def run(dataset: Dataset, plan: Plan, settings: Mapping[str, object], asker: Callable[[Opened], Asker]) -> list[Line]:
    """The result of each question of the plan's half and draw, in order, each with `question`, `case` and `category` in it.

    `settings` are all that decides a result besides data set, model and code: results kept under the same ones are taken.
    Raises: BadParameter for an unknown half, ModelError when the embedder fails, StorePathError for folders.
    """
    whole = {**settings, "dataset": dataset.name, "data": content_digest(dataset), "embedder": plan.model, "code": of_code()}
    kept = None if plan.out_dir is None else Kept(plan.out_dir, {**whole, "version": __version__})
    chosen = sampled(half_of(dataset, plan.half), plan.limit, seed=plan.seed)
    waiting = {case.id: [q for q in case.questions if kept is None or kept.get(q.id) is None] for case in chosen.cases}
    pieces = sum(2 * len(case.drafts) + len(waiting[case.id]) for case in chosen.cases if waiting[case.id])
    meter = Meter(plan.progress, pieces)
    lines: list[Line] = []
    with ExitStack() as stack:
        embedder = plan.embedder
        if embedder is not None:
            embedder = stack.enter_context(CachingEmbedder(embedder, plan.cache_dir or default_cache_dir()))
        for case in chosen.cases:
            fresh = _asked(case, waiting[case.id], embedder, plan, kept, meter, asker) if waiting[case.id] else {}
            for question in case.questions:
                known = fresh.get(question.id) or (kept.get(question.id) if kept is not None else None)
                if known is not None:
                    lines.append(known)
    return lines


def content_digest(dataset: Dataset) -> str:
    """SHA-256 over everything a data set holds, wherever its file lies."""
    total = hashlib.sha256()
    for case in dataset.cases:
        total.update(json.dumps([case.id, case.now_us, case.labels, case.sessions, case.by_user]).encode())
        for draft in case.drafts:
            total.update(json.dumps([draft.created_us, draft.full]).encode())
        for q in case.questions:
            told = [q.id, q.text, q.category, q.gold, q.gold_sessions, q.answer, q.now_us, q.older, q.newer]
            total.update(json.dumps(told).encode())
    return total.hexdigest()


def _asked(
    case: Case,
    questions: list[Question],
    embedder: Embedder | None,
    plan: Plan,
    kept: Kept | None,
    meter: Meter,
    asker: Callable[[Opened], Asker],
) -> dict[str, Line]:
    found: dict[str, Line] = {}
    with opened(case, embedder, plan.work_dir, meter) as store:
        ask = asker(store)
        for question in questions:
            store.clock.at_us = case.time_of(question)
            line = {"question": question.id, "case": case.id, "category": question.category, **ask(question)}
            found[question.id] = line
            if kept is not None:
                kept.add(question.id, line)
            meter.finish(f"{case.id}: asking", 1)
    return found
