"""Looks for what a new memory contradicts, and keeps it as conflicts. A judge of the task "judge".

It looks at the nearest memories, and for each of its statements at those that use the same words: one sentence of a long turn
may update a fact that the rest of the turn has nothing to do with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice

from lodmem.ingest.conflicts.find import find_conflict, read
from lodmem.ingest.conflicts.verdict import Verdict
from lodmem.ingest.judging import Case, existing
from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Found
from lodmem.model.memory import Memory, Status
from lodmem.ports import Store
from lodmem.text.sentences import sentences

VERB = "conflict"
EXPLICIT, RULES, MODEL = "an explicit statement", "rules", "a language model"
STANDING = frozenset({Status.ACTIVE, Status.STALE, Status.CONFLICT})
SUBJECTS, EACH = 12, 32  # statements of a memory that are looked up, and memories for each
SERIES = 4  # memories with other values of one thing are a series of measurements, and none of them is the truth
ONE_STATEMENT = 40  # words of a memory that says one thing, and may be hidden for it

# Memories of the same space that were there before and hold the words of one of the subjects.
Saying = Callable[[int, Sequence[frozenset[str]], int], Sequence[int]]


class Contradictions:
    """A Judge. `agent` is named in the audit log. `verdict`: asks a language model about each pair that the rules propose;
    None: the rules alone."""

    def __init__(self, store: Store, saying: Saying, *, agent: str, verdict: Verdict | None = None) -> None:
        self._store, self._saying, self._agent, self._verdict = store, saying, agent, verdict

    def judge(self, cases: Sequence[Case], *, now_us: int) -> None:
        """See Judge."""
        for case in cases:
            found = [one for other in self._candidates(case) if (one := self._found(case.new, other)) is not None]
            found = self._without_series(case.new.id, found)
            if found:
                entry = AuditEntry(at_us=now_us, space=case.new.space, agent=self._agent, verb=VERB, detail={})
                self._store.add_conflicts(found, now_us=now_us, audit=entry)

    def _without_series(self, new: int, found: Sequence[Found]) -> list[Found]:
        """Those that a statement decides, and the others unless there are too many of them, here or at their other side."""
        open_ones = [one for one in found if one.standing is None]
        if len(open_ones) >= SERIES:
            open_ones = []
        others = [one.older if one.newer == new else one.newer for one in open_ones]
        disputed = Counter(side for pair in self._store.open_pairs(others) for side in pair) if others else Counter()
        kept = [one for one, other in zip(open_ones, others, strict=True) if disputed[other] < SERIES]
        return [one for one in found if one.standing is not None] + kept

    def _candidates(self, case: Case) -> list[Memory]:
        statements = read(case.new.full)
        if not statements or case.new.status not in STANDING:
            return []
        known = {memory.id: memory for memory in case.near}
        subjects = list(islice(dict.fromkeys(statements.subjects()), SUBJECTS))
        others = [i for i in self._saying(case.new.id, subjects, EACH) if i not in known]
        known |= {memory.id: memory for memory in existing(self._store, others)}
        return [m for m in known.values() if m.space == case.new.space and m.status in STANDING and m.id != case.new.id]

    def _found(self, one: Memory, other: Memory) -> Found | None:
        older, newer = sorted((one, other), key=lambda memory: age(memory, one, other))
        finding = find_conflict(older.full, newer.full)
        if finding is None or (self._verdict is not None and not self._verdict.confirms(finding)):
            return None
        over = finding.explicit and says_one_thing(older.full)
        by = EXPLICIT if over else RULES
        return Found(
            older=older.id,
            newer=newer.id,
            reason=finding.reason,
            detail=finding.detail,
            standing=newer.id if over else None,
            by=by,
        )


def age(memory: Memory, one: Memory, other: Memory) -> tuple[int, int, int]:
    """What orders two memories in time: since when it holds, its place in their common source, its id."""
    since = memory.created_us if memory.valid_from_us is None else memory.valid_from_us
    common = one.source is not None and other.source is not None and one.source.uri == other.source.uri
    return since, memory.source.sequence if common and memory.source is not None else 0, memory.id


def says_one_thing(text: str) -> bool:
    """Whether a memory is one statement: hiding it hides nothing else."""
    return len(text.split()) <= ONE_STATEMENT and len(sentences(text)) <= 2
