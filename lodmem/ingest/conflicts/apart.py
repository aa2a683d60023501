"""What tells two notes apart although they look alike: one day, the past, what might be, another one of its kind. English."""

from __future__ import annotations

import re
from functools import lru_cache

from lodmem.ingest.conflicts.notes import sentence_of

_ONE_DAY = re.compile(
    r"\b(?:today|yesterday|tonight|tomorrow|this (?:morning|afternoon|evening|week|month|time)"
    r"|last (?:night|week|month|time|year)|next (?:week|month|time|year)|(?:one|once|another) (?:day|time)|during|ago"
    r"|at noon|away"
    r"|at (?:the )?peak|peaked|measured|(?<![.\w])example|e\.g\.|quote[ds]?|draft)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:if|would|could|might|perhaps|maybe|wish\w*|hope\w*|propose[ds]? (?:to|that)|suggest\w*|planned|plans? to|idea"
    r"|rumou?r\w*"
    r"|imagine|argue[sd]?|claim(?:s|ed)|(?:i|he|she|they)['’]d (?:love|like)|aim\w*|goals?|targets?|forecast\w*|want to"
    r"|should have"
    r"|used to|back in|originally|formerly|in (?:19|20)[01]\d)\b",
    re.IGNORECASE,
)
# Each of two different ones of these tells two things apart.
_LABEL = re.compile(
    r"\b(?:v\d[\w.]*|[A-Z]\d|#\d+|\d(?:st|nd|rd|th)|(?:19|20)\d\d|first|second|third|fourth|last|next|other|another|half|full|step"
    r"|standard|early|late|small|large|old|production|prod|staging|test|dev|internal|external|guest|spare|free|paid|weekdays?"
    r"|weekends?|school (?:days?|nights?)|spring|summer|autumn|winter|morning|evening|upstairs|downstairs|front|back|min|max"
    r"|minimum|maximum|adults?|children|kids)\b",
    re.IGNORECASE,
)
# Said of one of two these do.
_ANOTHER = re.compile(r"\b(?:second|third|another|other)\b", re.IGNORECASE)
_ASIDE = re.compile(
    r"\b(?:average|typical\w*|on a good day|used up|left (?:over|to)|remaining|so far|most (?:people|adults)|first year"
    r"|at (?:its|their) (?:worst|best|peak)|in (?:spring|summer|autumn|winter)|quoted|advert\w*|leaflet|estimate\w*"
    r"|that (?:are|is) (?:in|on|at|for))\b",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ )?of (?:the|them|its|our)\b", re.IGNORECASE
)
_DIGITS = re.compile(r"\d[\d.,:]*\d|\d")
# What people say to a model when they want something of it, or make up their mind: no statement of what is so.
_TALK = re.compile(
    r"\b(?:i think|give me|you will|let me|looking for|recommendations?|thanks|thank you|(?:i|we)['’]ll"
    r"|i['’]m (?:also |actually |just )?(?:looking|thinking|trying|planning|heading|open|in the)"
    r"|i['’]ve (?:also |recently )?(?:heard|been))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def hedged(text: str) -> bool:
    """Whether a sentence tells of one day, of the past, or of what might be, or wants something of who reads it."""
    return any(pattern.search(text) is not None for pattern in (_ONE_DAY, _HEDGED, _TALK))


def apart(old: str, new: str) -> bool:
    """Whether anything tells apart what two sentences of notes speak of."""
    if hedged(old) or hedged(new) or labels_differ(old, new):
        return True
    one, two = sentence_of(old), sentence_of(new)
    if one.past or two.past or one.person != two.person:
        return True
    here, there = one.content, two.content
    return bool((here - there and there - here) or two.content_of_subject - here)


def labels_differ(old: str, new: str) -> bool:
    """Whether each of two sentences has a word that tells its thing from the other one's: early, late; 2024, 2025; another."""
    one, two = _found(_LABEL, old), _found(_LABEL, new)
    if (one - two and two - one) or _found(_ASIDE, old) != _found(_ASIDE, new):
        return True
    if any(bool(aside.search(old)) != bool(aside.search(new)) for aside in (_ANOTHER, _PART)):
        return True
    here, there = sentence_of(old).named, sentence_of(new).named
    return bool(here and there and here != there)


def numbers_differ(old: str, new: str) -> bool:
    """Whether two sentences have numbers, and no number in common: "iOS 13", "iOS 15"."""
    one, two = numbers_of(old), numbers_of(new)
    return bool(one and two and not one & two)


def numbers_of(text: str) -> frozenset[str]:
    """The numbers of a text as they are written, in digits."""
    return frozenset(_DIGITS.findall(text))


def _found(pattern: re.Pattern[str], text: str) -> set[str]:
    return {found[0].lower() for found in pattern.finditer(text)}
