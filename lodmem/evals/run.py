"""Measures how well evidence is ranked, by the product's own search and by simple methods beside it, on public data.

It looks without promoting and ranks everything, so that no cutoff hides a rank. It refuses to know any data set's format.
"""

from __future__ import annotations

import time
from pathlib import Path

from lodmem._version import __version__
from lodmem.evals.beam import load_beam
from lodmem.evals.datasets import Dataset, Question
from lodmem.evals.kept import Line
from lodmem.evals.locomo import load_locomo
from lodmem.evals.longmemeval import load_longmemeval
from lodmem.evals.outcome import OFFICIAL, SESSION, TURN, Outcome
from lodmem.evals.places import Board, Scores
from lodmem.evals.report import Report
from lodmem.evals.runner import Asker, Plan, run
from lodmem.evals.stores import Opened
from lodmem.evals.systems import OURS, scored

TOP = 10


def evaluate_locomo(path: Path, plan: Plan, *, alpha: float = 1.0) -> Report:
    """Ranks of the evidence turns of a LoCoMo file, within each conversation.

    Raises:
        UnknownPath, BadParameter: the file is missing or not in the format.
        ModelError: the embedder failed.
    """
    return evaluate(load_locomo(path), plan, alpha=alpha)


def evaluate_longmemeval(path: Path, plan: Plan, *, pooled: bool = False, alpha: float = 1.0) -> Report:
    """Ranks of the evidence sessions and turns of a LongMemEval file, in each haystack or in all of them at once.

    Raises as `evaluate_locomo`.
    """
    return evaluate(load_longmemeval(path, pooled=pooled), plan, alpha=alpha)


def evaluate_beam(path: Path, plan: Plan, *, alpha: float = 1.0) -> Report:
    """Ranks of the evidence messages of BEAM chats, within each chat. Raises as `evaluate_locomo`."""
    return evaluate(load_beam(path), plan, alpha=alpha)


def evaluate(dataset: Dataset, plan: Plan, *, alpha: float = 1.0) -> Report:
    """The report of the plan's questions, in order. alpha 1 looks at relevance alone, less than 1 at time too.

    Raises: ModelError when the embedder fails, BadParameter, StorePathError.
    """
    started = time.perf_counter()
    lines = run(
        dataset,
        plan,
        {"measure": "ranking", "alpha": alpha},
        lambda store: _asker(store, alpha=alpha, by_words=plan.embedder is None),
    )
    return Report(
        dataset=dataset.name,
        outcomes=tuple(Outcome.read(line) for line in lines),
        skipped=dataset.skipped,
        dropped=dataset.dropped,
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        names=dataset.names,
        granularity=dataset.granularity,
        alpha=alpha,
        half=plan.half,
        seed=plan.seed,
        tune=frozenset(q.id for case in dataset.cases for q in case.questions if dataset.in_tune(q)),
    )


def _asker(store: Opened, *, alpha: float, by_words: bool) -> Asker:
    board = Board(store.case, store.ids)

    def ask(question: Question) -> Line:
        found = scored(store.engine, question.text, alpha=alpha, by_words=by_words)
        turns = board.turns(found[OURS])
        gold = board.distinct(question.gold)
        return {
            "text": question.text,
            "answer": question.answer,
            "gold": list(gold),
            "gold_sessions": list(question.gold_sessions),
            "ranks": {system: _ranks(board, scores, question) for system, scores in found.items()},
            "scores": {label: _rounded(turns.score(label)) for label in gold},
            "top": [[label, _rounded(score)] for label, score in turns.first(TOP)],
        }

    return ask


def _ranks(board: Board, scores: Scores, question: Question) -> dict[str, dict[str, int | None]]:
    gold = board.distinct(question.gold)
    said = board.user_turns(gold)
    marked = tuple(name for name in question.gold_sessions if name in {board.session_of(label) for label in said})
    found = {
        TURN: board.turns(scores).places(gold),
        SESSION: board.sessions(scores).places(question.gold_sessions),
        OFFICIAL + TURN: board.turns(scores, official=True).places(said) if said else {},
        OFFICIAL + SESSION: board.sessions(scores, official=True).places(marked) if said else {},
    }
    return {view: places for view, places in found.items() if places}


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 6)
