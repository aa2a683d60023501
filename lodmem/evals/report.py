"""What an evaluation found, as a table for people and as plain values for machines. It refuses to know how it was run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table

from lodmem.evals.metrics.mean import mean

CUTOFFS = (5, 10, 20, 50)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question asked: where each gold memory was ranked (from 1; None: not among the answers) and recall by cutoff."""

    question: str
    category: str
    ranks: Mapping[str, int | None]
    recall: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """`outcomes` in the order asked. `seconds`: wall time of the whole run. `embedder`: key of the model, or 'none'.

    `names` gives categories a name for the table.
    """

    dataset: str
    outcomes: tuple[Outcome, ...]
    skipped: int
    dropped: int
    embedder: str
    version: str
    seconds: float
    names: Mapping[str, str]

    @property
    def recall_at(self) -> dict[int, float]:
        """Mean recall over all questions by cutoff."""
        return _recall(self.outcomes)

    def by_category(self) -> dict[str, tuple[Outcome, ...]]:
        """Outcomes of each category, categories sorted."""
        groups: dict[str, list[Outcome]] = {}
        for outcome in self.outcomes:
            groups.setdefault(outcome.category, []).append(outcome)
        return {category: tuple(groups[category]) for category in sorted(groups)}

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; cutoffs are strings, recalls shares of 1 rounded to 1e-4."""
        return {
            "dataset": self.dataset,
            **_summary(self.outcomes),
            "by_category": {category: _summary(group) for category, group in self.by_category().items()},
            "skipped": self.skipped,
            "dropped_evidence": self.dropped,
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def table(self) -> Table:
        """Recall in per cent, a row a category and one for all."""
        table = Table(title=f"{self.dataset}: evidence recall, %", caption=self._caption())
        table.add_column("category")
        for head in ("questions", *(f"R@{k}" for k in CUTOFFS)):
            table.add_column(head, justify="right")
        for category, group in self.by_category().items():
            name = self.names.get(category, "")
            table.add_row(f"{category} {name}".strip(), *_cells(group))
        table.add_section()
        table.add_row("all", *_cells(self.outcomes), style="bold")
        return table

    def _caption(self) -> str:
        lines = [f"lodmem {self.version}, {self.seconds:.0f} s", f"embedder {self.embedder}"]
        if self.skipped:
            lines.append(f"{self.skipped} questions without evidence left out")
        return "\n".join(lines)


def _recall(outcomes: Iterable[Outcome]) -> dict[int, float]:
    listed = list(outcomes)
    return {k: mean(outcome.recall[k] for outcome in listed) for k in CUTOFFS}


def _summary(outcomes: Sequence[Outcome]) -> dict[str, object]:
    recall = {str(k): round(value, 4) for k, value in _recall(outcomes).items()}
    return {"questions": len(outcomes), "recall_at": recall}


def _cells(outcomes: Sequence[Outcome]) -> list[str]:
    return [str(len(outcomes)), *(f"{100 * value:.1f}" for value in _recall(outcomes).values())]
