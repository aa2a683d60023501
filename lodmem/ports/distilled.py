"""The part of a store behind distillation: which episodes are done, the patterns, where they came from, the runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lodmem.model.distilled import Outcome, Pattern, Run, Step, Stored
from lodmem.model.memory import Status


class Distilling(Protocol):
    """`space` means a space and those below it; None: all."""

    def undistilled(self, *, space: str | None = None, after: int = 0, limit: int, again: bool = False) -> list[int]:
        """Ids greater than `after`, rising, of episodic memories that no run has dealt with and that are active, stale or in
        conflict. Patterns are never among them, whatever their kind. `again`: those too whose outcome was UNPARSABLE."""
        ...

    def count_undistilled(self, *, space: str | None = None, again: bool = False) -> int:
        """How many there are."""
        ...

    def put_distilled(self, run: int, step: Step, *, now_us: int, tasks: Sequence[str] = ("embed",)) -> Stored:
        """Store what a batch of episodes came to, in one transaction: what became of each, the new patterns as `add` would,
        the patterns seen again, the gate's decisions, the run's counts, the audit entry.

        Nothing is stored where one of the episodes is gone or was dealt with by another run since; an unparsable one may be
        dealt with again. A new pattern with the space and text of one that is there changes nothing but the episodes that one
        is said to come from. Texts are never changed."""
        ...

    def outcomes(self, ids: Sequence[int]) -> dict[int, Outcome]:
        """What became of those of `ids` that were dealt with."""
        ...

    def with_outcome(self, outcome: Outcome, *, space: str | None = None, limit: int = 1000) -> list[int]:
        """Ids of episodes with this outcome, newest first."""
        ...

    def patterns(
        self,
        *,
        space: str | None = None,
        statuses: Sequence[Status] = (),
        ids: Sequence[int] | None = None,
        standing: bool = False,
    ) -> list[Pattern]:
        """Patterns by rising id; of these statuses, or all; those of `ids` alone where given. `standing`: not those all of
        whose episodes were superseded."""
        ...

    def patterns_from(self, episodes: Sequence[int]) -> list[Pattern]:
        """Patterns that came from any of these episodes, by rising id."""
        ...

    def begin_run(self, run: Run) -> int:
        """Note that a run begins; its number."""
        ...

    def end_run(self, run: int, *, ended_us: int, stopped: str = "") -> None:
        """Note that it ended. Unknown: passed over."""
        ...

    def distill_runs(self, *, limit: int = 20) -> list[Run]:
        """The latest runs, newest first."""
        ...

    def load_provenance(self, links: Sequence[tuple[int, int]]) -> int:
        """Say which pattern came from which episode, (pattern, episode); how many were new. Pairs with an id that is not there,
        or whose first is no pattern, are passed over."""
        ...
