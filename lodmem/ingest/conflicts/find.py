"""Whether two memories say different things of one thing, without a model. Pure policy over two texts.

Statements are read from each text once and compared by what they speak of; a pair is proposed only where both speak of the same
thing and give it another value. Silence is the rule: most pairs of sentences contradict each other in nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from lodmem.ingest.conflicts.apart import apart, labels_differ, numbers_differ
from lodmem.ingest.conflicts.clauses import clauses, speaker_of
from lodmem.ingest.conflicts.endings import ends
from lodmem.ingest.conflicts.frames import LONGEST, swapped
from lodmem.ingest.conflicts.negation import Claim, claims, denied
from lodmem.ingest.conflicts.notes import Contradiction, Sentence, is_number, notes, sentence_of, spoken_by, telling
from lodmem.ingest.conflicts.numbers import Fit, fit, parallel
from lodmem.ingest.conflicts.quantities import Quantity, quantities
from lodmem.ingest.conflicts.records import are_records
from lodmem.ingest.conflicts.states import State, differ, states
from lodmem.ingest.conflicts.successors import Ended, Part, ended, parts, succeeded
from lodmem.ingest.conflicts.values import values_in
from lodmem.model.conflict import Reason
from lodmem.text.echo import without_echo

MACHINES = frozenset({"assistant", "ai", "bot", "system", "tool", "chatgpt", "claude", "agent", "model"})
MOST = 120  # statements of a kind that are read of one memory
_QUOTE = 60
_SAME = 0.02
_BY_LIKENESS = frozenset({"alike", "same"})
_Said: TypeAlias = Quantity | State | Claim | Part | Ended
_REASONS = {"amount": Reason.AMOUNT, "date": Reason.DATE, "weekday": Reason.DATE, "time": Reason.TIME}
_STATES = {"preference": Reason.PREFERENCE, "place": Reason.PLACE, "name": Reason.NAME, "state": Reason.STATE}


@dataclass(frozen=True, slots=True)
class Statements:
    """What one text states, and who says it. `claims` are what is said to be or not to be so, `notes`
    the sentences of a short text."""

    speaker: str
    quantities: tuple[Quantity, ...]
    states: tuple[State, ...]
    claims: tuple[Claim, ...]
    ended: tuple[Ended, ...]
    notes: tuple[Sentence, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.quantities or self.states or self.claims or self.ended or self.notes)

    def subjects(self) -> Iterator[frozenset[str]]:
        """For each statement that may contradict another memory, the words by which that one is found."""
        for quantity in self.quantities:
            yield quantity.close | quantity.value.unit
        for state in self.states:
            yield state.key | state.clause.terms
        for claim in self.claims:
            yield claim.instead or claim.terms
        for gone in self.ended:
            yield gone.name | gone.clause.near
        for sentence in self.notes:
            yield telling(sentence.low)


@dataclass(frozen=True, slots=True)
class Finding:
    """A conflict of two texts: `detail` quotes both values; `explicit`: the newer one says that the older one is over.
    `sentences`: the two that contradict each other."""

    reason: Reason
    detail: str
    explicit: bool
    sentences: tuple[str, str]


@lru_cache(maxsize=1024)
def read(text: str) -> Statements:
    """The statements of a text; none of what a model said, or of what was shown of other memories and pasted back."""
    speaker = speaker_of(text)
    if speaker in MACHINES:
        return Statements(speaker, (), (), (), ())
    found: list[Quantity] = []
    told: list[State] = []
    said: list[Claim] = []
    gone: list[Ended] = []
    for clause in clauses(without_echo(text)):
        found += quantities(clause)
        told += states(clause)
        said += claims(clause)
        gone += ended(clause)
    stated = tuple(found[:MOST]), tuple(told[:MOST]), tuple(said[:MOST]), tuple(gone[:MOST])
    return Statements(speaker, *stated, notes(without_echo(text)))


def find_conflict(older: str, newer: str) -> Finding | None:
    """What the newer text contradicts in the older one; None where nothing is known to be contradicted.

    Texts of different speakers ("Anna: ...", "Ben: ...") never contradict each other, nor do records of one form.
    """
    if older == newer:
        return None
    one, two = read(older), read(newer)
    found = None
    if one.speaker == two.speaker:
        strict = bool(notes(older) and notes(newer))
        found = (
            _by_state(one, two) or _by_number(one, two, strict) or _by_negation(one, two, strict) or _by_succession(older, two)
        )
    noted = _by_note(older, newer)
    if found is None or (noted is not None and noted.explicit > found.explicit):
        found = noted
    return None if found is not None and not found.explicit and are_records(older, newer) else found


def _by_note(older: str, newer: str) -> Finding | None:
    """What two short notes say of one thing, sentence against sentence."""
    said_by = spoken_by(newer)[0]
    if said_by in MACHINES or said_by != spoken_by(older)[0]:
        return None
    pairs = [(old, new) for new in notes(newer) for old in notes(older)]
    for said in (swapped, ends):
        for old, new in pairs:
            if (found := said(old, new)) is not None:
                return Finding(_reason_of(found), _detail(found.old, found.new), found.explicit, (old.text, new.text))
    return None


def _reason_of(found: Contradiction) -> Reason:
    """What kind of value differs."""
    if found.denies or found.place:
        return Reason.NEGATION if found.denies else Reason.PLACE
    kinds = [value.kind for value in values_in(found.old)]
    if kinds or found.old[:1].isdigit():
        return _REASONS.get(kinds[0] if kinds else "", Reason.NUMBER)
    if found.old[:1].isupper() and found.new[:1].isupper() and len(found.old.split()) <= LONGEST:
        return Reason.NAME
    return Reason.STATE


def _by_number(one: Statements, two: Statements, strict: bool) -> Finding | None:
    """`strict`: both are short notes, where a word that tells two things apart stands in the sentence itself."""
    best: tuple[tuple[bool, float, int], Fit, Quantity, Quantity] | None = None
    for new in two.quantities:
        for old in one.quantities:
            found = fit(old, new)
            if found is not None and not (strict and _apart(found.rule, old, new)):
                key = (found.rule == "from", found.alike, found.topic)
                if best is None or key > best[0]:
                    best = (key, found, old, new)
    if best is None:
        pair = parallel(one.quantities, two.quantities)
        if pair is None or (strict and _apart("alike", *pair)):
            return None
        old, new = pair
        return _finding(_REASONS.get(new.value.kind, Reason.NUMBER), old.value.text, new.value.text, False, old, new)
    _, found, old, new = best
    reason = _REASONS.get(new.value.kind, Reason.NUMBER)
    return _finding(reason, old.value.text, new.value.text, found.rule == "from", old, new)


def _apart(rule: str, old: Quantity, new: Quantity) -> bool:
    one, two = old.clause.sentence, new.clause.sentence
    if abs(old.value.size - new.value.size) <= _SAME * old.value.size and old.value.kind == "length":
        return True  # "36 months", "three years"
    if rule == "changed" and _same_event(one, two):
        return True
    return apart(one, two) if rule in _BY_LIKENESS else rule != "from" and labels_differ(one, two)


def _same_event(one: str, two: str) -> bool:
    """Whether both tell of one kind of event, with other numbers: "the crane dropped 3 crates"."""
    old, new = sentence_of(one), sentence_of(two)
    same = [word for word in old.low if not is_number(word)] == [word for word in new.low if not is_number(word)]
    return same and old.past and new.past


def _by_state(one: Statements, two: Statements) -> Finding | None:
    for new in two.states:
        for old in one.states:
            if differ(old, new):
                return _finding(_STATES[new.kind], old.text, new.text, new.over(old), old, new)
    return None


def _by_negation(one: Statements, two: Statements, strict: bool) -> Finding | None:
    for new in two.claims:
        for old in one.claims:
            if denied(old, new) and not (strict and numbers_differ(old.text, new.text)):
                reason = Reason.STATE if new.instead else Reason.NEGATION
                return _finding(reason, old.text, new.text, new.over, old, new)
    return None


def _by_succession(older: str, two: Statements) -> Finding | None:
    if not two.ended:
        return None
    named = [part for clause in clauses(without_echo(older)) for part in parts(clause)][:MOST]
    for new in two.ended:
        for old in named:
            if succeeded(old, new):
                return _finding(Reason.NAME if new.instead else Reason.STATE, old.text, new.text, False, old, new)
    return None


def _finding(reason: Reason, old: str, new: str, explicit: bool, one: _Said, two: _Said) -> Finding:
    return Finding(reason, _detail(old, new), explicit, (one.clause.sentence, two.clause.sentence))


def _detail(old: str, new: str) -> str:
    return f"{_short(old)!r} / {_short(new)!r}"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _QUOTE else plain[: _QUOTE - 1] + "…"
