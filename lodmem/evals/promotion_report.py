"""What a year of use made of memories: who is at the ceiling, what sank, what sticks, what superseded facts did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from lodmem.evals.measures import rounded, told
from lodmem.evals.metrics.bootstrap import Bootstrap
from lodmem.evals.metrics.mean import mean
from lodmem.evals.plots import Plot
from lodmem.evals.tables import Grid, percent
from lodmem.evals.year import QUARTERS, WEEKS
from lodmem.model.profile import Profile

CEILING = 0.9
OFTEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """Shares of all memories at the end of a week: D above CEILING, D at full, at summary or better, ever retrieved."""

    memories: int
    ceiling: float
    full: float
    summary: float
    retrieved: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """One memory after the year. By quarter: how often it was `asked` for, and its `retrievals` up to the quarter's end.

    `decay`: D at the end. `last_above`: the last week at whose end D was at summary or better, `last_asked`: the last one in
    which it was asked for, 0 for none. `superseded_at`: its retrievals when it was superseded, None where it was not.
    """

    asked: tuple[int, ...]
    retrievals: tuple[int, ...]
    decay: float
    last_above: int
    last_asked: int
    superseded_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Recall at 10 of one question's evidence at the end of the year: by relevance, with dates but without use, and with use.

    `last_asked`: the quarter (from 0) in which it was asked last, None for never. `lately`: how often in the last quarter.
    """

    last_asked: int | None
    lately: int
    relevance: float
    unused: float
    used: float


GROUPS: Mapping[str, Callable[[Fate], bool]] = {
    "asked for in the last quarter": lambda f: f.asked[-1] > 0,
    f"of these, {OFTEN} times or more": lambda f: f.asked[-1] >= OFTEN,
    "asked for earlier, not in the last quarter": lambda f: sum(f.asked) > 0 and not f.asked[-1],
    "never asked for, retrieved beside others": lambda f: not sum(f.asked) and f.retrievals[-1] > 0,
    "never retrieved": lambda f: not f.retrievals[-1],
    "all": lambda f: True,
}
# How often each question counts.
ASKED: Mapping[str, Callable[[Found], int]] = {
    "searches of the last quarter, again": lambda q: q.lately,
    "asked in the last quarter": lambda q: q.last_asked == QUARTERS - 1,
    "asked earlier, not in the last quarter": lambda q: q.last_asked is not None and q.last_asked < QUARTERS - 1,
    "never asked": lambda q: q.last_asked is None,
    "all": lambda q: True,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionReport:
    """`fates` are of the memories of the data set. `promoted` counts retrievals by searches, `expanded` those by expansions.

    `superseded_looks`: how often a superseded memory was shown, to whom asked for such.
    """

    dataset: str
    profile: Profile
    queries: int
    budget: int
    promoted: int
    expanded: int
    superseded_looks: int
    weeks: Sequence[Week]
    fates: Sequence[Fate]
    found: Sequence[Found]
    embedder: str
    version: str
    seconds: float
    seed: int = 0

    @property
    def living(self) -> list[Fate]:
        """Memories that nothing superseded."""
        return [fate for fate in self.fates if fate.superseded_at is None]

    @property
    def superseded(self) -> list[Fate]:
        return [fate for fate in self.fates if fate.superseded_at is not None]

    @property
    def risen(self) -> int:
        """How many superseded memories were retrieved after they were superseded."""
        return sum(fate.retrievals[-1] > (fate.superseded_at or 0) for fate in self.superseded)

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; shares of 1 rounded to 1e-4."""
        return {
            "dataset": self.dataset,
            "queries": self.queries,
            "memories": len(self.fates),
            "at_ceiling": rounded(self.weeks[-1].ceiling),
            "groups": {name: self._group(name) for name in GROUPS},
            "after_popularity": [self._ended(quarter) for quarter in range(QUARTERS - 1)],
            "superseded": {
                "memories": len(self.superseded),
                "retrieved_after": self.risen,
                "shown_on_request": self.superseded_looks,
                "decay": rounded(median([fate.decay for fate in self.superseded])) if self.superseded else None,
            },
            "recall_at_10": {name: self._recall(name) for name in ASKED},
            "by_week": [
                {
                    "memories": week.memories,
                    "at_ceiling": rounded(week.ceiling),
                    "full": rounded(week.full),
                    "summary": rounded(week.summary),
                    "retrieved": rounded(week.retrieved),
                }
                for week in self.weeks
            ],
            "retrievals_a_query": {
                "by_search": round(self.promoted / self.queries, 2),
                "by_expansion": round(self.expanded / self.queries, 2),
            },
            "profile": self.profile.to_dict(),
            "budget": self.budget,
            "seed": self.seed,
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def grids(self) -> list[Grid]:
        """What became of memories, what happens when popularity ends, superseded facts, and whether use finds more."""
        return [self._groups_grid(), self._ended_grid(), self._superseded_grid(), self._recall_grid()]

    def plots(self) -> list[Plot]:
        """Shares over the weeks."""
        lines = {
            f"D above {CEILING:g}": [100 * week.ceiling for week in self.weeks],
            "D at full": [100 * week.full for week in self.weeks],
            "D at summary or better": [100 * week.summary for week in self.weeks],
            "ever retrieved": [100 * week.retrieved for week in self.weeks],
        }
        quarters = slice(3, None, 4)
        x = list(range(1, WEEKS + 1))[quarters]
        return [Plot(self.dataset, "week", "share of memories, %", x, {name: y[quarters] for name, y in lines.items()})]

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        p = self.profile
        return [
            f"lodmem {self.version}, {self.seconds:.0f} s, embedder {self.embedder}, seed {self.seed}",
            f"{self.queries:,} searches in a year at {self.budget:,} tokens, profile {p.name}: alpha {p.alpha:g}, "
            f"lambda {p.lambda_:g}, promote_at {p.promote_at:g}",
            f"a search retrieved {self.promoted / self.queries:.1f} memories, its reader expanded "
            f"{self.expanded / self.queries:.2f} more",
            f"summary: D of at least {p.theta2:g}; full: of at least {p.theta1:g}",
        ]

    def _group(self, name: str) -> dict[str, float]:
        group = [fate for fate in self.living if GROUPS[name](fate)]
        decay = np.array([fate.decay for fate in group])
        return {
            "memories": len(group),
            "retrievals": median([fate.retrievals[-1] for fate in group]) if group else 0,
            "decay": rounded(float(np.median(decay))) if group else 0.0,
            "ceiling": rounded(mean((decay > CEILING).astype(float))),
            "full": rounded(mean((decay >= self.profile.theta1).astype(float))),
            "summary": rounded(mean((decay >= self.profile.theta2).astype(float))),
        }

    def _groups_grid(self) -> Grid:
        rows = []
        for name in GROUPS:
            found = self._group(name)
            shares = (percent(found[share]) for share in ("ceiling", "full", "summary"))
            rows.append((name, f"{found['memories']:g}", f"{found['retrievals']:g}", f"{found['decay']:.2f}", *shares))
        head = ("memories", "number", "retrievals", "D", f"D > {CEILING:g}, %", "full, %", "summary or better, %")
        return Grid(f"{self.dataset}: after the year (medians)", head, tuple(rows), strong=True)

    def _ended(self, quarter: int) -> dict[str, object]:
        """Memories asked for often, for the last time in a quarter."""
        first, last = WEEKS * quarter // QUARTERS + 1, WEEKS * (quarter + 1) // QUARTERS
        group = [f for f in self.living if sum(f.asked) >= OFTEN and first <= f.last_asked <= last]
        fallen = [max(0, fate.last_above + 1 - fate.last_asked) for fate in group if fate.last_above < WEEKS]
        again = [fate for fate in group if fate.retrievals[-1] > fate.retrievals[quarter]]
        return {
            "quarter": quarter + 1,
            "memories": len(group),
            "retrieved_beside_others": len(again),
            "below_summary_at_the_end": len(fallen),
            "weeks_until_below_summary": {
                "median": median(fallen) if fallen else None,
                "90%": round(float(np.percentile(fallen, 90)), 1) if fallen else None,
                "most": max(fallen, default=None),
            },
        }

    def _ended_grid(self) -> Grid:
        rows = []
        for quarter in range(QUARTERS - 1):
            found = self._ended(quarter)
            weeks: Mapping[str, float | None] = found["weeks_until_below_summary"]  # type: ignore[assignment]
            shown = ("-" if value is None else f"{value:g}" for value in weeks.values())
            keys = ("memories", "retrieved_beside_others", "below_summary_at_the_end")
            rows.append((f"quarter {quarter + 1}", *(str(found[key]) for key in keys), *shown))
        head = ("last asked for in", "memories", "retrieved later beside others", "below summary at the end")
        title = f"{self.dataset}: when popularity ends (asked for {OFTEN} times or more)"
        return Grid(title, (*head, "weeks until then, median", "90 %", "most"), tuple(rows))

    def _superseded_grid(self) -> Grid:
        decay = f"{median([fate.decay for fate in self.superseded]):.2f}" if self.superseded else "-"
        row = (str(len(self.superseded)), str(self.superseded_looks), str(self.risen), decay)
        head = ("superseded", "shown on request", "retrieved after", "D at the end (median)")
        return Grid(f"{self.dataset}: superseded facts", head, (row,))

    def _recall(self, name: str) -> dict[str, object]:
        group = [question for question in self.found for _ in range(ASKED[name](question))]
        draws = Bootstrap(len(group), seed=self.seed)
        return {
            "questions": len(group),
            "relevance": rounded(mean(q.relevance for q in group)),
            "unused": rounded(mean(q.unused for q in group)),
            "used": rounded(mean(q.used for q in group)),
            "gain": told(draws.interval([q.used - q.unused for q in group])),
        }

    def _recall_grid(self) -> Grid:
        rows = []
        for name in ASKED:
            found = self._recall(name)
            gain: Mapping[str, float] = found["gain"]  # type: ignore[assignment]
            shares = (percent(found[key]) for key in ("relevance", "unused", "used"))  # type: ignore[arg-type]
            told_gain = f"{100 * gain['mean']:+.1f} ({100 * gain['low']:+.1f}..{100 * gain['high']:+.1f})"
            rows.append((name, str(found["questions"]), *shares, told_gain))
        head = ("questions", "number", "relevance alone", "dates, no use", "dates and use", "gain by use (95 %)")
        return Grid(f"{self.dataset}: R@10 at the end of the year, %", head, tuple(rows), strong=True)
