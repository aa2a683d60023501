"""What is said to be so, and what is said not to be so, or not any longer. Pure, English, present tense.

"I no longer eat meat" denies "I eat meat"; "we switched from Trello to Linear" ends "we use Trello for planning".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lodmem.ingest.conflicts.clauses import Clause, terms_of, weight

_NOT = re.compile(
    r"\b(?:no longer|not|never|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|can['’]?t|cannot|won['’]?t|stopped|quit"
    r"|gave up|given up)\b",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:no longer|not\b.{0,60}\bany ?more|n['’]t\b.{0,60}\bany ?more|stopped|quit|gave up|given up)\b", re.IGNORECASE
)
_SUBJECT = re.compile(
    r"\A\W*(?:(?:and|but|so|also|because|since|by the way|actually|well|yes|no|oh|although|though)\W+)*"
    r"(?P<who>i|we|he|she|they|my [a-z]+|our [a-z]+|the [a-z]+(?: [a-z]+)?|[A-Z][a-z]+)(?:['’](?:m|re|ve"
    r"|s))?\s+(?P<rest>.{3,160})\Z",
    re.DOTALL | re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\A(?:(?:always|usually|really|still|actually|now|currently|no longer|never|also|just|am|is|are|do|does"
    r"|don['’]?t|doesn['’]?t|not"
    r"|isn['’]?t|aren['’]?t|can|can['’]?t|cannot|have|has|'m|stopped|quit|gave up|have stopped|have given up"
    r"|recently|completely)\s+)*"
    r"(?P<verb>(?:eat|drink|like|love|hate|use|work|live|own|play|smoke|speak|allow|support|support|need"
    r"|take|wear|watch|read"
    r"|drive|eats|drinks|likes|loves|hates|uses|works|lives|owns|plays|smokes|speaks|allows|supports|needs|takes"
    r"|wears|watches|drives"
    r"|eating|drinking|using|working|living|playing|smoking|taking|wearing|watching|driving|vegetarian|vegan"
    r"|married|single|allergic"
    r"|available|open|required|enabled|allowed|supported|possible|engaged|pregnant|subscribed|employed|running"
    r"|member)\b)(?P<object>.*)\Z",
    re.DOTALL | re.IGNORECASE,
)
_SWITCH = re.compile(
    r"\b(?:switched|switching|migrated|moved over|changed|moved|went"
    r"|converted)\s+(?:\w+\s+)?from\s+(?P<old>(?:[\w.'’-]+\s+){0,2}[\w.'’-]+?)\s+(?:over\s+)?to\s+"
    r"(?P<new>(?:[\w.'’-]+\s+){0,2}?[\w.'’-]+)(?=\s*(?:[,.;:!?)]|\Z|\b(?:for|as|because|since|and|but|in|on|at"
    r"|last|this|yesterday|now)\b))",
    re.IGNORECASE,
)
_REPLACED = re.compile(
    r"\breplaced\s+(?P<old>(?:[\w.'’-]+\s+){0,2}[\w.'’-]+?)\s+(?:with"
    r"|by)\s+(?P<new>(?:[\w.'’-]+\s+){0,2}?[\w.'’-]+)(?=\s*(?:[,.;:!?)]|\Z|\bfor\b))",
    re.IGNORECASE,
)
_USES = re.compile(
    r"\b(?:use|uses|using|drink|drinks|eat|take|drive|prefer|running|subscribe to|subscribed to|work with"
    r"|member of|deploy to|deployed on|hosted on|runs on|switched to|moved to|stick with|set up with|go with"
    r"|shop at|bank with)\s+(?:an?\s+|the\s+|my\s+|our\s+)?"
    r"(?P<what>(?:[\w.'’-]+\s+){0,3}[\w.'’-]+)",
    re.IGNORECASE,
)


USES = "uses"
_ENDED = terms_of("anymore any more no longer now completely recently")


@dataclass(frozen=True, slots=True)
class Claim:
    """`who` does or is `terms`; `denies`: not so. `over`: no longer so. `instead`: the terms of what it was switched from."""

    who: str
    verb: str
    terms: frozenset[str]
    denies: bool
    over: bool
    instead: frozenset[str]
    text: str
    clause: Clause


def claims(clause: Clause) -> Iterator[Claim]:
    """What a clause says to be so or not to be so."""
    if clause.asks or clause.hedged or len(clause.text) > 240:
        return
    text = clause.text
    switch = _SWITCH.search(text) or _REPLACED.search(text)
    if switch is not None:
        old = terms_of(switch["old"])
        ended = old - terms_of(switch["new"])
        if any(weight(term) == 1.0 for term in ended):
            yield Claim("", "", clause.near, False, True, ended, switch[0], clause)
    elif not _NOT.search(text):
        for use in _USES.finditer(text):
            yield Claim("", USES, terms_of(use["what"]), False, False, frozenset(), use[0], clause)
    found = _SUBJECT.match(text)
    if found is None:
        return
    rest = _PRESENT.match(found["rest"])
    if rest is None:
        return
    terms = frozenset(terms_of(rest["verb"] + rest["object"]))
    if not terms:
        return
    denies = bool(_NOT.search(found["rest"][: rest.start("object")])) or bool(_OVER.search(text))
    yield Claim(
        found["who"].lower(),
        _stem(rest["verb"]),
        terms,
        denies,
        bool(_OVER.search(text)),
        frozenset(),
        text.strip(" ,;:.-"),
        clause,
    )


def _stem(verb: str) -> str:
    """A verb without its ending: eats, eating, eat."""
    return re.sub(r"(?:ing|es|s|e)\Z", "", verb.lower())


def denied(old: Claim, new: Claim) -> bool:
    """Whether the newer claim says that the older one is not so, or no longer."""
    if new.instead:
        return old.verb == USES and new.instead <= old.terms
    if USES in (old.verb, new.verb):
        return False
    if old.instead or old.denies == new.denies or old.who != new.who:
        return False
    shared = {t for t in old.terms & new.terms if weight(t) == 1.0}
    either = {t for t in (old.terms | new.terms) - _ENDED if weight(t) == 1.0}
    if old.terms - _ENDED == new.terms - _ENDED:
        return True
    return old.verb == new.verb and bool(shared) and len(shared) / len(either) >= 0.67
