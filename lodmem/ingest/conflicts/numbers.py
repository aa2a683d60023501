"""Two statements that give one quantity two values. Pure policy over clauses; what it proposes it can explain.

A pair is proposed where the newer statement says that something changed ("has now reached 165", "the new deadline of 5 April")
and both speak of the same quantity, or where both say almost the same sentence with another value in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lodmem.ingest.conflicts.clauses import Clause, terms_of, weight
from lodmem.ingest.conflicts.quantities import CHANGE_VERBS, MONTH_TERMS, Quantity, names_of
from lodmem.ingest.conflicts.values import Value, values_in

SHORT = 12  # words of a clause that is about one thing
_DATED = re.compile(
    r"\b(?:deadline|due|schedul\w*|appointment|meeting|flight|launch\w*|wedding|exam|interview|starts?|ends?|completion"
    r"|finish by|departs?|leaves?|opens?|closes?|takes? place|postponed|birthday|targets?|delivery|arriv\w*"
    r"|conference|party|ceremony"
    r"|surgery)\b",
    re.IGNORECASE,
)
_REST = re.compile(r"\s*(?:are |is )?(?:left|remaining|to go)\b", re.IGNORECASE)
_RESCHEDULED = re.compile(
    r"\b(?:moved|postponed|rescheduled|pushed(?: back)?|brought forward|changed|delayed|shifted|rebook(?:ed)?)\s+(?:back\s+"
    r"|forward\s+)?(?:(?:from|my|the|our|it)\b.{1,40}\b)?(?:to|until|by)\b"
    r"|\bnow (?:takes? place|leaves?|departs?|starts?|begins?|happens?|is|on|at)\b",
    re.IGNORECASE,
)
_RECURS = re.compile(
    r"\b(?:last|this|next|on|the past|previous)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:last|this|next"
    r"|previous) (?:week|month"
    r"|weekend|year|night)\b|\b(?:last|next) time\b|\byesterday\b|\btoday\b|\btonight\b",
    re.IGNORECASE,
)
_PARTS = (
    "sprint|phase|chapter|version|quiz|part|step|level|round|batch|unit|season|episode|team|option|room|lesson|module|test|book"
    "|draft|edition|attempt|floor|section"
)
_LABELLED = re.compile(
    rf"\b({_PARTS}|question)\s+(?:#\s?)?(\d+)\b"
    rf"|\b(first|second|third|fourth|fifth|final|last|next)\s+({_PARTS}|child|house|job|marathon|race|tournament)\b",
    re.IGNORECASE,
)
_LABELS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5"}
_ORDERS = re.compile(
    r"\A\W*(?:(?:please|okay|ok|now|then|so|great|thanks|also|next)\W+)*(?:give|write|generate|create|make|list|compare|rewrite|sell"
    r"|explain|describe|suppose|tell|provide|add|buy|find|calculate|compute|design|imagine|assume|summari[sz]e|act|you are"
    r"|translate|use|take|keep|do|i need|we need|i want)\b",
    re.IGNORECASE,
)
# What happens more than once: another amount is another occasion.
_EVENT = re.compile(
    r"\b(?:bought|purchased|paid|spent|sold|ordered|raised|cost|got it|picked up|donated|won|tipped|charged me"
    r"|(?:i|we) got (?:a|an|my|the|some|it|them))\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W\d_]{2,}|\bI\b")
# Words that say how a value came or comes about, not of what it is.
_IDLE = MONTH_TERMS | frozenset(
    term
    for word in (
        CHANGE_VERBS.replace("|", " ")
        + " raised"
        + " scheduled due starts ends leaves departs arrives takes place planned set booked confirmed costs"
        " fixed now later earlier pm noon evening morning afternoon holds shows counts stands lasts average"
    ).split()
    for term in terms_of(word)
)


@dataclass(frozen=True, slots=True)
class Fit:
    """How two quantities are one: the rule, how many strong words both sentences share, and how alike the words beside the
    values are, 0..1."""

    rule: str
    topic: int
    alike: float


def fit(old: Quantity, new: Quantity) -> Fit | None:
    """Why two quantities are one thing with two values; None where they are not known to be."""
    a, b = old.value, new.value
    if a.kind != b.kind or a.size == b.size or not _comparable(old, new) or _contrasted(old, new):
        return None
    near_old, near_new = old.clause.near - MONTH_TERMS - a.unit, new.clause.near - MONTH_TERMS - a.unit
    measures = frozenset(side.measure.name for side in (old, new) if side.measure is not None)
    topic = {term for term in near_old & near_new if weight(term) == 1.0} - measures
    named = names_of(old.clause.sentence) & names_of(new.clause.sentence)
    strong = {term for term in old.close & new.close if weight(term) == 1.0}
    either = {term for term in old.close | new.close if weight(term) == 1.0}
    alike = len(strong) / max(1, len(either))
    wide = {term for term in (old.clause.wide & new.clause.wide) - MONTH_TERMS - a.unit if weight(term) == 1.0}
    known = len([t for t in near_old if weight(t) == 1.0]), len([t for t in near_new if weight(t) == 1.0])
    enough = len(topic) >= 2 or (bool(topic) and len(topic) >= 0.6 * min(known))
    enough = enough or bool(named & topic)
    return _ruled(old, new, enough, len(topic), len(wide), len(strong), alike)


def parallel(old: Sequence[Quantity], new: Sequence[Quantity]) -> tuple[Quantity, Quantity] | None:
    """Two quantities of one sentence that both have another value in the other text: "12 problems with 90 %", "15 with 95 %".
    The pair of the first of them, None where there are no such."""
    found: dict[tuple[str, str], list[tuple[Quantity, Quantity]]] = {}
    for b in new:
        for a in old:
            if a.value.kind != b.value.kind or a.value.size == b.value.size or not _comparable(a, b) or _contrasted(a, b):
                continue
            topic = {t for t in (a.clause.near & b.clause.near) - MONTH_TERMS - a.value.unit if weight(t) == 1.0}
            if len(topic) >= 2 and not _repeats(a, b):
                found.setdefault((a.clause.text, b.clause.text), []).append((a, b))
    for pairs in found.values():
        if len({a.value.kind for a, _ in pairs}) > 1 and all(len(_sizes(side, pairs)) == 1 for side in (0, 1)):
            return pairs[0]
    return None


def _sizes(side: int, pairs: Sequence[tuple[Quantity, Quantity]]) -> set[int]:
    """How many values of each kind stand on a side."""
    kinds: dict[str, set[float]] = {}
    for pair in pairs:
        kinds.setdefault(pair[side].value.kind, set()).add(pair[side].value.size)
    return {len(sizes) for sizes in kinds.values()}


def _ruled(old: Quantity, new: Quantity, enough: bool, topic: int, wide: int, strong: int, alike: float) -> Fit | None:
    kind = new.value.kind
    measured = old.measure is not None and new.measure is not None
    if new.was == old.value.size and topic >= 1:
        return Fit("from", topic, alike)
    if not _states(old.clause) or not _states(new.clause):
        return None
    if new.changed:
        if kind == "count" and (enough or wide >= 3 or (strong >= 1 and (new.directly or alike >= 0.3))):
            return Fit("changed", topic, alike)
        if measured and (enough or wide >= 2) and strong >= 1:
            return Fit("changed", topic, alike)
        if kind in ("date", "time") and enough and strong >= 1:
            return Fit("changed", topic, alike)
        if strong >= 1 and (topic >= 3 or (enough and alike >= 0.5) or (enough and new.directly)):
            return Fit("changed", topic, alike)
    if (
        (topic >= 2 or (wide >= 3 and topic))
        and alike >= 0.4
        and not _others(old, new)
        and not _occasions(old, new)
        and not _repeats(old, new)
    ):
        return Fit("alike", topic, alike)
    return None


def _comparable(old: Quantity, new: Quantity) -> bool:
    a, b = old.value, new.value
    if a.unit and b.unit:
        core = {t for t in a.unit if t[0] != "/"}, {t for t in b.unit if t[0] != "/"}
        rates = a.unit - core[0], b.unit - core[1]
        if core[0] != core[1] or (all(rates) and rates[0] != rates[1]):
            return False
        if a.kind not in ("length", "amount"):
            return True
    elif a.kind == "length" and (a.unit or b.unit) and not new.directly:
        return False
    if a.kind == "count" and not a.unit and not b.unit:
        return old.measure is not None and new.measure is not None and old.measure.fits(new.measure)
    if a.kind == "count" and not (a.unit and b.unit):
        return bool(a.unit) and {t for t in a.unit if t[0] != "/"} <= new.close
    if a.kind in ("date", "time"):
        dated = bool(_DATED.search(old.clause.text)) and bool(_DATED.search(new.clause.text))
        return dated or bool(_RESCHEDULED.search(new.clause.text))
    if (old.measure is None) != (new.measure is None):
        return False
    if old.measure is not None and new.measure is not None and not old.measure.fits(new.measure):
        return False
    return a.kind != "length" or _magnitude(a) == _magnitude(b)


def _magnitude(value: Value) -> int:
    return 0 if value.size < 60 else 1 if value.size < 86_400 else 2


def _contrasted(old: Quantity, new: Quantity) -> bool:
    """Whether something says that these are two things, or that one statement knows of the other's value."""
    if (old.modifiers and not old.modifiers & new.clause.near) or (new.modifiers and not new.modifiers & old.clause.near):
        return True
    if old.names and new.names and not old.names & new.names:
        return True
    if new.was is not None and new.was != old.value.size:
        return True
    if _is_rest(old) != _is_rest(new):
        return True
    if _labels(old) and _labels(new) and not _labels(old) & _labels(new):
        return True
    return _is_short(old.clause) and _is_short(new.clause) and _differ(old.clause.terms, new.clause.terms, old.value.unit)


def _is_rest(quantity: Quantity) -> bool:
    """Whether it is what is left of something."""
    return _REST.match(quantity.clause.text, quantity.value.stop) is not None


def _is_short(clause: Clause) -> bool:
    return len(clause.text.split()) <= SHORT


def _occasions(old: Quantity, new: Quantity) -> bool:
    """Whether both amounts were spent, raised or paid: things that happen again."""
    if new.value.kind != "amount":
        return False
    return bool(_EVENT.search(old.clause.sentence)) and bool(_EVENT.search(new.clause.sentence))


def _others(old: Quantity, new: Quantity) -> bool:
    """Whether each clause has a name or a strong word that the other one lacks: 12 for adults, 6 for children."""
    if old.names - new.names and new.names - old.names:
        return True
    return _differ(_said(old), _said(new), old.value.unit)


def _differ(one: frozenset[str], two: frozenset[str], unit: frozenset[str]) -> bool:
    """Whether each side has a telling word that the other lacks."""
    one, two = one - unit - _IDLE, two - unit - _IDLE
    return any(map(_tells, one - two)) and any(map(_tells, two - one))


def _said(quantity: Quantity) -> frozenset[str]:
    """The terms of its clause, of the sentence where the clause alone says nothing: ", which cost $150"."""
    clause = quantity.clause
    return clause.terms if sum(map(_tells, clause.terms - _IDLE)) > 1 else clause.near


def _tells(term: str) -> bool:
    return weight(term) == 1.0 and not any(sign.isdigit() for sign in term)


def _labels(quantity: Quantity) -> frozenset[tuple[str, str]]:
    """What is numbered beside a value: ('sprint', '2'), ('sprint', '1') for 'first sprint'."""
    at = quantity.clause.start + quantity.value.start
    around = quantity.clause.sentence[max(0, at - 80) : at + 60]
    return frozenset(
        (m[1].lower(), m[2]) if m[1] else (m[4].lower(), _LABELS.get(m[3].lower(), m[3].lower()))
        for m in _LABELLED.finditer(around)
    )


def _repeats(old: Quantity, new: Quantity) -> bool:
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


def _states(clause: Clause) -> bool:
    return len(_WORDS.findall(clause.sentence)) >= 4 and not _ORDERS.match(clause.sentence)
