"""The engine's verbs about distillation: run it, let a person decide, say what is known, what a forgotten one takes along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from lodmem.care.base import Verbs
from lodmem.errors import BadParameter
from lodmem.ingest.distill.found import stands_in
from lodmem.ingest.distill.work import Distillation, Distiller
from lodmem.ingest.embed import TASK as EMBED
from lodmem.ingest.work.background import Background
from lodmem.lod.decay import days_between, faded_importance
from lodmem.model.audit import AuditEntry
from lodmem.model.distilled import ACCEPTED, KNOWLEDGE_LIMIT, REJECTED, WAITING, Outcome, Pattern, Run
from lodmem.model.memory import Tier, check_space
from lodmem.ports import Language, Progress, TokenCounter

MAX_LIMIT = 10_000
_DECIDED = {True: ACCEPTED, False: REJECTED}


@dataclass(frozen=True, slots=True)
class Known:
    """A pattern, and its `worth` now: importance * 0.95^days since it was distilled, 0..1."""

    pattern: Pattern
    worth: float


class Distilling(Verbs):
    """What of an engine has to do with distillation. `_principles` reads what the person served holds to."""

    _counter: TokenCounter
    _language: Language | None
    _principles: Callable[[], str]
    _worker: Background | None

    def distill(
        self,
        *,
        space: str | None = None,
        review: bool = False,
        again: bool = False,
        dry_run: bool = False,
        extractive: bool = False,
        progress: Progress | None = None,
    ) -> Distillation:
        """Turn the episodes that no run has dealt with into patterns: semantic memories with provenance. Twice adds nothing;
        after a crash the next run goes on.

        `space`: it and those below; None: all. `review`: each new pattern waits for a person (`decide_pattern`); those of what
        somebody holds to always do. `again`: take up what was unparsable, too. `dry_run`: store nothing. `extractive`: without
        the language model, though one is configured.

        Raises: ModelUnavailable, StoreReadOnly, and what reading the principles raises. What was done stays done.
        """
        if not dry_run:
            self._refuse_read_only()
        language = None if extractive else self._language
        distiller = Distiller(
            self._store,
            self._counter,
            self._clock,
            language=language,
            agent=self.agent,
            principles=self._principles() if language is not None else "",
            tasks=(EMBED,) if self._store.active_model() else (),
        )
        where = None if space is None else check_space(space)
        report = distiller.run(space=where, review=review, again=again, dry_run=dry_run, progress=progress)
        if self._worker is not None and report.made and not dry_run:
            self._worker.start()
        return report

    def knowledge(self, limit: int = KNOWLEDGE_LIMIT, *, space: str | None = None) -> list[Known]:
        """The patterns of most worth, best first, ties by id; worth is rounded to 1e-6. Not those that wait or were rejected,
        nor those all of whose episodes were superseded. Touches nothing. Source: SPEC 5.7."""
        if not 1 <= limit <= MAX_LIMIT:
            raise BadParameter(f"a limit is 1 to {MAX_LIMIT}, got {limit}")
        patterns = self._store.patterns(space=None if space is None else check_space(space), statuses=[ACCEPTED], standing=True)
        importance = np.array([each.importance for each in patterns], dtype=np.float64)
        distilled = np.array([each.distilled_us for each in patterns], dtype=np.int64)
        worth = np.round(faded_importance(importance, days_between(distilled, self._clock.now_us())), 6)
        known = [Known(pattern, float(value)) for pattern, value in zip(patterns, worth, strict=True)]
        return list(islice(sorted(known, key=lambda each: (-each.worth, each.pattern.id)), limit))

    def patterns_waiting(self, *, space: str | None = None) -> list[Pattern]:
        """Patterns that wait for a person, by rising id."""
        return self._store.patterns(space=None if space is None else check_space(space), statuses=[WAITING])

    def decide_pattern(self, pattern_id: int, *, accept: bool) -> None:
        """A person takes a pattern into the knowledge, or rejects it: then it stays out, and what says the same later too. It
        can be decided anew. Raises UnknownMemory; BadParameter for what is no pattern, or was superseded."""
        self._refuse_read_only()
        found = self._store.patterns(ids=[pattern_id])
        if not found:
            self._store.get([pattern_id])  # raises where there is no such memory at all
            raise BadParameter(f"#{pattern_id} is no distilled pattern", hint="'lodmem distill review' lists those that wait")
        (pattern,) = found
        if pattern.status not in (ACCEPTED, WAITING, REJECTED):
            raise BadParameter(f"#{pattern_id} is {pattern.status.value}", hint="only a pattern that stands can be decided")
        detail: dict[str, object] = {"ids": [pattern_id], "accept": accept}
        entry = AuditEntry(
            at_us=self._clock.now_us(), space=pattern.space, agent=self.agent, verb="distill_review", detail=detail
        )
        self._store.set_status(pattern_id, _DECIDED[accept], superseded_by=None, valid_to_us=None, audit=entry)

    def distill_runs(self, limit: int = 20) -> list[Run]:
        """What the latest runs did, newest first."""
        return self._store.distill_runs(limit=limit)

    def constitutional(self, *, space: str | None = None, limit: int = 100) -> list[int]:
        """Ids of episodes that state what somebody holds to, newest first: a person may want them among the principles."""
        where = None if space is None else check_space(space)
        return self._store.with_outcome(Outcome.CONSTITUTIONAL, space=where, limit=limit)

    def lost_with(self, *ids: int) -> list[Pattern]:
        """Patterns that go when these memories are forgotten: they came from these alone, or say a name or number that no other
        of their episodes has."""
        gone, lost = set(ids), []
        for pattern in self._store.patterns_from(ids):
            rest = [episode for episode in pattern.episodes if episode not in gone]
            if pattern.id not in gone and not stands_in(pattern.text, self._store.texts(rest, Tier.FULL)):
                lost.append(pattern)
        return lost
