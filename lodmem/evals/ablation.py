"""What each ingredient of relevance is worth: the recipe with one part taken away, on the same stores and questions.

Every variant is the product's own relevance with other constants, at alpha 1, over every memory of the store. It refuses to
know any format.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from lodmem._version import __version__
from lodmem.evals.datasets import Dataset, Question
from lodmem.evals.kept import Line
from lodmem.evals.metrics.mean import mean
from lodmem.evals.metrics.recall import recall_at
from lodmem.evals.places import Board, Scores
from lodmem.evals.plots import Plot
from lodmem.evals.runner import Asker, Plan, run
from lodmem.evals.stores import Opened
from lodmem.evals.tables import Grid, percent
from lodmem.lod.relevance import Recipe
from lodmem.lod.tiers import rounded

CUTOFFS = (5, 10, 20, 50)
FULL_RECIPE = "all parts"
NOBODY = (0.0, 0.0, 0.0, 0.0)

# Each takes the recipe that the embedding model gives and changes one thing.
VARIANTS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        FULL_RECIPE: {},
        "without meaning": {"vector": 0.0},
        "without the source": {"source": 0.0},
        "without neighbours": {"neighbours": NOBODY},
        "neighbours not scaled by length": {"neighbour_tokens": 1_000_000},
        "long memories not corrected": {"passage_cosine": 0.0, "passage_coverage": 0.0},
        "without coverage": {"coverage": 0.0},
        "coverage alone": {"coverage": 1.0},
        "source .3": {"source": 0.3},
        "meaning alone": {"lexical": 0.0, "source": 0.0},
        "own words alone": {"vector": 0.0, "source": 0.0, "neighbours": NOBODY},
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationReport:
    """`lines` are results of questions in the order asked: the places of the evidence by variant."""

    dataset: str
    lines: Sequence[Line]
    embedder: str
    version: str
    seconds: float
    half: str = "all"

    def recall(self, variant: str, k: int) -> float:
        """Mean share of the evidence turns among the first `k`, 0..1."""
        asked = [line["turns"][variant] for line in self.lines if line["turns"][variant]]
        return mean([recall_at(tuple(places.values()), k) for places in asked])

    def sessions_complete(self, variant: str, k: int) -> float:
        """Share of questions with every evidence session among the first `k`, 0..1; of those that name sessions."""
        asked = [line["sessions"][variant] for line in self.lines if line["sessions"][variant]]
        return mean([float(all(place is not None and place <= k for place in places.values())) for places in asked])

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; shares of 1 rounded to 1e-4."""
        return {
            "dataset": self.dataset,
            "questions": len(self.lines),
            "half": self.half,
            "variants": {
                name: {
                    "recall_at": {str(k): round(self.recall(name, k), 4) for k in CUTOFFS},
                    "sessions_all_at": {str(k): round(self.sessions_complete(name, k), 4) for k in (5, 10)},
                }
                for name in VARIANTS
            },
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def grids(self) -> list[Grid]:
        """One table, a row a variant."""
        head = ("relevance", *(f"R@{k}" for k in CUTOFFS), "sessions all@5", "all@10")
        rows = tuple(
            (
                name,
                *(percent(self.recall(name, k)) for k in CUTOFFS),
                *(percent(self.sessions_complete(name, k)) for k in (5, 10)),
            )
            for name in VARIANTS
        )
        return [Grid(f"{self.dataset}: what each part is worth, % ({self.half}, {len(self.lines)} questions)", head, rows)]

    def plots(self) -> list[Plot]:
        return []

    def notes(self) -> list[str]:
        """How it was run."""
        return [f"lodmem {self.version}, embedder {self.embedder}, alpha 1, half {self.half}, {self.seconds:.0f} s"]


def evaluate_ablation(dataset: Dataset, plan: Plan) -> AblationReport:
    """The worth of each part on the plan's questions. Raises as `lodmem.evals.run.evaluate`."""
    started = time.perf_counter()
    lines = run(dataset, plan, {"measure": "ablation", "variants": sorted(VARIANTS)}, _asker)
    return AblationReport(
        dataset=dataset.name,
        lines=lines,
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        half=plan.half,
    )


def _asker(store: Opened) -> Asker:
    board = Board(store.case, store.ids)

    def ask(question: Question) -> Line:
        turns, sessions = {}, {}
        for name, scores in _scored(store, question.text).items():
            turns[name] = board.turns(scores).places(board.distinct(question.gold))
            sessions[name] = board.sessions(scores).places(question.gold_sessions)
        return {"turns": turns, "sessions": sessions}

    return ask


def _scored(store: Opened, question: str) -> dict[str, Scores]:
    looker, probes = store.engine.looker([question])
    with looker.scan.lock:
        ids = looker.scan.columns.id.copy()
        found = {}
        for name, changes in VARIANTS.items():
            recipe: Recipe = replace(looker.recipe, **changes)  # type: ignore[arg-type]  # names are Recipe's own, see the test
            evidence = looker.scan.examine(probes[0], recipe)
            found[name] = Scores(ids, rounded(looker.scan.relevance(evidence, recipe, np.arange(len(ids)))))
    return found
