"""The store's part behind distillation: episodes that are done, patterns and where they came from, runs."""

from __future__ import annotations

from collections.abc import Sequence

from lodmem.model.distilled import Outcome, Pattern, Run, Step, Stored
from lodmem.model.memory import Status
from lodmem.stores.sqlite import distilling
from lodmem.stores.sqlite.core import Core


class Distilled(Core):
    """Each method is one snapshot or one transaction."""

    def undistilled(self, *, space: str | None = None, after: int = 0, limit: int, again: bool = False) -> list[int]:
        with self._readers.snapshot() as conn:
            return distilling.undistilled(conn, space=space, after=after, limit=limit, again=again)

    def count_undistilled(self, *, space: str | None = None, again: bool = False) -> int:
        with self._readers.snapshot() as conn:
            return distilling.count_undistilled(conn, space=space, again=again)

    def put_distilled(self, run: int, step: Step, *, now_us: int, tasks: Sequence[str] = ("embed",)) -> Stored:
        with self._writer.transaction() as conn:
            return distilling.put(conn, run, step, now_us=now_us, tasks=tasks)

    def outcomes(self, ids: Sequence[int]) -> dict[int, Outcome]:
        with self._readers.snapshot() as conn:
            return distilling.outcomes(conn, ids)

    def with_outcome(self, outcome: Outcome, *, space: str | None = None, limit: int = 1000) -> list[int]:
        with self._readers.snapshot() as conn:
            return distilling.with_outcome(conn, outcome, space=space, limit=limit)

    def patterns(
        self,
        *,
        space: str | None = None,
        statuses: Sequence[Status] = (),
        ids: Sequence[int] | None = None,
        standing: bool = False,
    ) -> list[Pattern]:
        with self._readers.snapshot() as conn:
            return distilling.patterns(conn, space=space, statuses=statuses, ids=ids, standing=standing)

    def patterns_from(self, episodes: Sequence[int]) -> list[Pattern]:
        with self._readers.snapshot() as conn:
            return distilling.patterns_from(conn, episodes)

    def begin_run(self, run: Run) -> int:
        with self._writer.transaction() as conn:
            return distilling.begin_run(conn, run)

    def end_run(self, run: int, *, ended_us: int, stopped: str = "") -> None:
        with self._writer.transaction() as conn:
            distilling.end_run(conn, run, ended_us=ended_us, stopped=stopped)

    def distill_runs(self, *, limit: int = 20) -> list[Run]:
        with self._readers.snapshot() as conn:
            return distilling.runs(conn, limit=limit)

    def load_provenance(self, links: Sequence[tuple[int, int]]) -> int:
        with self._writer.transaction() as conn:
            return distilling.link(conn, links)
