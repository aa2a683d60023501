"""Two statements that give one quantity two values. Pure policy over clauses; what it proposes it can explain.

A pair is proposed where the newer statement says that something changed ("has now reached 165", "the new deadline of 5 April")
and both speak of the same quantity, or where both say almost the same sentence with another value in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lodmem.ingest.conflicts.clauses import Clause, terms_of, weight
from lodmem.ingest.conflicts.contrasts import IDLE, PRONOUN, contrasted, occasions, others, repeats, tells
from lodmem.ingest.conflicts.quantities import MONTH_TERMS, Quantity, names_of
from lodmem.ingest.conflicts.values import Value

LEAST_SHARED, SHARE = 2, 0.75  # telling words that two clauses of one thing share
# Paid every month, whether that is said or not.
_REGULAR = terms_of("rent salary wage income fee bill cost price premium mortgage pay tuition subscription")
# What things of all kinds are measured in tells nothing of the thing.
_SIZES = terms_of(
    "square cubic metre metres meter meters foot feet mile miles kilometre kilometres kilometer kilometers km litre litres"
    " liter liters gram grams kg pound pounds ounce ounces inch inches cm hour hours minute minutes second seconds day days"
    " week weeks month months year years dollar dollars euro euros degree degrees hundred thousand million billion dozen per"
)
_DATED = re.compile(
    r"\b(?:deadline|due|schedul\w*|appointment|meeting|flight|launch\w*|wedding|exam|interview|starts?|ends?|completion"
    r"|finish by|departs?|leaves?|opens?|closes?|takes? place|postponed|birthday|targets?|delivery|arriv\w*"
    r"|conference|party|ceremony"
    r"|surgery)\b",
    re.IGNORECASE,
)
_RESCHEDULED = re.compile(
    r"\b(?:moved|postponed|rescheduled|pushed(?: back)?|brought forward|changed|delayed|shifted|rebook(?:ed)?)\s+(?:back\s+"
    r"|forward\s+)?(?:(?:from|my|the|our|it)\b.{1,40}\b)?(?:to|until|by)\b"
    r"|\bnow (?:takes? place|leaves?|departs?|starts?|begins?|happens?|is|on|at)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"\A\W*(?:(?:please|okay|ok|now|then|so|great|thanks|also|next)\W+)*(?:give|write|generate|create|make|list"
    r"|compare|rewrite|sell|explain|describe|suppose|tell|provide|add|buy|find|calculate|compute|design|imagine|assume|summari[sz]e"
    r"|act|you are|translate|use|take|keep|do|i need|we need|i want)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|had|did|took|originally|initially|used to|ago|once|back (?:then|when)|last (?:spring|summer"
    r"|autumn|fall|winter|year)|at (?:its|the) (?:foundation|start|beginning))\b",
    re.IGNORECASE,
)
# What is counted there is no statement of its own: "the odds for two tosses".
_BESIDE = re.compile(r"\b(?:of|for|with|in|from|by|per|between|after|among)\s+(?:all |the |about |around )*\Z", re.IGNORECASE)
_RANGE = re.compile(r"\s?[-–]\s?[$€£]?\d")
_WORDS = re.compile(r"[^\W\d_]{2,}|\bI\b")


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
    if a.kind != b.kind or a.size == b.size or not _comparable(old, new) or contrasted(old, new):
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
            if a.value.kind != b.value.kind or a.value.size == b.value.size or not _comparable(a, b) or contrasted(a, b):
                continue
            topic = {t for t in (a.clause.near & b.clause.near) - MONTH_TERMS - a.value.unit if weight(t) == 1.0}
            if len(topic) >= 2 and not repeats(a, b):
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
    if any(PRONOUN.match(side.clause.sentence) and not side.clause.start for side in (old, new)):
        return None  # what the sentence speaks of is said elsewhere
    if others(old, new) or occasions(old, new) or repeats(old, new):
        return None
    if (topic >= 2 or (wide >= 3 and topic)) and alike >= 0.4:
        return Fit("alike", topic, alike)
    return Fit("same", topic, alike) if _same(old, new) else None


def _same(old: Quantity, new: Quantity) -> bool:
    """Whether both clauses speak of one thing in the same words, and the newer one of what is: "the choir has 52 singers"."""
    if any(
        side.value.kind == "count" and side.measure is None and _BESIDE.search(side.clause.text[: side.value.start])
        for side in (old, new)
    ):
        return False
    if any(_RANGE.match(side.clause.text, side.value.stop) for side in (old, new)):
        return False
    if _PAST.search(new.clause.text):
        return False
    unit = _counted(old.value) & _counted(new.value)
    measured = frozenset({old.measure.name}) if old.measure is not None and new.measure is not None else frozenset()
    one, two = (frozenset(filter(tells, side.clause.terms - MONTH_TERMS - IDLE)) for side in (old, new))
    shared = (one & two) | unit | measured
    return len(shared - _SIZES) >= LEAST_SHARED and len(shared) >= SHARE * min(len(one | unit), len(two | unit))


def _comparable(old: Quantity, new: Quantity) -> bool:
    a, b = old.value, new.value
    if a.unit and b.unit:
        if _counted(a) != _counted(b) or (_rates(a) and _rates(b) and _rates(a) != _rates(b)):
            return False
        if a.kind not in ("length", "amount"):
            return True
    elif a.kind == "length" and (a.unit or b.unit) and not new.directly:
        return False
    if a.kind == "count" and not a.unit and not b.unit:
        return old.measure is not None and new.measure is not None and old.measure.fits(new.measure)
    if a.kind == "count" and not (a.unit and b.unit):
        return bool(a.unit) and _counted(a) <= new.close
    if a.kind in ("date", "time"):
        dated = bool(_DATED.search(old.clause.text)) and bool(_DATED.search(new.clause.text))
        return dated or bool(_RESCHEDULED.search(new.clause.text))
    if (old.measure is None) != (new.measure is None):
        return False
    if a.kind == "amount" and _rates(a) != _rates(b) and (old.measure is None or old.measure.name not in _REGULAR):
        return False
    if old.measure is not None and new.measure is not None and not old.measure.fits(new.measure):
        return False
    return a.kind != "length" or _magnitude(a) == _magnitude(b)


def _rates(value: Value) -> frozenset[str]:
    """'/month' of what is counted a month."""
    return frozenset(term for term in value.unit if term[0] == "/")


def _counted(value: Value) -> frozenset[str]:
    """What is counted, without how often."""
    return value.unit - _rates(value)


def _magnitude(value: Value) -> int:
    return 0 if value.size < 60 else 1 if value.size < 86_400 else 2


def _states(clause: Clause) -> bool:
    return len(_WORDS.findall(clause.sentence)) >= 4 and not _ORDERS.match(clause.sentence)
