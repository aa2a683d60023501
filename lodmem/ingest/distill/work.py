"""A run of distillation: new episodes in batches, each batch stored as a whole, so that a killed run repeats one batch at most.

It reads episodes only; patterns are memories of another kind, with a table of their own, and are never among them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lodmem.errors import LodmemError, SpendCapReached
from lodmem.ingest.distill import by_model, extractive
from lodmem.ingest.distill.batches import Batch, batches, there
from lodmem.ingest.distill.found import Found
from lodmem.ingest.distill.gating import Gated, gate
from lodmem.ingest.distill.shelf import Shelf
from lodmem.ingest.pipeline import prepare
from lodmem.model.audit import AuditEntry
from lodmem.model.distilled import ACCEPTED, URI, WAITING, NewPattern, Outcome, Pattern, Run, Step
from lodmem.model.memory import Draft, Kind, Memory, Source
from lodmem.ports import Clock, Language, Store, TokenCounter
from lodmem.text.echo import is_echo

EXTRACTIVE = "extractive"
TAG = "distilled"
# What a run counts, in the order it is told. episodes: all that were dealt with.
COUNTS = (
    "episodes", "noise", "constitutional", "extracted", "rejected", "unfaithful", "unparsable", "skipped", "updated", "added",
    "waiting",
)  # fmt: skip
_TRIES = 3
_TRIAL = 1 << 53  # ids of patterns that a trial run made begin here


@dataclass(frozen=True, slots=True)
class Made:
    """A pattern that a run made. `id` 0 in a trial run. `waits`: a person is to be asked first."""

    id: int
    text: str
    importance: float
    episodes: tuple[int, ...]
    waits: bool


@dataclass(slots=True)
class Distillation:
    """What a run did. `counts` as COUNTS; `made` in order; `constitutional`: ids of episodes that state what somebody holds to,
    for a person to read; `left` still wait; `stopped`: why it ended before them; `run` 0: a trial, nothing was stored."""

    run: int
    writer: str
    counts: Counter[str] = field(default_factory=Counter)
    made: list[Made] = field(default_factory=list)
    constitutional: list[int] = field(default_factory=list)
    left: int = 0
    stopped: str = ""


class Distiller:
    """Distils in the caller's thread. `language` None: extractive. `tasks`: what a new memory waits for."""

    def __init__(
        self,
        store: Store,
        counter: TokenCounter,
        clock: Clock,
        *,
        language: Language | None,
        agent: str,
        principles: str = "",
        tasks: Sequence[str] = ("embed",),
    ) -> None:
        self._store, self._counter, self._clock = store, counter, clock
        self._language, self._agent, self._principles, self._tasks = language, agent, principles, tuple(tasks)
        self._writer = EXTRACTIVE if language is None else language.model_for(by_model.EXTRACT).name
        self._shelves: dict[str, Shelf] = {}

    def run(
        self,
        *,
        space: str | None,
        review: bool = False,
        again: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Distillation:
        """Distil what waits. `review`: every new pattern waits for a person. `again`: what was unparsable too. `dry_run`:
        nothing is stored. Raises ModelUnavailable: what was done stays done, the rest waits."""
        total = self._store.count_undistilled(space=space, again=again)
        begun = Run(begun_us=self._clock.now_us(), agent=self._agent, space=space or "", writer=self._writer)
        report = Distillation(0 if dry_run else self._store.begin_run(begun), self._writer)
        self._shelves.clear()
        try:
            most = None if self._language is None else by_model.MAX_BATCH_TOKENS
            for batch in batches(self._store, space=space, again=again, most_tokens=most):
                self._distil(batch, report, review=review, dry_run=dry_run)
                if progress is not None:
                    progress(report.counts["episodes"], max(total, report.counts["episodes"]))
        except SpendCapReached as error:
            report.stopped = str(error)
        except BaseException as error:
            report.stopped = str(error) if isinstance(error, LodmemError) else type(error).__name__
            raise
        finally:
            if not dry_run:
                self._store.end_run(report.run, ended_us=self._clock.now_us(), stopped=report.stopped)
        done = report.counts["episodes"] if dry_run else 0
        report.left = max(0, self._store.count_undistilled(space=space) - done)
        return report

    # -- one batch ------------------------------------------------------------------------------------------------------

    def _distil(self, batch: Batch, report: Distillation, *, review: bool, dry_run: bool) -> None:
        """Distil and store a batch; without the episodes that are gone or done meanwhile, where some are."""
        for _ in range(_TRIES):
            counts: Counter[str] = Counter()
            found, failed = self._found(batch, counts)
            own = [each for each in found if not is_echo(each.text)]  # our rendering, as a model quoted it
            counts["rejected"] += len(found) - len(own)
            shelf = self._shelf(batch.space)
            gated = gate(own, shelf)
            new = self._prepared(batch, gated, counts, waits=review or batch.constitutional)
            ids = [memory.id for memory in batch.episodes]
            outcome = Outcome.UNPARSABLE if failed else Outcome.CONSTITUTIONAL if batch.constitutional else Outcome.DISTILLED
            counts["episodes"] = len(ids) + len(batch.noise)
            counts["noise"] = len(batch.noise)
            counts["constitutional"] = len(ids) if batch.constitutional else 0
            if dry_run:
                for each in new:
                    shelf.put(_as_pattern(batch.space, each, _TRIAL + len(shelf)))
                self._note(report, batch, counts, new, [0] * len(new))
                return
            outcomes = {**dict.fromkeys(ids, outcome), **dict.fromkeys(batch.noise, Outcome.NOISE)}
            step = Step(
                outcomes=outcomes,
                new=tuple(new),
                again=tuple(gated.again),
                judged=tuple(gated.judged),
                counts=counts,
                audit=self._entry(batch.space, report.run, len(outcomes)),
            )
            stored = self._store.put_distilled(report.run, step, now_us=self._clock.now_us(), tasks=self._tasks)
            if stored.taken:
                moved = [*(each.id for each in stored.added), *(each.pattern for each in gated.again)]
                for pattern in self._store.patterns(ids=moved):
                    shelf.put(pattern)
                self._note(report, batch, counts, new, [each.id for each in stored.added])
                return
            batch = self._rest(batch)
            if not batch.episodes and not batch.noise:
                return

    def _shelf(self, space: str) -> Shelf:
        """The patterns of a space alone, read once a run and kept up with what the run itself stores."""
        if space not in self._shelves:
            self._shelves[space] = Shelf(each for each in self._store.patterns(space=space) if each.space == space)
        return self._shelves[space]

    def _found(self, batch: Batch, counts: Counter[str]) -> tuple[list[Found], bool]:
        """Patterns of the batch, and whether a model's answer was no use."""
        if not batch.episodes:
            return [], False
        if self._language is None:
            found, poor = extractive.distil(batch.episodes)
            counts.update(extracted=len(found) + poor, rejected=poor)
            return found, False
        text = "\n\n".join(self._read(memory) for memory in batch.episodes)
        out = by_model.distil(text, {memory.id: memory.full for memory in batch.episodes}, self._language, self._principles)
        counts.update(out.counts)
        return out.found, out.failed

    def _read(self, memory: Memory) -> str:
        """What of an episode a model reads: all of it, or its summary where it alone would be too long."""
        return memory.full if memory.tokens_full <= by_model.MAX_BATCH_TOKENS else memory.summary

    def _prepared(self, batch: Batch, gated: Gated, counts: Counter[str], *, waits: bool) -> list[NewPattern]:
        new: list[NewPattern] = []
        for each in gated.new:
            prepared = prepare(_draft(each, batch.space, self._agent), self._counter, now_us=self._clock.now_us())
            new.append(NewPattern(prepared=prepared, episodes=each.episodes, status=WAITING if waits else ACCEPTED))
        counts.update(skipped=gated.skipped, updated=gated.updated, added=len(new), waiting=len(new) if waits else 0)
        return new

    def _rest(self, batch: Batch) -> Batch:
        """The batch without what is gone or dealt with."""
        ids = [memory.id for memory in batch.episodes]
        done = {i for i, outcome in self._store.outcomes([*ids, *batch.noise]).items() if outcome is not Outcome.UNPARSABLE}
        episodes = there(self._store, [i for i in ids if i not in done])
        noise = there(self._store, [i for i in batch.noise if i not in done])
        return Batch(batch.space, tuple(episodes), tuple(memory.id for memory in noise), batch.constitutional)

    def _note(
        self, report: Distillation, batch: Batch, counts: Counter[str], new: Sequence[NewPattern], ids: Sequence[int]
    ) -> None:
        report.counts.update(counts)
        if batch.constitutional:
            report.constitutional += [memory.id for memory in batch.episodes]
        for memory_id, each in zip(ids, new, strict=True):
            draft = each.prepared.draft
            report.made.append(Made(memory_id, draft.full, draft.importance, each.episodes, each.status is WAITING))

    def _entry(self, space: str, run: int, episodes: int) -> AuditEntry:
        return AuditEntry(
            at_us=self._clock.now_us(),
            space=space,
            agent=self._agent,
            verb="distill",
            detail={"run": run, "episodes": episodes, "writer": self._writer},
        )


def _draft(found: Found, space: str, agent: str) -> Draft:
    """A pattern as a memory. Its source is its own text, so that it has no neighbours and is stored once."""
    session = hashlib.sha256(found.text.encode()).hexdigest()[:16]
    return Draft(
        full=found.text,
        space=space,
        agent=agent,
        kind=Kind.SEMANTIC,
        source=Source(URI, session),
        importance=found.importance,
        tags=(TAG,),
    )


def _as_pattern(space: str, new: NewPattern, number: int) -> Pattern:
    """A pattern of a trial run, which later batches are judged against."""
    draft = new.prepared.draft
    return Pattern(
        id=number, space=space, text=draft.full, importance=draft.importance, evidence_count=len(new.episodes),
        status=new.status, distilled_us=0, episodes=new.episodes,
    )  # fmt: skip
