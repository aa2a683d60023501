"""What tells two quantities apart although they look alike: somebody else's, a part, another occasion, another number of its
kind. Pure policy over clauses, English.
"""

from __future__ import annotations

import re

from lodmem.ingest.conflicts.clauses import Clause, terms_of, weight
from lodmem.ingest.conflicts.quantities import CHANGE_VERBS, MONTH_TERMS, Quantity
from lodmem.ingest.conflicts.values import values_in

SHORT = 12  # words of a clause that is about one thing
_REST = re.compile(r"\s*(?:are |is )?(?:left|remaining|to go)\b", re.IGNORECASE)
_RECURS = re.compile(
    r"\b(?:last|this|next|on|the past|previous)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|\b(?:last|this|next|previous) (?:week|month|weekend|year|night)\b|\b(?:last|next) time\b"
    r"|\byesterday\b|\btoday\b|\btonight\b|\b(?:on|at|over) the weekend\b|\bthis (?:morning|afternoon|evening|weekend)\b",
    re.IGNORECASE,
)
_PARTS = (
    "sprint|phase|chapter|version|quiz|part|step|level|round|batch|unit|season|episode|team|option|room|lesson|module|test|book"
    "|draft|edition|attempt|floor|section"
)
_LABELLED = re.compile(
    rf"\b({_PARTS}|question|day|week|stage|leg|lap|heat|game|match|paper|problem|task|exercise|trip|group|table|side|trial|run"
    rf"|session|lecture|block|node|lane|shift)\s+(?:#\s?)?(\d+|(?-i:[A-HJ-Z])(?![\w'’]))\b"
    rf"|\b(first|second|third|fourth|fifth|final|last|next)\s+({_PARTS}|child|house|job|marathon|race|tournament|evening|night"
    rf"|day|morning|weekend|week|month|show|performance|concert|exam|interview|date|dog|cat|kid|baby|trip|visit|half|term"
    rf"|semester)\b",
    re.IGNORECASE,
)
_LABELS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5"}
# Said of one side alone these tell two things apart: a part of it, somebody else's, one of several against all of them.
_PARTIAL = re.compile(
    r"\b(?:side|half|part|portion|corner|patch|rest|remainder|one of) (?:[A-Z] )?(?:of|in|are|is)\b|\b(?i:side) [A-Z]\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:colleagues?|neighbou?rs?|boss|(?:my|our|his|her) (?:brother|sister|cousin|mum|mom|dad|mother|father|uncle|aunt"
    r"|friend|partner|wife|husband|boss|neighbou?r|colleague|roommate|flatmate))(?:['’]s)?\b",
    re.IGNORECASE,
)
_MINE = re.compile(r"\b(?:[Mm]y|[Oo]ur|I|[Ww]e)\b(?! [\w-]+['’]s)")
_OTHERS = re.compile(
    r"\b(?:competitors?|competition|other teams?|across the (?:road|street)|next door|other people|most people"
    r"|someone|somebody)\b",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b(?:I|[Ww]e|[Oo]urs?|mine)\b")
_EACH = re.compile(r"\b(?:each|apiece|per (?:head|person|unit|item|piece)|a (?:head|piece|unit))\b", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:in total|in all|altogether|for (?:all|both|the whole|the lot)|all in|came to|comes to|overall)\b", re.IGNORECASE
)
_GIVEN = re.compile(
    r"\b(?:homework|exercise|worksheet|problem (?:set|sheet)|textbook|sheet|sample of)\b|\bclass\b[^.]{0,15}:", re.IGNORECASE
)
_OWNED = re.compile(r"(?<![\w’'])(?:(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir) ([\w-]+)|([A-Z][\w-]+))['’]s? (?=[a-z])")
PRONOUN = re.compile(r"\A\W*(?:and |but |so )?(?:it|they|he|she|this|that|these|those|there['’]s|there (?:is|are))\b", re.I)
# What happens more than once: another amount is another occasion.
_EVENT = re.compile(
    r"\b(?:bought|purchased|paid|spent|sold|ordered|raised|cost|got it|picked up|donated|won|tipped|charged me"
    r"|(?:i|we) got (?:a|an|my|the|some|it|them))\b",
    re.IGNORECASE,
)
# Words that say how a value came or comes about, not of what it is.
IDLE = MONTH_TERMS | frozenset(
    term
    for word in (
        CHANGE_VERBS.replace("|", " ")
        + " raised"
        + " scheduled due starts ends leaves departs arrives takes place planned set booked confirmed costs"
        " fixed now later earlier pm noon evening morning afternoon holds shows counts stands lasts average"
    ).split()
    for term in terms_of(word)
)


def contrasted(old: Quantity, new: Quantity) -> bool:
    """Whether something says that these are two things, or that one statement knows of the other's value."""
    if (old.modifiers and not old.modifiers & new.clause.near) or (new.modifiers and not new.modifiers & old.clause.near):
        return True
    if old.names and new.names and not old.names & new.names:
        return True
    if new.was is not None and new.was != old.value.size:
        return True
    if _is_rest(old) != _is_rest(new) or _one_sided(old.clause, new.clause):
        return True
    if _labels(old) and _labels(new) and not _labels(old) & _labels(new):
        return True
    return _is_short(old.clause) and _is_short(new.clause) and _differ(old.clause.terms, new.clause.terms, old.value.unit)


def _one_sided(old: Clause, new: Clause) -> bool:
    """Whether one clause speaks of a part, of somebody else, of each or of all, and the other does not; or a task gives both
    values."""
    one, two = old.sentence, new.sentence
    if _GIVEN.search(one) and _GIVEN.search(two):
        return True
    if any(bool(aside.search(one)) != bool(aside.search(two)) for aside in (_PARTIAL, _OTHERS)):
        return True
    if _theirs(old, new) or _theirs(new, old) or _owners_differ(old, new):
        return True
    return bool(_EACH.search(one) and _ALL.search(two)) or bool(_ALL.search(one) and _EACH.search(two))


def _owners_differ(old: Clause, new: Clause) -> bool:
    """Whether it is somebody's in one clause, and somebody else's or the speaker's in the other: "my nephew's rating"."""
    one, two = ({(m[1] or m[2]).lower() for m in _OWNED.finditer(clause.text)} for clause in (old, new))
    one = {owner for owner in one if owner not in new.sentence.lower()}
    two = {owner for owner in two if owner not in old.sentence.lower()}
    return bool(one and (two or _MINE.search(new.text))) or bool(two and _MINE.search(old.text))


def _theirs(one: Clause, other: Clause) -> bool:
    """Whether one clause speaks of somebody else, and the other of the speaker."""
    return bool(_ELSEWHERE.search(one.text)) and bool(_OURS.search(other.text)) and not _ELSEWHERE.search(other.text)


def _is_rest(quantity: Quantity) -> bool:
    """Whether it is what is left of something."""
    return _REST.match(quantity.clause.text, quantity.value.stop) is not None


def _is_short(clause: Clause) -> bool:
    return len(clause.text.split()) <= SHORT


def occasions(old: Quantity, new: Quantity) -> bool:
    """Whether both amounts were spent, raised or paid: things that happen again."""
    if new.value.kind != "amount":
        return False
    return bool(_EVENT.search(old.clause.sentence)) and bool(_EVENT.search(new.clause.sentence))


def others(old: Quantity, new: Quantity) -> bool:
    """Whether each clause has a name or a strong word that the other one lacks: 12 for adults, 6 for children."""
    if old.names - new.names and new.names - old.names:
        return True
    return _differ(_said(old), _said(new), old.value.unit)


def _differ(one: frozenset[str], two: frozenset[str], unit: frozenset[str]) -> bool:
    """Whether each side has a telling word that the other lacks."""
    one, two = one - unit - IDLE, two - unit - IDLE
    return any(map(tells, one - two)) and any(map(tells, two - one))


def _said(quantity: Quantity) -> frozenset[str]:
    """The terms of its clause; of the sentence where the clause alone says nothing: ", which cost $150", "it has 11 rooms"."""
    clause = quantity.clause
    return clause.terms if sum(map(tells, clause.terms - IDLE)) > 1 and not PRONOUN.match(clause.text) else clause.near


def tells(term: str) -> bool:
    return weight(term) == 1.0 and not any(sign.isdigit() for sign in term)


def _labels(quantity: Quantity) -> frozenset[tuple[str, str]]:
    """What is numbered beside a value: ('sprint', '2'), ('sprint', '1') for 'first sprint'."""
    at = quantity.clause.start + quantity.value.start
    around = quantity.clause.sentence[max(0, at - 80) : at + 60]
    return frozenset(
        (m[1].lower(), m[2]) if m[1] else (m[4].lower(), _LABELS.get(m[3].lower(), m[3].lower()))
        for m in _LABELLED.finditer(around)
    )


def repeats(old: Quantity, new: Quantity) -> bool:
    """Whether the two may be two occasions, or the sentences hold each other's value too."""
    times = {m.lower() for m in _RECURS.findall(old.clause.sentence)} ^ {
        m.lower() for m in _RECURS.findall(new.clause.sentence)
    }
    if _several(old) or _several(new):
        return True
    return bool(times) or _holds(new.clause.sentence, old.value.text) or _holds(old.clause.sentence, new.value.text)


def _several(quantity: Quantity) -> bool:
    """Whether its sentence counts such a thing more than once."""
    kind, unit = quantity.value.kind, quantity.value.unit
    sizes = {value.size for value in values_in(quantity.clause.sentence) if (value.kind, value.unit) == (kind, unit)}
    return kind == "count" and len(sizes) > 1


def _holds(sentence: str, value: str) -> bool:
    return value.lower().strip() in sentence.lower()
