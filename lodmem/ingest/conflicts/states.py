"""What a sentence says to be so: whose, what, and which one. Preferences, places, jobs, names, days. Pure, English.

`key` says what is spoken of and of whom, `value` which one it is. It compares nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lodmem.ingest.conflicts.clauses import Clause, terms_of, weight, words

NAME = r"(?:(?:the\s+)?[A-Z][\w'’&.-]*(?:\s+(?:of\s+|the\s+|and\s+|&\s+)?[A-Z0-9][\w'’&.-]*){0,4})"
_THING = r"(?:[\w'’-]+\s+){0,3}?[\w'’-]+"
_END = (
    r"(?=\s*(?:[,.;:!?)\n]|\Z|\b(?:and|but|so|because|since|which|who|for|in|on|at|to|with|from|when|now|again|these|this|last"
    r"|as|after|instead|over)\b))"
)
_WHO = r"(?P<who>\bI|\bwe|(?<![\w'’])[A-Z][a-z]+)(?:\s+and\s+I)?(?:['’](?:ve|s|m|re))?"
_ADVERBS = (
    r"(?:\s+(?:just|recently|actually|finally|also|now|currently|have|has|had|am|is|are|been|already|still|permanently))*"
)

_FAVOURITE = re.compile(
    rf"\b(?i:my)\s+(?:new\s+|current\s+|absolute\s+|all-time\s+)*favou?rite\s+(?P<key>{_THING})(?:\s+(?:is"
    rf"|has become|would be|to \w+ is)\s+(?:now\s+)?|,\s+|:\s+)"
    rf"(?P<value>{NAME})"
)
_IS_FAVOURITE = re.compile(
    rf"(?P<value>{NAME})\s+(?:is|has become|became)\s+(?:now\s+)?my\s+(?:new\s+|current\s+"
    rf"|absolute\s+)*(?:favou?rite|go-to)\s+(?P<key>{_THING}){_END}"
)
_OBSESSED = re.compile(
    rf"\b(?:obsessed with|hooked on|addicted to|swear by"
    rf"|can't get enough of)\s+(?:the\s+)?(?P<value>{NAME})['’]?s?\s+(?P<key>[a-zA-Z]+(?:\s+[a-z]+)?){_END}"
)
_GO_TO = re.compile(rf"\b(?i:my)\s+(?:new\s+|current\s+)?go-to\s+(?P<key>{_THING})\s+(?:is|has become)\s+(?P<value>{NAME})")
_HOME = re.compile(
    rf"{_WHO}(?:\s+who)?{_ADVERBS}\s+(?P<moved>moved|relocated)\s+(?:from\s+(?:\w+\s+){{1,3}}?)?"
    rf"(?:back\s+|in\s+|over\s+|out\s+)?(?:to"
    rf"|into)\s+(?:(?:an?|the|my|his|her|our)\s+"
    rf"(?:\w+\s+)?(?:apartment|house|flat|home|place|condo)\s+in\s+)?(?P<value>(?:an?\s+|the\s+|my\s+)?{_THING}){_END}"
)
_LIVES = re.compile(
    rf"{_WHO}{_ADVERBS}\s+(?:lives?|living|based|reside[sd]?)\s+(?:back\s+)?in\s+(?P<value>{NAME}|the\s+\w+"
    rf"|an?\s+{_THING}){_END}"
)
_JOB = re.compile(rf"{_WHO}{_ADVERBS}\s+(?:works?|working|employed)\s+(?:at|for)\s+(?P<value>{NAME})")
_COPULA = re.compile(
    rf"(?<!\bof )(?<!\bat )(?<!\bin )(?<!\bon )(?<!\bfor )(?<!\bto )\b(?P<whose>(?i:my|our|the)"
    rf"|[A-Z][a-z]+['’]s)\s+(?P<key>(?:[a-z][\w'’-]*\s+){{1,5}}?)(?:is|are)(?:\s+(?:now"
    rf"|currently|called|named|on|at|in))*\s+"
    rf"(?P<value>{NAME}){_END}"
)
_PATTERNS = (
    ("preference", _FAVOURITE),
    ("preference", _IS_FAVOURITE),
    ("preference", _OBSESSED),
    ("preference", _GO_TO),
    ("place", _HOME),
    ("place", _LIVES),
    ("name", _JOB),
    ("name", _COPULA),
)
_CUES = re.compile(
    r"favou?rite|obsessed|hooked|addicted|swear by|enough of|go-to|moved|moving|relocated|live|living|based|reside"
    r"|work|employed|\b(?:is|are)\b"
)
_ONCE = re.compile(r"\b(?:used to|when I was|as a (?:kid|child)|back then|was my|one of my)\b", re.IGNORECASE)
# Where one lives: a name, or one of two things that exclude each other.
_PLACE = re.compile(r"[A-Z]|the (?:city|suburbs?|country(?:side)?|mountains|coast|village)\b|downtown\b")
_DWELLING = re.compile(
    r"\b(?:apartment|house|flat|home|condo|room|place|office|studio|dorm|rental|hotel|tent|hallway|bedroom|kitchen|bathroom|garage"
    r"|basement|attic|closet|shelf|drawer|desk|garden|car)s?\b",
    re.IGNORECASE,
)
_NOWHERE = frozenset(
    t
    for word in words(
        "next step new here there forward back section question point topic part stage level different other "
        "place one something somewhere page chapter round phase use find way side front tears bed work end "
        "own app system recently dr mr mrs ms prof"
    )
    for t in (*terms_of(word), word)
)


@dataclass(frozen=True, slots=True)
class State:
    """`kind`: preference, place, name. [start, stop) of the value in the sentence."""

    kind: str
    who: str
    key: frozenset[str]
    value: frozenset[str]
    text: str
    moved: bool
    clause: Clause

    def over(self, older: State) -> bool:
        """Whether it says that the older state has ended: somebody moved away from it."""
        left = re.search(rf"\bfrom\s+(?:the\s+|my\s+)?{re.escape(older.text)}\b", self.clause.sentence, re.IGNORECASE)
        return self.kind == "place" and left is not None


def _is_name(text: str) -> bool:
    return text[:1].isupper()


def differ(old: State, new: State) -> bool:
    """Whether two states are of one thing and cannot both hold."""
    if old.kind != new.kind or old.who != new.who or old.value & new.value:
        return False
    if old.kind == "place":
        return (
            new.moved and _is_name(old.text) == _is_name(new.text) and bool(_PLACE.match(old.text) and _PLACE.match(new.text))
        )
    if old.kind == "preference":
        return old.key <= new.key or new.key <= old.key
    return old.key == new.key


def states(clause: Clause) -> Iterator[State]:
    """The states that a clause's sentence tells of, found from its first clause."""
    if clause.start:
        return
    sentence = clause.sentence
    if not _CUES.search(sentence) or _ONCE.search(sentence):
        return
    for kind, pattern in _PATTERNS:
        for found in pattern.finditer(sentence):
            state = _state(kind, pattern, found, clause)
            if state is not None:
                yield state


def _state(kind: str, pattern: re.Pattern[str], found: re.Match[str], clause: Clause) -> State | None:
    groups = found.groupdict()
    who = (groups.get("who") or "").strip().lower()
    who = "i" if who in ("we", "") else who
    key, value = groups.get("key") or "", found["value"]
    if kind == "place":
        key = "home"
    elif pattern is _JOB:
        key = "work"
    elif pattern is _COPULA:
        who = found["whose"].lower()
        if who == "the" and re.search(r"\bare\b", found[0]):
            return None
    terms = (
        frozenset(t for t in terms_of(key) if weight(t) == 1.0 or kind == "preference")
        if key not in ("home", "work")
        else frozenset({key})
    )
    if kind == "place" and _DWELLING.search(value):
        return None
    said = frozenset(t for t in terms_of(value) if t not in _NOWHERE)
    if not terms or not said or said & terms:
        return None
    return State(kind, who, terms, said, value.strip(" .,"), bool(groups.get("moved")), clause)
