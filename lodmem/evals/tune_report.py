"""What tuning a profile found, before and after on questions that took no part: tables, plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lodmem.evals.measures import rounded, told
from lodmem.evals.metrics.bootstrap import Bootstrap, Interval
from lodmem.evals.metrics.mean import mean
from lodmem.evals.plots import Plot
from lodmem.evals.tables import Grid, percent
from lodmem.evals.tuning import Setting, Standing
from lodmem.model.profile import Profile

FITTED = ("alpha", "lambda_", "theta1", "theta2", "theta3")
TIERS = ("full", "summary or better", "headline or better")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneReport:
    """`scores` and `fitted` are of the half that was fitted to, `standing_before` and `standing_after` of the other.

    `scores[alpha, lambda]` has nDCG@10 of each question. `source` says where the marks come from.
    """

    before: Profile
    after: Profile
    scores: Mapping[Setting, Sequence[float]]
    fitted: Sequence[Standing]
    standing_before: Sequence[Standing]
    standing_after: Sequence[Standing]
    source: str
    version: str
    seconds: float
    seed: int = 0

    @property
    def gain(self) -> Interval:
        """nDCG@10 after minus before on the questions that took no part, with its 95 % interval."""
        pairs = zip(self.standing_after, self.standing_before, strict=True)
        return Bootstrap(len(self.standing_after), seed=self.seed).interval([a.ndcg - b.ndcg for a, b in pairs])

    @property
    def verdict(self) -> str:
        """What the held-out half says of the new alpha and lambda."""
        if (self.after.alpha, self.after.lambda_) == (self.before.alpha, self.before.lambda_):
            return "alpha and lambda stay: nothing in the grid is shown to rank the marked memories better"
        if rounded(self.gain.low) > 0.0:
            return "better on questions that took no part"
        if rounded(self.gain.high) < 0.0:
            return "worse on questions that took no part: do not keep it"
        return "not shown to be better on questions that took no part: the interval holds 0"

    @property
    def dataset(self) -> str:
        return f"tuning {self.before.name}"

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; shares of 1 rounded to 1e-4."""
        return {
            "profile": self.before.name,
            "source": self.source,
            "fitted_on": len(self.fitted),
            "held_out": len(self.standing_before),
            "before": self._profile(self.before) | self._standing(self.standing_before),
            "after": self._profile(self.after) | self._standing(self.standing_after),
            "after_on_the_fitted": self._standing(self.fitted),
            "gain": told(self.gain),
            "verdict": self.verdict,
            "grid": [
                {"alpha": alpha, "lambda": lambda_, "ndcg_at_10": rounded(mean(values))}
                for (alpha, lambda_), values in self.scores.items()
            ],
            "version": self.version,
            "seconds": round(self.seconds, 2),
        }

    def grids(self) -> list[Grid]:
        """Parameters, then the held-out half, then nDCG@10 of the grid on the half that was fitted to."""
        return [self._parameters(), self._held_out(), self._searched()]

    def plots(self) -> list[Plot]:
        """None: the tables say it."""
        return []

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        return [
            f"marks from {self.source}; fitted on {len(self.fitted)} questions, tried on {len(self.standing_before)} others",
            self.verdict,
        ]

    def _parameters(self) -> Grid:
        rows = tuple((name.rstrip("_"), f"{getattr(self.before, name):g}", f"{getattr(self.after, name):g}") for name in FITTED)
        return Grid(f"profile {self.before.name}", ("parameter", "before", "after"), rows)

    def _held_out(self) -> Grid:
        gain = self.gain
        before, after = self.standing_before, self.standing_after
        rows = [
            (
                "nDCG@10, %",
                percent(mean(s.ndcg for s in before)),
                percent(mean(s.ndcg for s in after)),
                f"{100 * gain.mean:+.1f} ({100 * gain.low:+.1f}..{100 * gain.high:+.1f})",
            )
        ]
        for what in ("marked", "all"):
            for tier, name in enumerate(TIERS):
                old, new = (_share(standing, what, tier) for standing in (before, after))
                rows.append((f"{what} memories {name}, %", percent(old), percent(new), f"{100 * (new - old):+.1f}"))
        head = (f"{len(before)} questions that took no part", "before", "after", "difference (95 %)")
        return Grid(f"profile {self.before.name}: held out", head, tuple(rows))

    def _searched(self) -> Grid:
        alphas, lambdas = (sorted({setting[side] for setting in self.scores}) for side in (0, 1))
        rows = tuple((f"{alpha:g}", *(self._cell(alpha, lambda_) for lambda_ in lambdas)) for alpha in alphas)
        title = f"profile {self.before.name}: nDCG@10 on the half that was fitted to, %"
        return Grid(title, ("alpha \\ lambda", *(f"{lambda_:g}" for lambda_ in lambdas)), rows)

    def _cell(self, alpha: float, lambda_: float) -> str:
        values = self.scores.get((alpha, lambda_))
        return "" if values is None else percent(mean(values))

    @staticmethod
    def _profile(profile: Profile) -> dict[str, object]:
        return {name.rstrip("_"): getattr(profile, name) for name in FITTED}

    @staticmethod
    def _standing(standing: Sequence[Standing]) -> dict[str, object]:
        return {
            "ndcg_at_10": rounded(mean(s.ndcg for s in standing)),
            **{
                what: {name.split()[0]: rounded(_share(standing, what, tier)) for tier, name in enumerate(TIERS)}
                for what in ("marked", "all")
            },
        }


def _share(standing: Sequence[Standing], what: str, tier: int) -> float:
    """Share of the marked memories, or of all candidates, that stand at a tier or better; every question weighs the same."""
    if what == "marked":
        return mean(s.marked[tier] / s.marks for s in standing)
    return mean(s.shown[tier] / s.candidates for s in standing)
