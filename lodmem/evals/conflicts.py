"""What the product takes for a conflict in a data set, and how much of it is none, by labels that a person gave.

Labels name pairs of drafts by data set, case and label, never by text. It refuses to know any format.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lodmem._version import __version__
from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.datasets import Case, Dataset
from lodmem.evals.measures import rounded
from lodmem.evals.meter import Meter
from lodmem.evals.plots import Plot
from lodmem.evals.runner import Plan
from lodmem.evals.stores import opened
from lodmem.evals.tables import Grid, percent
from lodmem.model.conflict import Conflict

PAGE = 1000

# (data set, case, older, newer) and whether the two do state different values of the same thing.
Pair = tuple[str, str, str, str]
Labels = Mapping[Pair, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """One pair that was found, with its reason."""

    pair: Pair
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictsReport:
    """`found` in the order of the cases. A pair without a label counts in no share."""

    dataset: str
    found: Sequence[Detected]
    labels: Labels
    memories: int
    embedder: str
    version: str
    seconds: float

    @property
    def judged(self) -> list[bool]:
        """The labels of what was found, where there are any."""
        return [self.labels[one.pair] for one in self.found if one.pair in self.labels]

    @property
    def false_rate(self) -> float | None:
        """Share of the labelled finds that are no conflicts, 0..1; None without any."""
        return None if not self.judged else 1.0 - sum(self.judged) / len(self.judged)

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready."""
        rate = self.false_rate
        return {
            "dataset": self.dataset,
            "memories": self.memories,
            "detected": len(self.found),
            "labelled": len(self.judged),
            "false": self.judged.count(False),
            "false_rate": None if rate is None else rounded(rate),
            "by_reason": {reason: len(group) for reason, group in self._groups().items()},
            "unlabelled": [list(one.pair) for one in self.found if one.pair not in self.labels],
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def grids(self) -> list[Grid]:
        """One row a reason."""
        rows = [(reason, *self._row(group)) for reason, group in self._groups().items()]
        rows.append(("all", *self._row(self.found)))
        return [Grid(f"{self.dataset}: conflicts", ("reason", "detected", "labelled", "false", "false, %"), tuple(rows))]

    def plots(self) -> list[Plot]:
        """None: there is nothing to draw."""
        return []

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        return [
            f"lodmem {self.version}, {self.seconds:.0f} s, {self.memories:,} memories, embedder {self.embedder}",
            "false: the two do not state different values of the same thing",
        ]

    def _groups(self) -> dict[str, list[Detected]]:
        groups: dict[str, list[Detected]] = {}
        for one in sorted(self.found, key=lambda one: one.reason):
            groups.setdefault(one.reason, []).append(one)
        return groups

    def _row(self, group: Sequence[Detected]) -> tuple[str, str, str, str]:
        judged = [self.labels[one.pair] for one in group if one.pair in self.labels]
        share = percent(judged.count(False) / len(judged)) if judged else "-"
        return str(len(group)), str(len(judged)), str(judged.count(False)), share


def load_labels(path: Path) -> dict[Pair, bool]:
    """Labels from a JSON file: data set -> case -> [[older, newer, true or false], ...]. Raises UnknownPath, BadParameter."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        return {
            (dataset, case, str(older), str(newer)): bool(is_one)
            for dataset, cases in given.items()
            for case, pairs in cases.items()
            for older, newer, is_one in pairs
        }
    except FileNotFoundError as error:
        raise UnknownPath(f"there is no {path}", hint="name a file of labels") from error
    except (ValueError, AttributeError, TypeError) as error:
        raise BadParameter(
            f"{path} holds no labels: {error}", hint="data set -> case -> [[older, newer, true], ...]"
        ) from error


def evaluate_conflicts(dataset: Dataset, plan: Plan, labels: Labels) -> ConflictsReport:
    """What the product finds in each case, judged as it judges new memories. `labels` go before those of the data set.

    Raises: ModelError when the embedder fails, StorePathError.
    """
    started = time.perf_counter()
    cases = dataset.cases[: plan.limit] if plan.limit is not None else dataset.cases
    meter = Meter(plan.progress, sum(2 * len(case.drafts) for case in cases))
    found: list[Detected] = []
    for case in cases:
        found += _of(dataset.name, case, plan, meter)
    return ConflictsReport(
        dataset=dataset.name,
        found=tuple(found),
        labels={**dataset.changed, **labels},
        memories=sum(len(case.drafts) for case in cases),
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
    )


def _of(dataset: str, case: Case, plan: Plan, meter: Meter) -> list[Detected]:
    with opened(case, plan.embedder, plan.work_dir, meter) as store:
        names = {memory_id: label for label, memory_id in reversed(list(store.ids.items()))}
        kept: list[Conflict] = []
        while page := store.engine.conflicts(state=None, after=kept[-1].id if kept else 0, limit=PAGE):
            kept += [dispute.conflict for dispute in page]
    return [Detected(pair=(dataset, case.id, names[c.older], names[c.newer]), reason=c.reason.value) for c in kept]
