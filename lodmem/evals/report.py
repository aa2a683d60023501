"""What an evaluation of rankings found: tables for people, plain values for machines. It refuses to know how it ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lodmem.evals.datasets import NO_NAMES
from lodmem.evals.measures import at, block, bounds, cutoffs, differences, mrr, rounded
from lodmem.evals.metrics.bootstrap import Bootstrap
from lodmem.evals.metrics.ranks import Ranks
from lodmem.evals.metrics.recall import recall_at
from lodmem.evals.outcome import OFFICIAL, SESSION, TURN, Outcome
from lodmem.evals.plots import Plot
from lodmem.evals.systems import OURS
from lodmem.evals.tables import Grid, percent

BLOCKS = (TURN, SESSION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """`outcomes` in the order asked. `seconds`: wall time of the whole run. `embedder`: key of the model, or 'none'.

    `names` gives categories a name for the table. `granularity`, turn or session, is what `recall_at` is about. `tune`: ids of
    the questions that may be tuned on.
    """

    dataset: str
    outcomes: tuple[Outcome, ...]
    skipped: int
    dropped: int
    embedder: str
    version: str
    seconds: float
    names: Mapping[str, str] = field(default_factory=lambda: NO_NAMES)
    granularity: str = TURN
    alpha: float = 1.0
    half: str = "all"
    seed: int = 0
    tune: frozenset[str] = frozenset()

    @property
    def recall_at(self) -> dict[int, float]:
        """Mean recall of the product over all questions by cutoff."""
        return _recall(self.granularity, _asked(self.outcomes, OURS, self.granularity))

    @property
    def systems(self) -> tuple[str, ...]:
        """What ran, the product first."""
        found = dict.fromkeys(system for outcome in self.outcomes for system in outcome.ranks)
        return tuple(sorted(found, key=lambda system: system != OURS))

    def by_category(self) -> dict[str, tuple[Outcome, ...]]:
        """Outcomes of each category, categories sorted."""
        groups: dict[str, list[Outcome]] = {}
        for outcome in self.outcomes:
            groups.setdefault(outcome.category, []).append(outcome)
        return {category: tuple(groups[category]) for category in sorted(groups)}

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; cutoffs are strings, measures shares of 1 rounded to 1e-4."""
        others = [system for system in self.systems if system != OURS]
        return {
            "dataset": self.dataset,
            "questions": len(self.outcomes),
            "recall_at": {str(k): rounded(value) for k, value in self.recall_at.items()},
            **self._system(OURS),
            "by_category": {category: self._category(group) for category, group in self.by_category().items()},
            "baselines": {system: self._system(system) for system in others},
            "differences": {system: self._difference(system) for system in others},
            "halves": {name: self._half(group) for name, group in self.halves().items()},
            "alpha": self.alpha,
            "half": self.half,
            "seed": self.seed,
            "skipped": self.skipped,
            "dropped_evidence": self.dropped,
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def halves(self) -> dict[str, tuple[Outcome, ...]]:
        """All outcomes, those of the half to tune on and those of the half to check with."""
        return {
            "all": self.outcomes,
            "tune": tuple(outcome for outcome in self.outcomes if outcome.question in self.tune),
            "check": tuple(outcome for outcome in self.outcomes if outcome.question not in self.tune),
        }

    def grids(self) -> list[Grid]:
        """Recall by category in per cent, the halves side by side, then every system in each view."""
        halves = [self._halves()] if all(self.halves().values()) else []
        return [self._categories(), *halves, *(self._systems(view) for view in self.views())]

    def plots(self) -> list[Plot]:
        """Recall over the cutoff, a line a system, a picture a view; then the product by category."""
        found = [self._curve(view) for view in self.views()]
        if len(self.by_category()) > 1:
            view = self.granularity
            lines = {
                f"{category} {self.names.get(category, '')}".strip(): _curve(view, _asked(group, OURS, view))
                for category, group in self.by_category().items()
            }
            found.append(Plot(f"{self.dataset} by category", f"{view}s shown", "recall, %", cutoffs(view), lines))
        return found

    def views(self) -> list[str]:
        """Views that have evidence, the data set's own first."""
        order = sorted(BLOCKS, key=lambda view: view != self.granularity)
        both = [*order, *(OFFICIAL + view for view in order)]
        return [view for view in both if _asked(self.outcomes, OURS, view)]

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        lines = [
            f"lodmem {self.version}, {self.seconds:.0f} s",
            f"embedder {self.embedder}, alpha {self.alpha:g}, half {self.half}, {len(self.outcomes)} questions",
        ]
        if self.skipped:
            lines.append(f"{self.skipped} questions without evidence left out")
        if self.dropped:
            lines.append(f"{self.dropped} pieces of evidence that do not exist left out")
        return lines

    def _system(self, system: str) -> dict[str, object]:
        found: dict[str, object] = {view: block(view, _asked(self.outcomes, system, view), seed=self.seed) for view in BLOCKS}
        official = {view: _asked(self.outcomes, system, OFFICIAL + view) for view in BLOCKS}
        if any(official.values()):
            found["official"] = {view: block(view, asked, seed=self.seed) for view, asked in official.items()}
        return found

    def _category(self, group: Sequence[Outcome]) -> dict[str, object]:
        found: dict[str, object] = {
            view: {
                "questions": len(asked),
                **{
                    name: {str(k): rounded(at(name, asked, k)) for k in cutoffs(view)}
                    for name in ("recall_at", "any_at", "all_at")
                },
                "mrr": rounded(mrr(asked)),
            }
            for view in BLOCKS
            for asked in [_asked(group, OURS, view)]
        }
        recall = _recall(self.granularity, _asked(group, OURS, self.granularity))
        return {"questions": len(group), "recall_at": {str(k): rounded(value) for k, value in recall.items()}, **found}

    def _half(self, group: Sequence[Outcome]) -> dict[str, object]:
        return {"questions": len(group)} | {
            view: {
                name: {str(k): rounded(at(name, _asked(group, OURS, view), k)) for k in cutoffs(view)}
                for name in ("recall_at", "any_at", "all_at")
            }
            for view in BLOCKS
        }

    def _halves(self) -> Grid:
        turns = cutoffs(TURN)
        head = ("half", "questions", *(f"turn R@{k}" for k in turns), "session R@1", "R@5", "any@5", "all@5", "all@10")
        rows = []
        for name, group in self.halves().items():
            by_turn, by_session = (_asked(group, OURS, view) for view in BLOCKS)
            sessions = (("recall_at", 1), ("recall_at", 5), ("any_at", 5), ("all_at", 5), ("all_at", 10))
            rows.append(
                (
                    name,
                    str(len(group)),
                    *(percent(at("recall_at", by_turn, k)) for k in turns),
                    *(percent(at(measure, by_session, k)) for measure, k in sessions),
                )
            )
        return Grid(f"{self.dataset}: the half tuned on and the half to check with, %", head, tuple(rows))

    def _difference(self, system: str) -> dict[str, object]:
        found: dict[str, object] = {}
        for view in BLOCKS:
            pairs = [(a, b) for o in self.outcomes if (a := o.of(OURS, view)) and (b := o.of(system, view))]
            found[view] = differences(view, [a for a, _ in pairs], [b for _, b in pairs], seed=self.seed)
        return found

    def _curve(self, view: str) -> Plot:
        lines = {system: _curve(view, _asked(self.outcomes, system, view)) for system in self.systems}
        return Plot(f"{self.dataset} {view}s", f"{view}s shown", "recall, %", cutoffs(view), lines)

    def _categories(self) -> Grid:
        ks = cutoffs(self.granularity)
        head = ("category", "questions", *(f"R@{k}" for k in ks))
        rows = [
            (f"{category} {self.names.get(category, '')}".strip(), *self._recalls(group))
            for category, group in self.by_category().items()
        ]
        title = f"{self.dataset}: recall of evidence by {self.granularity}, %"
        return Grid(title, head, (*rows, ("all", *self._recalls(self.outcomes))), strong=True)

    def _recalls(self, group: Sequence[Outcome]) -> list[str]:
        recall = _recall(self.granularity, _asked(group, OURS, self.granularity))
        return [str(len(group)), *map(percent, recall.values())]

    def _systems(self, view: str) -> Grid:
        ks = cutoffs(view)
        low, high = (5, 10) if 5 in ks else (ks[0], ks[-1])
        head = (
            view, "questions", *(f"R@{k}" for k in ks), f"R@{high} 95 %",
            f"any@{low}", f"all@{low}", f"all@{high}", "MRR", f"nDCG@{high}", f"nDCG@{high} LME",
        )  # fmt: skip
        rows = []
        for system in self.systems:
            asked = _asked(self.outcomes, system, view)
            interval = bounds(Bootstrap(len(asked), seed=self.seed).interval([recall_at(ranks, high) for ranks in asked]))
            rows.append(
                (
                    system,
                    str(len(asked)),
                    *map(percent, _recall(view, asked).values()),
                    "-".join(map(percent, interval)),
                    percent(at("any_at", asked, low)),
                    percent(at("all_at", asked, low)),
                    percent(at("all_at", asked, high)),
                    percent(mrr(asked)),
                    percent(at("ndcg_at", asked, high)),
                    percent(at("ndcg_longmemeval_at", asked, high)),
                )
            )
        return Grid(f"{self.dataset}: {view}s, %", head, tuple(rows))


def _asked(outcomes: Sequence[Outcome], system: str, view: str) -> list[Ranks]:
    """Ranks of the evidence of the questions that have any in this view."""
    return [ranks for outcome in outcomes if (ranks := outcome.of(system, view))]


def _recall(view: str, asked: Sequence[Ranks]) -> dict[int, float]:
    return {k: at("recall_at", asked, k) for k in cutoffs(view)}


def _curve(view: str, asked: Sequence[Ranks]) -> list[float]:
    return [100.0 * value for value in _recall(view, asked).values()]
