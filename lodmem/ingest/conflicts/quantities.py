"""What a clause gives a value to: which values are stated, and what is said around each. Pure; it compares nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from lodmem.ingest.conflicts.attributes import Attribute, attribute
from lodmem.ingest.conflicts.clauses import Clause, terms_of, weight, words
from lodmem.ingest.conflicts.values import Value, values

_AROUND = 70
MOST = 12  # values of a clause; what has more is a table
CHANGE_VERBS = (
    "increased|extended|improved|grown|grew|risen|rose|reached|reduced|decreased|dropped|changed|switched|moved"
    "|shortened|postponed|rescheduled|pushed|updated|revised|upgraded|expanded|lowered|boosted|bumped|gone up|gone down"
    "|went up|went down|hit|surpassed|passed|crossed|climbed|fell|fallen|settled at|settled on|rebooked|rebook|cut down"
    "|corrected"
)
_CHANGED = re.compile(
    rf"\b(?:{CHANGE_VERBS})\b|\b(?:was|were|been|be|is|are) raised\b|\braised (?:the|my|our|his|her|its|their|it)\b"
    r"|\b(?:is|are|was|were|now|went|gone|came) (?:now )?(?:up|down) to\b|\btotall?ing\b|\bnew\b"
    r"|\bnow\b|\banymore\b|\bcurrent(?:ly)?\b|\bso far\b|\ba total of\b|\blatest\b|\bthese days\b",
    re.IGNORECASE,
)
_DIRECTLY = re.compile(
    rf"\b(?:(?:{CHANGE_VERBS}|raised)\b[^.,;:()]{{0,60}}?\b(?:to|by)|now (?:at|has|have|had|of|is|are|up to|down to)"
    r"|(?:is|are|am|was|were|has|have|had) now(?:\s+\w+){0,2}|i(?:['’]m| am| have|['’]ve) now(?:\s+\w+){0,2}"
    r"|reached|hit|surpassed|passed|crossed|totall?ing|(?:up|down) to|a total of)\s+\Z",
    re.IGNORECASE,
)
_FROM = re.compile(r"\bfrom\s+(?:about |around |an? |the |over |nearly )?\Z", re.IGNORECASE)
_TO = re.compile(r"(?:\b(?:to|into)|→|->)\s*(?:about |around |an? |the |over |nearly )?\Z", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:under|at least|at most|(?<!is )(?<!are )(?<!now )(?<!went )(?<!gone )up to|below|within|less than"
    r"|more than|over|above|exceed\w*|goes? above|max\w*|min\w*|between"
    r"|to (?:achieve|reach|get|hit|have|make|solve|finish|complete|raise|save|earn|spend)|gained|lost|gain|lose|achiev\w+"
    r"|get (?:it |this )?(?:down |up )?to"
    r"|target\w*|goal|aim\w*"
    r"|by (?:about |around )?|additional|extra|another|or)\s+(?:\w+\s+)?\Z",
    re.IGNORECASE,
)
_KEPT_BOUND = re.compile(r"\b(?:'ve|have|has|had|i|we) (?:\w+ly |already |recently )?achiev\w+\s+(?:\w+\s+)?\Z", re.IGNORECASE)
_PART = re.compile(r"\b(?:specifically|including|of which|of them|among them)\b", re.IGNORECASE)
_SPAN_LEFT = re.compile(
    r"\b(?:for|over|in|within|past|last|next|every|after|another|about|first|around)\s+(?:the\s+|a\s+|about\s+"
    r"|over\s+|almost\s+"
    r"|nearly\s+|past\s+|last\s+|next\s+)*\Z",
    re.IGNORECASE,
)
_SPAN_RIGHT = re.compile(r"\s*(?:ago|old|later|left|before|straight|in a row|hiatus|non-?stop|each|away|from)\b", re.IGNORECASE)
NAME_WORD = re.compile(r"(?:(?<=[a-z,'’] )|(?<=\())[A-Z][\w&'’-]+")
MONTH_TERMS = frozenset(
    term
    for month in words(
        "January February March April May June July August September October November December Jan Feb Mar "
        "Apr Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
    )
    for term in terms_of(month)
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with what is said around it. `close` are the terms beside the value, `was` the size that it is said to have
    had. `changed`: a word of change belongs to it, `directly`: it is what something was changed to."""

    clause: Clause
    value: Value
    close: frozenset[str]
    modifiers: frozenset[str]
    names: frozenset[str]
    measure: Attribute | None
    changed: bool
    directly: bool
    was: float | None


# A number right after a noun says which one it is: "the kettle of house 2", "boat number 7". Words that count are no nouns.
_NUMBERED = re.compile(
    r"\b(?:number|no\.?|nr\.?|\#)\s*\Z"
    r"|\b(?:the|a|an|of|in|on|at|by|my|our|this|that|every|each)\s+(?!(?:the|a|an|my|our|his|her|their|its|these|those|this|that|all"
    r"|about|around|over|under|above|below|only|just|now|at|least|most|nearly|almost|more|less|fewer|than|exactly|another|last|next"
    r"|first|other|remaining|past|top|new|same|whole|full|original|initial|current|usual|total|average|roughly|some|up|to)\b)"
    r"[^\W\d_]+\s+\#?\Z",
    re.IGNORECASE,
)


def quantities(clause: Clause) -> list[Quantity]:
    """What a clause states the value of; of 'from A to B' the second. Bounds, wishes, spans and parts are no statements."""
    if clause.asks or clause.hedged:
        return []
    found = list(islice(values(clause), MOST + 1))
    if len(found) > MOST:
        return []
    return [one for value in found if (one := _quantity(clause, value, found)) is not None]


def _quantity(clause: Clause, value: Value, found: list[Value]) -> Quantity | None:
    text = clause.text
    left, right = text[: value.start], text[value.stop :]
    if value.kind == "count" and _NUMBERED.search(left[-_AROUND:]):
        return None
    same = [other for other in found if other.kind == value.kind and other is not value]
    if _FROM.search(left) and any(o.start >= value.stop and _TO.search(text[value.stop : o.start]) for o in same):
        return None
    was = next(
        (
            o.size
            for o in same
            if o.stop <= value.start and _FROM.search(text[: o.start]) and _TO.search(text[o.stop : value.start])
        ),
        None,
    )
    if was is None and (_stands_off(value, left, right) or _PART.search(left[-30:] + " | " + right[:16])):
        return None
    sentence, at = clause.sentence, clause.start + value.start
    stop = at + value.stop - value.start
    modifiers = _modifiers(value)
    around = sentence[max(0, at - _AROUND) : at] + " " + sentence[stop : stop + 50]
    return Quantity(
        clause,
        value,
        (terms_of(around) | modifiers) - value.unit - MONTH_TERMS,
        modifiers,
        frozenset(re.sub(r"['’]s?\Z", "", name) for name in NAME_WORD.findall(around)),
        attribute(sentence, at, stop, money=value.kind == "amount"),
        was is not None or _is_changed(text, value, found),
        was is not None or bool(_DIRECTLY.search(left)),
        was,
    )


def _is_changed(text: str, value: Value, found: Sequence[Value]) -> bool:
    """Whether a word of change belongs to the value: just behind it, or before it with no other value between."""
    if _CHANGED.search(text, value.stop, min(len(text), value.stop + 40)):
        return True
    since = max([value.start - 70, 0, *(other.stop for other in found if other.stop <= value.start)])
    return _CHANGED.search(text, since, value.start) is not None


def _stands_off(value: Value, left: str, right: str) -> bool:
    """Whether the value is a bound, a wish, a year, a difference, or a span of time that something lasted."""
    if _BOUND.search(left) and not _KEPT_BOUND.search(left):
        return True
    if value.kind == "count" and (
        1900 <= value.size <= 2100 or re.search(r"\b(?:new|more|extra|additional|other)\b", value.text)
    ):
        return True
    return (
        value.kind == "length"
        and not value.unit
        and bool(_SPAN_LEFT.search(left) or _SPAN_RIGHT.match(right) or value.text.count("-") == 1)
    )


def _modifiers(value: Value) -> frozenset[str]:
    """Terms between a number and what it counts: 'coin', 'toss' of '5 coin toss problems'."""
    if value.kind != "count" or not value.unit:
        return frozenset()
    narrow = value.text.partition(" ")[2]
    return frozenset(term for term in terms_of(narrow) if term not in value.unit and weight(term) == 1.0)


@lru_cache(maxsize=1 << 12)
def names_of(sentence: str) -> frozenset[str]:
    """Terms of the words with a capital inside a sentence, months and days left out."""
    return frozenset(t for name in NAME_WORD.findall(sentence) for t in terms_of(name)) - MONTH_TERMS
