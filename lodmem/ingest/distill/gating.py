"""What of a batch is new, what is there already, and what is there and said anew. Pure: the gate judges, this counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lodmem.ingest.distill.found import Found
from lodmem.ingest.distill.shelf import Shelf
from lodmem.ingest.gate import Verdict, judge_pattern
from lodmem.model.distilled import ACCEPTED, WAITING, Judged, Pattern, SeenAgain


@dataclass(slots=True)
class Gated:
    """`new` patterns with the episodes of those of the batch that say the same; stored ones seen `again`; what was `judged`, in
    order."""

    new: list[Found] = field(default_factory=list)
    again: list[SeenAgain] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    skipped: int = 0
    updated: int = 0


def gate(found: Sequence[Found], shelf: Shelf) -> Gated:
    """Judge each found pattern against the stored ones and those before it in the batch.

    A skip changes nothing of the other pattern but where it is said to come from. An update keeps its text, the larger
    importance, and adds to its evidence; a pattern that a person rejected, or that was superseded, is never updated.
    """
    out = Gated()
    batch = Shelf()
    for each in found:
        verdict = judge_pattern(each.text, [*batch.candidates(each.text), *shelf.candidates(each.text)])
        other = verdict.other
        stands = verdict.verdict is Verdict.ADD or other is None
        place = len(out.new) if stands else None
        out.judged.append(Judged(verdict=verdict, new=place, other_new=None if other is None or other >= 0 else -other - 1))
        if stands or other is None:
            out.new.append(each)
            batch.put(_as_pattern(each, -len(out.new)))
            continue
        updates = verdict.verdict is Verdict.UPDATE
        if other < 0:
            _merge(out.new, -other - 1, each, updates=updates)
        else:
            updates = updates and shelf[other].status in (ACCEPTED, WAITING)
            importance = each.importance if updates else None
            out.again.append(SeenAgain(pattern=other, episodes=each.episodes, importance=importance))
        out.updated += updates
        out.skipped += not updates
    return out


def _merge(new: list[Found], at: int, each: Found, *, updates: bool) -> None:
    """The same within one batch: one pattern that both come from."""
    before = new[at]
    episodes = tuple(sorted({*before.episodes, *each.episodes}))
    importance = max(before.importance, each.importance) if updates else before.importance
    new[at] = replace(before, episodes=episodes, importance=importance)


def _as_pattern(found: Found, number: int) -> Pattern:
    """A pattern that is not stored yet, under a number below 0."""
    return Pattern(
        id=number,
        space="",
        text=found.text,
        importance=found.importance,
        evidence_count=1,
        status=ACCEPTED,
        distilled_us=0,
        episodes=found.episodes,
    )
