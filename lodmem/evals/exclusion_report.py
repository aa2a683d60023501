"""What exclusions dropped, leaked and lost, topic by topic and pooled: tables, plain values. `exclusion` defines the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lodmem.evals.kept import Line
from lodmem.evals.measures import rounded, told
from lodmem.evals.metrics.bootstrap import Bootstrap
from lodmem.evals.plots import Plot
from lodmem.evals.tables import Grid, percent

OURS, WORDS_ALONE, FREE = "lodmem", "words alone", "nothing excluded"
WINDOW = "window"
NUMERATORS = {
    "leaked_share": "leaked",
    "leaked_sharp": "leaked_sharp",
    "missed": "missed",
    "lost": "lost",
    "lost_without_reason": "lost_without_reason",
}
DENOMINATORS = {
    "leaked_share": "shown",
    "leaked_sharp": "sharp",
    "missed": "about",
    "lost": "other",
    "lost_without_reason": "other",
}
HEAD = ("leaked, %", "at summary, %", "missed, %", "lost, %", "lost without reason, %")


def at_threshold(threshold: float) -> str:
    """The name of the way of excluding with another threshold."""
    return f"threshold {threshold:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionReport:
    """`lines` are topics in order, each with counts by way of excluding. `threshold`: the product's own, of nearness."""

    lines: Sequence[Line]
    threshold: float
    embedder: str
    version: str
    seconds: float
    seed: int = 0
    dataset: str = field(default="exclusion")

    @property
    def ways(self) -> tuple[str, ...]:
        """Ways of excluding that were measured, the product's own first."""
        return tuple(dict.fromkeys(way for line in self.lines for way in line["counts"]))

    def share(self, measure: str, way: str = OURS, lines: Sequence[Line] | None = None) -> float:
        """A measure over all memories of the topics together, 0..1; 0 where there is nothing to count. Lower is better."""
        counts = [_of(line, way) for line in (self.lines if lines is None else lines)]
        whole = sum(count[DENOMINATORS[measure]] for count in counts)
        return sum(count[NUMERATORS[measure]] for count in counts) / whole if whole else 0.0

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; shares of 1 rounded to 1e-4, `interval` of the mean over topics."""
        return {
            "dataset": self.dataset,
            "topics": len(self.lines),
            **self._block(OURS, self.lines),
            "by_dataset": {
                name: {"topics": len(group), **{way: self._block(way, group) for way in (*self.ways, WINDOW)}}
                for name, group in self._groups().items()
            },
            "by_way": {way: self._block(way, self.lines) for way in (*self.ways, WINDOW)},
            "by_topic": [
                {"case": line["case"], "term": line["term"], **line["counts"][OURS], **self._shares(OURS, [line])}
                for line in self.lines
            ],
            "threshold": self.threshold,
            "embedder": self.embedder,
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def grids(self) -> list[Grid]:
        """A table a data set with one row a way of excluding, then one with a row a topic."""
        found = []
        for name, group in self._groups().items():
            rows = [(way, *self._cells(way, group)) for way in (*self.ways, WINDOW)]
            found.append(Grid(f"{name}: what exclusion drops, {len(group)} topics", ("excluding by", *HEAD), tuple(rows)))
        topics = [
            (
                f"{line['term']} ({line['case']})",
                str(line["counts"][OURS]["about"]),
                str(line["counts"][OURS]["other"]),
                *self._cells(OURS, [line]),
            )
            for line in self.lines
        ]
        total = [_of(line, OURS) for line in self.lines]
        sums = ("all", str(sum(c["about"] for c in total)), str(sum(c["other"] for c in total)), *self._cells(OURS, self.lines))
        head = ("topic", "about it", "others", *HEAD)
        return [*found, Grid(f"{self.dataset}: topic by topic", head, (*topics, sums), strong=True)]

    def plots(self) -> list[Plot]:
        """None: there is no axis."""
        return []

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        return [
            f"lodmem {self.version}, {self.seconds:.0f} s",
            f"embedder {self.embedder}, alpha 1, no budget, threshold {self.threshold:g}",
            "leaked: share of the answer that is about the topic, at any tier and at summary or better",
            "missed: share of what is about it that was not dropped",
            "lost: share of everything else that was dropped; without reason: and that holds none of the term's words",
            "window: leaked is the share of everything that is left",
        ]

    def _groups(self) -> dict[str, list[Line]]:
        groups: dict[str, list[Line]] = {}
        for line in self.lines:
            groups.setdefault(line["category"], []).append(line)
        return groups

    def _shares(self, way: str, lines: Sequence[Line]) -> dict[str, float]:
        return {measure: rounded(self.share(measure, way, lines)) for measure in NUMERATORS}

    def _cells(self, way: str, lines: Sequence[Line]) -> list[str]:
        return [percent(self.share(measure, way, lines)) for measure in NUMERATORS]

    def _block(self, way: str, lines: Sequence[Line]) -> dict[str, object]:
        draws = Bootstrap(len(lines), seed=self.seed)
        interval = {
            measure: told(draws.interval([self.share(measure, way, [line]) for line in lines])) for measure in NUMERATORS
        }
        return {**self._shares(way, lines), "interval": interval}


def _of(line: Line, way: str) -> dict[str, int]:
    found: dict[str, int] = line[WINDOW] if way == WINDOW else line["counts"][way]
    return found
