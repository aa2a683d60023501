"""What PrecisionMemBench found: passes, precision and recall by the tier from which on a belief counts as surfaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lodmem.evals.kept import Line
from lodmem.evals.measures import rounded
from lodmem.evals.metrics.mean import mean
from lodmem.evals.plots import Plot
from lodmem.evals.tables import Grid, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionReport:
    """`lines` are results of cases in the order of the file; `tiers` from the highest.

    A pass is active when the case expects a belief: nobody passes it by showing everything or nothing.
    """

    lines: Sequence[Line]
    tiers: tuple[str, ...]
    alpha: float
    embedder: str
    version: str
    seconds: float
    dataset: str = field(default="precision")

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; the figures at the top are those of the highest tier."""
        return {
            "dataset": self.dataset,
            "questions": len(self.lines),
            **self._at(self.lines, self.tiers[0]),
            "at": {tier: self._at(self.lines, tier) for tier in self.tiers},
            "by_category": {
                name: {"questions": len(group), **{tier: self._at(group, tier) for tier in self.tiers}}
                for name, group in self._categories().items()
            },
            "alpha": self.alpha,
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def grids(self) -> list[Grid]:
        """Figures by tier, then passes by category."""
        head = ("surfaced at", "passed", "active passed", "precision, %", "recall, %")
        rows = []
        for tier in self.tiers:
            found = self._at(self.lines, tier)
            rows.append(
                (
                    f"{tier} or better" if tier != self.tiers[0] else tier,
                    f"{found['passed']:g} of {len(self.lines)}",
                    f"{found['active_passed']:g} of {found['active']:g}",
                    percent(found["precision"]),
                    percent(found["recall"]),
                )
            )
        categories = [
            (name, str(len(group)), *(f"{self._at(group, tier)['passed']:g}" for tier in self.tiers))
            for name, group in self._categories().items()
        ]
        return [
            Grid(f"{self.dataset}: exact sets", head, tuple(rows)),
            Grid(f"{self.dataset}: passed by category", ("category", "cases", *self.tiers), tuple(categories)),
        ]

    def plots(self) -> list[Plot]:
        """None: there is no axis."""
        return []

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        return [f"lodmem {self.version}, {self.seconds:.0f} s", f"embedder {self.embedder}, alpha {self.alpha:g}"]

    def _categories(self) -> dict[str, list[Line]]:
        groups: dict[str, list[Line]] = {}
        for line in self.lines:
            groups.setdefault(line["category"], []).append(line)
        return {name: groups[name] for name in sorted(groups)}

    @staticmethod
    def _at(lines: Sequence[Line], tier: str) -> dict[str, float]:
        found = [(line, line["at"][tier]) for line in lines]
        active = [at for line, at in found if line["expected"]]
        return {
            "passed": sum(not at["failures"] for _, at in found),
            "active": len(active),
            "active_passed": sum(not at["failures"] for at in active),
            "precision": rounded(mean(at["precision"] for _, at in found if at["precision"] is not None)),
            "recall": rounded(mean(at["recall"] for _, at in found if at["recall"] is not None)),
        }
