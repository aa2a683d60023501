"""Whose or what's place was taken: "Marcus leads the team since Gwen moved on", "we ditched Trello". Pure, English.

A newer sentence that tells of a name that it left, ended or was replaced contradicts an older one in which that name has a
part, where both speak of the same thing besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lodmem.ingest.conflicts.clauses import Clause, terms_of, weight, words
from lodmem.ingest.conflicts.quantities import MONTH_TERMS

_NAME = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+)?[A-Z][\w'’&-]*(?:\s+[A-Z0-9][\w'’&-]*){0,2}?"
_IS = r"(?:['’]s|\s+(?:has|have|is|are|was|were|had))(?:\s+(?:just|now|finally|already|sadly|been))*"
_GONE = (
    rf"(?:(?:{_IS})?\s+(?:retired|retiring|quit|resigned|moved on|dropped out|stepped (?:down|back)|handed in|given notice"
    rf"|took (?:another|a new) job|passed away|died|closed down)"
    rf"|['’]s left|\s+has left|\s+left (?:us|the (?:team|firm|company|group))"
    rf"|{_IS}\s+(?:gone(?!\s+(?:from|to|up|down|back|live|through|over))|cut(?!\s+(?:the|an?|my|our|his|her|their|down|back"
    rf"|\d))|cancelled|canceled|shut|discontinued|no longer|on (?:\w+ )?leave))\b"
)
# Why somebody else does it now: "since Gwen had her hip done". Of nobody else it tells nothing.
_REASON = re.compile(
    rf"\b(?i:since|as|because|now that)\s+(?P<old>{_NAME})\s+(?:had (?:her|his|their)|has (?:her|his|their)|is having|broke"
    r"|fell|got (?:a|an|another))\b"
)
_ENDED = (
    re.compile(rf"(?<!\bin )(?<!\bat )(?<!\bof )(?<!\bfor )(?<!\bon )(?<![\w’'])(?P<old>{_NAME}){_GONE}"),
    re.compile(
        r"\b(?i:instead of|in place of|took over from|taken over from|taking over from|takes over from|ditch(?:ed|ing)"
        r"|scrapp(?:ed|ing)|dropped|done with|cancell?ed|gave up on|got rid of|no longer (?:use|using|with)|stopped using"
        rf"|quit)\s+(?:(?i:my|our|the|old)\s+)*(?P<old>{_NAME})(?![\w’'])"
    ),
)
_CUES = re.compile(
    r"left|gone|retir|quit|resign|moved on|dropp|stepped|handed in|notice|\bcut\b|cancel|closed down|shut|discontinued"
    r"|no longer|leave|took|passed away|died|instead|in place|tak(?:en|ing|es) over|ditch|scrap|done with|gave up|rid of"
    r"|stopped|\b(?:since|as|because|now that)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"(?<![\w’'])(?P<name>{_NAME.replace('{0,2}?', '{0,2}')})")
_SHORT_FOR = re.compile(r"[A-Z]{2,5}s?\Z")
_OURS = re.compile(r"\b(?:I|[Ww]e|[Mm]y|[Oo]urs?|us|me)\b")
_STEM = 6
_STARTS = frozenset(
    words(
        "i i'm i've i'd we the a an my our your his her their its it this that these those they he she there here what when "
        "where who why how if so and but or also as at by for from in of on to with yes no ok okay please can could should "
        "would do does did is are was were have has had since because after before while once now then next still just one "
        "two three all any some both most not let give make write help thanks thank hi hello hey quick question another last"
    )
)


@dataclass(frozen=True, slots=True)
class Part:
    """A name that something is said of. `name`: its terms."""

    name: frozenset[str]
    text: str
    clause: Clause


@dataclass(frozen=True, slots=True)
class Ended:
    """A name whose time is over. `name`: its terms; `instead`: another name is in the sentence."""

    name: frozenset[str]
    instead: bool
    text: str
    clause: Clause


def parts(clause: Clause) -> Iterator[Part]:
    """The names of a clause that states something."""
    if clause.asks or clause.hedged:
        return
    for found in _NAMED.finditer(clause.text):
        if name := _name(found["name"]):
            yield Part(name, _said(clause), clause)


def ended(clause: Clause) -> Iterator[Ended]:
    """The names of which a clause says that they are gone."""
    if clause.asks or clause.hedged or not _CUES.search(clause.text):
        return
    for pattern in (_REASON, *_ENDED):
        for found in pattern.finditer(clause.text):
            if name := _name(found["old"]):
                others = (_name(each["name"]) for each in _NAMED.finditer(clause.sentence))
                instead = any(other and not other & name for other in others)
                if instead or pattern is not _REASON:
                    yield Ended(name, instead, _said(clause), clause)


def _said(clause: Clause) -> str:
    return clause.text.strip(" ,;:.-—")


def succeeded(old: Part, new: Ended) -> bool:
    """Whether the name whose time is over is the one that the older statement gives a part to, in the same matter: in the
    speaker's life, or else another name must have come."""
    if not (new.name <= old.name or old.name <= new.name):
        return False
    if not new.instead and not _OURS.search(old.clause.sentence):
        return False
    names = old.name | new.name | MONTH_TERMS
    said = {term for term in new.clause.wide - names if weight(term) == 1.0}
    return any(_akin(term, other) for term in old.clause.near - names if weight(term) == 1.0 for other in said)


def _akin(one: str, two: str) -> bool:
    """Whether two terms are one word or of one stem: supervisor, supervised."""
    return one == two or (len(one) > _STEM and len(two) > _STEM and one[:_STEM] == two[:_STEM])


def _name(text: str) -> frozenset[str]:
    """The terms of a name; none of a word that merely begins a sentence, and of letters that stand for a kind of thing."""
    first = text.split()[0].lower()
    if first in _STARTS or re.sub(r"['’].*", "", first) in _STARTS or _SHORT_FOR.match(text):
        return frozenset()
    return terms_of(re.sub(r"['’]s\b", "", text)) - MONTH_TERMS
