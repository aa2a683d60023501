"""A report that is one table: named variants of the product, a row each, in the same measures. It refuses to know which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lodmem.evals.measures import rounded
from lodmem.evals.metrics.mean import mean
from lodmem.evals.metrics.ranks import Ranks
from lodmem.evals.metrics.recall import recall_at
from lodmem.evals.plots import Plot
from lodmem.evals.tables import Grid, percent

SHARE, NUMBER = "share", "number"


@dataclass(frozen=True, slots=True)
class Measure:
    """A column: `key` in JSON, `head` of the table. `unit` share: 0..1, shown in per cent; number: shown as it is."""

    key: str
    head: str
    unit: str = SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantsReport:
    """`rows[variant]` has a value for each of `measures`. `what` completes the title, `head` names the first column;
    `counted`: over what it was measured, where that is not questions."""

    dataset: str
    what: str
    head: str
    measures: Sequence[Measure]
    rows: Mapping[str, Mapping[str, float]]
    questions: int
    embedder: str
    version: str
    seconds: float
    half: str = "all"
    told: Sequence[str] = ()
    counted: str = ""

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; shares of 1 rounded to 1e-4."""
        return {
            "dataset": self.dataset,
            "questions": self.questions,
            "half": self.half,
            "variants": {name: {m.key: rounded(row[m.key]) for m in self.measures} for name, row in self.rows.items()},
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def grids(self) -> list[Grid]:
        """One table, a row a variant."""
        head = (self.head, *(measure.head for measure in self.measures))
        rows = tuple(
            (name, *(_cell(measure, row[measure.key]) for measure in self.measures)) for name, row in self.rows.items()
        )
        over = self.counted or f"{self.half}, {self.questions} questions"
        return [Grid(f"{self.dataset}: {self.what}, % ({over})", head, rows)]

    def plots(self) -> list[Plot]:
        """None: the table says it."""
        return []

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        return [f"lodmem {self.version}, embedder {self.embedder}, half {self.half}, {self.seconds:.0f} s", *self.told]


def recall(asked: Sequence[Mapping[str, int | None]], k: int) -> float:
    """Mean share of the evidence among the first `k` over the questions that have any, 0..1, from places by name."""
    ranks: list[Ranks] = [tuple(places.values()) for places in asked if places]
    return mean([recall_at(found, k) for found in ranks])


def _cell(measure: Measure, value: float) -> str:
    return percent(value) if measure.unit == SHARE else f"{value:,.1f}"
