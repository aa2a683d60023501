"""Fits alpha, lambda and the thresholds of a profile to marked questions on one half of them, and tries them on the other.

It refuses to fit with too little data, and knows nothing of where a profile is kept. `tuning` has the mathematics.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lodmem._version import __version__
from lodmem.engine import Engine
from lodmem.errors import BadParameter, UnknownProfile
from lodmem.evals.datasets import even
from lodmem.evals.marks import WITHIN_MINUTES, entries, marks_of, merged, read_marks, retrievals, same_words
from lodmem.evals.replay import Replay
from lodmem.evals.tune_report import TuneReport
from lodmem.evals.tuning import Look, best_setting, grid, score_settings, standings, thetas, tuned
from lodmem.model.profile import Profile

LEAST = 60
LEAST_A_HALF = 20

# (looks done, looks in all)
Progress = Callable[[int, int], None]


def tune(
    engine: Engine,
    name: str,
    *,
    labels: Path | None = None,
    minutes: float = WITHIN_MINUTES,
    seed: int = 0,
    progress: Progress | None = None,
) -> TuneReport:
    """What fits a profile of the store better, and how it does on questions that took no part. Saves and promotes nothing.

    `labels` None: the marks of the store's own use, expansions within so many minutes of a search. Questions with the same
    words count once. `seed` is for intervals.

    Raises:
        UnknownProfile: the store has no such profile.
        BadParameter: there is too little data, or `labels` is not in the format.
        UnknownPath: `labels` cannot be read.
        ModelError: the embedder failed.
    """
    started = time.perf_counter()
    before = _named(engine, name)
    log = list(entries(engine))
    marks = merged(marks_of(log, minutes=minutes) if labels is None else read_marks(labels, engine))
    used = retrievals(log)
    fitting, checking = (
        Replay(engine, [mark for mark in marks if even(same_words(mark.query)) == half], used, before) for half in (True, False)
    )
    _enough(len(fitting), len(checking), from_use=labels is None)
    counted = _Counted(progress, 3 * len(fitting) + 2 * len(checking))
    scores = score_settings(counted(fitting), grid(before))
    setting = best_setting(scores, before)
    # An expansion says that something was shown too small; nothing in use says that it was shown too large.
    thresholds = thetas(counted(fitting), setting, before, lower_only=labels is None)
    after = tuned(before, setting, thresholds)
    return TuneReport(
        before=before,
        after=after,
        scores=scores,
        fitted=tuple(standings(counted(fitting), after)),
        standing_before=tuple(standings(counted(checking), before)),
        standing_after=tuple(standings(counted(checking), after)),
        source="labels" if labels is not None else f"use: expansions within {minutes:g} minutes",
        version=__version__,
        seconds=time.perf_counter() - started,
        seed=seed,
    )


def _named(engine: Engine, name: str) -> Profile:
    known = engine.profiles()
    if name not in known:
        raise UnknownProfile(f"there is no profile {name!r}", hint="one of " + ", ".join(sorted(known)))
    return known[name]


def _enough(fitting: int, checking: int, *, from_use: bool) -> None:
    total = fitting + checking
    if total >= LEAST and min(fitting, checking) >= LEAST_A_HALF:
        return
    what = "different questions whose answer was expanded" if from_use else "different labelled questions"
    raise BadParameter(
        f"too little data to tune on: {total} {what} that the store can answer, {min(fitting, checking)} in the smaller half",
        hint=f"at least {LEAST} are needed, with {LEAST_A_HALF} in each half",
    )


@dataclass(slots=True)
class _Counted:
    """Passes looks on and tells how many of all passes are done."""

    tell: Progress | None
    total: int
    done: int = 0

    def __call__(self, looks: Iterable[Look]) -> Iterator[Look]:
        for look in looks:
            yield look
            self.done += 1
            if self.tell is not None:
                self.tell(self.done, self.total)
