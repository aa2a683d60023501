"""Knowledge updates: how often what is true now stands above what it replaced, with the dates of the data.

Takes any data set with questions about updates (BEAM, LongMemEval). It refuses to know any format.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lodmem._version import __version__
from lodmem.errors import BadParameter
from lodmem.evals.datasets import Dataset, Question
from lodmem.evals.kept import Line
from lodmem.evals.measures import rounded, told
from lodmem.evals.metrics.bootstrap import Bootstrap
from lodmem.evals.metrics.mean import mean
from lodmem.evals.places import Board
from lodmem.evals.plots import Plot
from lodmem.evals.runner import Asker, Plan, run
from lodmem.evals.stores import Opened
from lodmem.evals.systems import OURS, scored
from lodmem.evals.tables import Grid, percent
from lodmem.model.profile import DEFAULT_PROFILE, PRESETS

DEFAULT_ALPHA = PRESETS[DEFAULT_PROFILE].alpha
ALPHAS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7)
FOUND_AT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatesReport:
    """`lines` are results of questions in the order asked: the best rank of old and new evidence by alpha."""

    dataset: str
    lines: Sequence[Line]
    alphas: tuple[float, ...]
    embedder: str
    version: str
    seconds: float
    half: str = "all"
    seed: int = 0

    @property
    def alpha(self) -> float:
        """The alpha that `newer_first` at the top is about: the product's own where it was asked, else the last one."""
        return DEFAULT_ALPHA if DEFAULT_ALPHA in self.alphas else self.alphas[-1]

    def newer_first(self, alpha: float) -> float:
        """Share of the questions whose newer evidence is ranked above all of the older, 0..1."""
        return mean(map(float, self._won(alpha)))

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; shares of 1 rounded to 1e-4."""
        return {
            "dataset": self.dataset,
            "questions": len(self.lines),
            "alpha": self.alpha,
            "newer_first": rounded(self.newer_first(self.alpha)),
            "by_alpha": {f"{alpha:g}": self._at(alpha) for alpha in self.alphas},
            "half": self.half,
            "seed": self.seed,
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def grids(self) -> list[Grid]:
        """One row an alpha."""
        rows = [
            (
                f"{alpha:g}",
                f"{sum(self._won(alpha))} of {len(self.lines)}",
                percent(self.newer_first(alpha)),
                percent(self._found(alpha, "newer")),
                percent(self._found(alpha, "older")),
            )
            for alpha in self.alphas
        ]
        head = ("alpha", "newer first", "%", f"newer in the first {FOUND_AT}, %", f"older in the first {FOUND_AT}, %")
        return [Grid(f"{self.dataset}: knowledge updates", head, tuple(rows))]

    def plots(self) -> list[Plot]:
        """Newer first over alpha."""
        values = [100 * self.newer_first(alpha) for alpha in self.alphas]
        return [Plot(f"{self.dataset} knowledge updates", "alpha", "newer first, %", self.alphas, {OURS: values})]

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        return [f"lodmem {self.version}, {self.seconds:.0f} s", f"embedder {self.embedder}, half {self.half}"]

    def _at(self, alpha: float) -> dict[str, object]:
        won = [float(value) for value in self._won(alpha)]
        return {
            "newer_first": rounded(mean(won)),
            "won": int(sum(won)),
            "interval": told(Bootstrap(len(won), seed=self.seed).interval(won)),
            "newer_found_at_10": rounded(self._found(alpha, "newer")),
            "older_found_at_10": rounded(self._found(alpha, "older")),
        }

    def _won(self, alpha: float) -> list[bool]:
        pairs = [line["best"][f"{alpha:g}"] for line in self.lines]
        return [pair["newer"] is not None and (pair["older"] is None or pair["newer"] < pair["older"]) for pair in pairs]

    def _found(self, alpha: float, side: str) -> float:
        ranks = [line["best"][f"{alpha:g}"][side] for line in self.lines]
        return mean(float(rank is not None and rank <= FOUND_AT) for rank in ranks)


def evaluate_updates(dataset: Dataset, plan: Plan, *, alphas: Sequence[float] = ALPHAS) -> UpdatesReport:
    """How often the newer evidence stands above the older, at each alpha, among all memories of the case.

    Raises: BadParameter for a data set without questions about updates; ModelError, StorePathError.
    """
    started = time.perf_counter()
    asked = _about_updates(dataset)
    if not asked.cases:
        raise BadParameter(f"{dataset.name} has no questions about updates", hint="use BEAM or LongMemEval")
    by_words = plan.embedder is None
    lines = run(
        asked,
        plan,
        {"measure": "updates", "alphas": list(alphas)},
        lambda store: _asker(store, alphas, by_words=by_words),
    )
    return UpdatesReport(
        dataset=dataset.name,
        lines=lines,
        alphas=tuple(alphas),
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        half=plan.half,
        seed=plan.seed,
    )


def _about_updates(dataset: Dataset) -> Dataset:
    cases = (replace(case, questions=tuple(q for q in case.questions if q.older and q.newer)) for case in dataset.cases)
    return replace(dataset, cases=tuple(case for case in cases if case.questions))


def _asker(store: Opened, alphas: Sequence[float], *, by_words: bool) -> Asker:
    board = Board(store.case, store.ids)

    def best(question: Question, alpha: float) -> Mapping[str, int | None]:
        turns = board.turns(scored(store.engine, question.text, alpha=alpha, by_words=by_words)[OURS])
        sides = {"older": question.older, "newer": question.newer}
        ranks = {side: turns.places(board.distinct(labels)).values() for side, labels in sides.items()}
        return {side: min((r for r in found if r is not None), default=None) for side, found in ranks.items()}

    def ask(question: Question) -> Line:
        return {
            "text": question.text,
            "older": list(question.older),
            "newer": list(question.newer),
            "best": {f"{alpha:g}": best(question, alpha) for alpha in alphas},
        }

    return ask
