"""What landscapes and flat lists showed of the evidence at equal tokens: tables, pictures, plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lodmem.evals.kept import Line
from lodmem.evals.measures import rounded, told
from lodmem.evals.metrics.bootstrap import Bootstrap
from lodmem.evals.metrics.mean import mean
from lodmem.evals.plots import Plot
from lodmem.evals.tables import Grid, percent

OURS, FLAT = "landscape", "flat"
MEASURES: Mapping[str, str] = {
    "visible": "visible at any tier",
    "summary": "at summary or better",
    "full": "in full",
    "evidence": "evidence shown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReport:
    """`lines[unit]` are results of questions in the order asked, each with shares by policy, budget and measure."""

    dataset: str
    lines: Mapping[str, Sequence[Line]]
    budgets: tuple[int, ...]
    fill: bool
    facing: bool
    embedder: str
    version: str
    seconds: float
    half: str = "all"
    seed: int = 0

    def share(self, unit: str, policy: str, budget: int, measure: str) -> float:
        """Mean share of the evidence over the questions for which the measure is defined, 0..1."""
        return mean(self._values(unit, policy, budget, measure))

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready: shares of 1 rounded to 1e-4, budgets as text."""
        return {
            "dataset": self.dataset,
            "questions": max((len(lines) for lines in self.lines.values()), default=0),
            "budgets": list(self.budgets),
            "fill": self.fill,
            "facing": self.facing,
            **{unit: self._unit(unit) for unit in self.lines},
            "half": self.half,
            "seed": self.seed,
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def grids(self) -> list[Grid]:
        """A table a unit and measure: policies by budget in per cent, then the landscape's lead over the flat list."""
        return [self._grid(unit, measure) for unit in self.lines for measure in MEASURES]

    def plots(self) -> list[Plot]:
        """Shares over the budget, a picture a unit and measure."""
        return [
            Plot(
                f"{self.dataset} by {unit}, {name}",
                "tokens",
                "share of evidence, %",
                self.budgets,
                {p: [100 * self.share(unit, p, b, measure) for b in self.budgets] for p in self._policies(unit)},
                logarithmic=True,
            )
            for unit in self.lines
            for measure, name in MEASURES.items()
        ]

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        return [
            f"lodmem {self.version}, {self.seconds:.0f} s",
            f"embedder {self.embedder}, alpha 1, half {self.half}",
            f"landscape {'fills the budget' if self.fill else 'at its natural tiers at most'}, "
            f"{'facing the question' if self.facing else 'stored texts'}",
            "flat: whole texts in order of relevance until one does not fit",
            "agent: a landscape for three quarters of the tokens, then at most three expansions within the rest",
        ]

    def _policies(self, unit: str) -> list[str]:
        return list(dict.fromkeys(policy for line in self.lines[unit] for policy in line["shown"]))

    def _values(self, unit: str, policy: str, budget: int, measure: str) -> list[float]:
        found = (line["shown"][policy][str(budget)][measure] for line in self.lines[unit])
        return [value for value in found if value is not None]

    def _lead(self, unit: str, budget: int, measure: str) -> dict[str, float]:
        ours, flat = (self._values(unit, policy, budget, measure) for policy in (OURS, FLAT))
        draws = Bootstrap(len(ours), seed=self.seed)
        return told(draws.interval([a - b for a, b in zip(ours, flat, strict=True)]))

    def _unit(self, unit: str) -> dict[str, object]:
        found: dict[str, object] = {"questions": len(self.lines[unit])}
        for policy in self._policies(unit):
            found[policy] = {
                measure: {str(b): rounded(self.share(unit, policy, b, measure)) for b in self.budgets} for measure in MEASURES
            } | {"used": {str(b): round(mean(self._values(unit, policy, b, "used")), 1) for b in self.budgets}}
        found["lead"] = {measure: {str(b): self._lead(unit, b, measure) for b in self.budgets} for measure in MEASURES}
        return found

    def _grid(self, unit: str, measure: str) -> Grid:
        rows = [
            (policy, *(percent(self.share(unit, policy, b, measure)) for b in self.budgets)) for policy in self._policies(unit)
        ]
        leads = [self._lead(unit, b, measure) for b in self.budgets]
        lead = (f"{OURS} - {FLAT}", *(f"{100 * x['mean']:+.1f}" for x in leads))
        bounds = ("95 %", *(f"{100 * x['low']:+.0f}..{100 * x['high']:+.0f}" for x in leads))
        head = (f"{unit}s, {len(self.lines[unit])} questions", *(f"{b:,}" for b in self.budgets))
        return Grid(f"{self.dataset}: evidence by {unit}, {MEASURES[measure]}, %", head, (*rows, lead, bounds))
