"""A note that says of another one's statement that it is over: its value is named as gone, denied, or changed to another.

The newer sentence must speak of what the older one speaks of (all telling words before the older one's verb), and must say in
so many words that something changed. Pure, English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lodmem.ingest.conflicts.apart import hedged, labels_differ, numbers_of
from lodmem.ingest.conflicts.clauses import terms_of, weight, words
from lodmem.ingest.conflicts.frames import LEAST
from lodmem.ingest.conflicts.notes import BE, NEGATIONS, Contradiction, Sentence, is_number, is_past, telling
from lodmem.ingest.conflicts.values import Value, values_in
from lodmem.text.irregular import BASE

_WORD = r"[\w.'’@#$£€%/+:-]*[\w@#$£€%/+]"
_SOME = rf"(?P<old>(?:(?:the|an?|my|our|its|their|his|her|old|using|classic)\s+)*(?:{_WORD}\s+){{0,3}}?{_WORD})"
_UNTIL = (
    r"(?=\s*(?:[,.;:!?()]|\Z|\s(?:and|but|because|since|so|for|in|on|at|with|by|as|after|now|any|last|this|to|into|over"
    r"|have|has)\b))"
)
_MOVE = (
    r"\b(?:switch\w*|mov(?:ed|ing)|migrat\w+|chang(?:ed|ing)|went|gone|ported|convert\w*|rais(?:ed|ing)|lower(?:ed|ing)|cut"
    r"|reduc\w+|tighten\w*|widen\w*|up|down|away|grown|grew|turn(?:ed|ing)?|dropped|promoted|slipped|shifted|pushed|put|postponed"
    r"|increas\w+|bump\w*|extend\w*|became|split|transfer\w*|swapped)\b"
)
_FROM = re.compile(
    rf"{_MOVE}[^.;:()]{{0,60}}?\bfrom\s+{_SOME}\s+(?:over\s+|up\s+|down\s+|back\s+)?(?:to|into|towards)\b", re.IGNORECASE
)
_UP_FROM = re.compile(rf"\b(?:up|down)\s+from\s+(?P<old>[£$€]?\d[\d.,:]*\d?%?(?:\s+{_WORD})?){_UNTIL}", re.IGNORECASE)
_OUT_OF = re.compile(
    rf"\b(?:moved|migrated|got|are|is)\s+(?:\w+\s+){{0,2}}?(?:out of|off|away from)\s+{_SOME}{_UNTIL}", re.IGNORECASE
)
_INSTEAD = re.compile(
    r"\b(?:replac(?:ed|es|ing)|swapp(?:ed|ing)|dropp?(?:ed|ing|s)|ditch(?:ed|ing)|abandon(?:ed|ing)|scrapp(?:ed|ing)"
    r"|retir(?:ed|ing)|left|quit|cancell?ed|(?:gave|given|giving) up(?: on)?|got rid of|stopped(?: using)?|done with"
    r"|(?:tired|sick) of|gone off|lost \w+ taste for|no longer|instead of|rather than|in place of|used to (?:be|use))"
    rf"\s+{_SOME}{_UNTIL}",
    re.IGNORECASE,
)
_OVER_ANOTHER = re.compile(
    rf"\b(?:favou?rs?|prefers?|chose|chosen|picked)\s+(?:{_WORD}\s+){{1,3}}(?:over|to)\s+{_SOME}{_UNTIL}", re.IGNORECASE
)
_NOT_ANY_MORE = re.compile(rf"\bnot\s+{_SOME}\s+any\s?(?:more|longer)\b", re.IGNORECASE)
# That somebody left, or something is gone, is said in passing: it names the older value, but not as a value.
_GONE = re.compile(
    rf"{_SOME}\s+(?:(?:has|have|had|is|are|was|were)\s+)?(?:been\s+)?(?:(?<=is )out|(?<=are )out"
    r"|gone|dead|died|retired|replaced|dropped|removed"
    r"|abandoned|scrapped|switched off|shut down|thrown out|given up|history|left|quit|resigned|stepped (?:down|back)|moved on"
    r"|packed it in|went part-time|off to|handed (?:it|over|in))\b",
    re.IGNORECASE,
)
_NAMING = (_FROM, _UP_FROM, _OUT_OF, _INSTEAD, _OVER_ANOTHER, _NOT_ANY_MORE, _GONE)
_OF_NUMBERS = (_FROM, _UP_FROM, _INSTEAD)
_CHANGE = re.compile(
    r"\b(?:moved|shifted|changed|postponed|(?:pushed|put|brought) (?:back|forward)|raised|lowered|cut|reduced"
    r"|turned (?:up|down) (?:to|from|by)|bumped|(?:gone|went|goes|go) (?:up|down)|grown|grew|widened|tightened|extended"
    r"|renewed|upgraded|increased"
    r"|risen|rose|dropped|doubled|halved|slipped|rescheduled|delayed|expanded|shrunk|shrank|boosted|revised|lifted|relaxed"
    r"|switched(?! o)|pushed to|put (?:up )?to|now|from now on|these days|no longer|any ?more|instead"
    r"|since (?:then|last|this|the)|new)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"(\w+) of \Z")
_WAS = re.compile(r"\b(?:was|were)\s+(?:only|just|about|around|at|on|still)?\s*[£$€]?\d", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:no longer|any ?(?:more|longer)|stopped|(?:gave|given|giving) up|cancell?ed|withdrawn|never again|quit)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|cannot|no)\b|n['’]t\b", re.IGNORECASE)
_AT = re.compile(r"\b(?:in|at|on|under|from|through)\s+(?P<place>\S+(?:\s+\S+){0,2})")
_STANDS = BE | frozenset(
    words(
        "live lives work works sit sits run runs stay stays stand stands meet meets sleep sleeps go goes hang hangs lie lies"
        " keep"
        " keeps"
    )
)
_GOES = re.compile(
    r"\b(?:moved|migrated|shipped|relocated|transferred|carried over|ported|brought|renamed)\s+(?:over\s+|out\s+)?(?:to|into)"
    rf"\s+(?P<new>(?:{_WORD}\s+){{0,2}}?{_WORD}){_UNTIL}",
    re.IGNORECASE,
)
_PENDING = re.compile(
    r"\b(?:open|unresolved|pending|planning|in progress|waiting|proposed|draft|missing|engaged"
    r"|(?:parental|maternity|paternity|sick) leave|hospital|trial|beta|pilot|experimental|deprecated|broken|dripping|pregnant"
    r"|separated|expected|under (?:review|way|construction)|on hold|down|hibernating|writing up|applying)\b",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"\b(?:merged|fixed|closed|cancell?ed|removed|rejected|approved|granted|settled|finished|completed?|published|resolved"
    r"|married|divorced|divorce|(?:is|are|came|come|has come|been) back|returned|healed|come through|came through|has passed"
    r"|graduated|came up|turned into|gave birth|was issued|has got|stopped|come home|repaired|signed|permanent|ended)\b",
    re.IGNORECASE,
)
_ABOUT = terms_of("end start beginning middle about around mid early late roughly")
_IDLE = terms_of("now no longer any more moved changed")
_MOST_NAMED = 0.6  # of the telling words of what is named as gone, so many are in the older statement
_MOST_DENIED, _ALL_DENIED = 0.5, 0.8  # of the telling words of a statement, so many are in what says that it is over, or not so
_BORDERS = frozenset(words(", ; : ( — because since so but until when while before after"))


def ends(old: Sentence, new: Sentence) -> Contradiction | None:
    """What the newer sentence says of the older one's statement; None where it says nothing of it."""
    said, subject, head = terms_of(new.text), old.subject, new.head
    whole, part = subject <= said, len(head) > 1 and head <= subject and _BORDERS.isdisjoint(old.low[: old.verb])
    if old.verb is None or not (whole or part or (len(subject) > 2 and len(subject - said) == 1)):
        return None
    if hedged(old.text) or hedged(new.text) or labels_differ(old.text, new.text) or said == terms_of(old.text):
        return None
    if "?" in (old.person, new.person) or (old.person != new.person and not (subject and head)):
        return None
    if any(is_past(old.low, at) for at in range(min(len(old.low), old.verb + 1))):
        return None
    found = _named(old, new)
    if found is None and (whole or part):
        found = _changed(old, new)
    if found is None and whole:
        found = _denied(old, new) or _moved(old, new) or _settled(old, new)
    return found


def _named(old: Sentence, new: Sentence) -> Contradiction | None:
    """Whether it names the older value, and what became of it."""
    if NEGATIONS & {*old.predicate[:3]}:
        return None
    subject, stated, all_old = old.subject, telling(old.predicate), telling(old.low)
    for pattern in _NAMING:
        for found in pattern.finditer(new.text):
            named = found["old"]
            gone = telling([word for word in named.lower().split() if word not in BASE]) - subject - _ABOUT
            if gone and not new.head <= all_old | gone and (not subject or _OVER.search(new.text)):
                continue  # it speaks of something else
            if gone:
                known = len(gone & stated) >= _MOST_NAMED * len(gone)
            else:
                numbers = numbers_of(named)
                known = bool(numbers) and pattern in _OF_NUMBERS and numbers <= numbers_of(" ".join(old.predicate))
            if known and (terms_of(new.text) & (subject | stated)) - gone - _IDLE:
                return Contradiction(_part(named, gone & stated), new.text, explicit=pattern is not _GONE)
    return None


def _part(text: str, terms: frozenset[str]) -> str:
    """The words of a text from the first to the last that has one of the terms; all where none has."""
    each = text.split()
    at = [number for number, word in enumerate(each) if terms_of(word) & terms]
    return " ".join(each[at[0] : at[-1] + 1]) if at else text


def _changed(old: Sentence, new: Sentence) -> Contradiction | None:
    """Whether it says that something changed, and gives what the older one gave another value."""
    if not _CHANGE.search(new.text) or _WAS.search(new.text):
        return None
    said, known = terms_of(new.text), telling(old.low) - _IDLE
    if len(known & said) < (2 if old.subject else max(2, 0.6 * len(known))):
        return None
    values, others = list(values_in(old.text)), list(values_in(new.text))
    for value in values:
        rest = telling(_first_clause(old.predicate)) - terms_of(value.text)
        if old.is_of_name and rest and not rest & said:
            continue  # of somebody there is more than one thing to say
        if (measure := _MEASURE.search(old.text[: value.start])) and not terms_of(measure[1]) <= said:
            continue  # "an excess of £99" is no premium
        one, two = ([each for each in side if each.kind == value.kind] for side in (values, others))
        if len(one) == len(two) == 1 and _comparable(value, two[0]):
            return Contradiction(value.text, two[0].text)
    return None


def _comparable(one: Value, two: Value) -> bool:
    return one.size != two.size and (one.unit == two.unit or (one.kind != "count" and not (one.unit and two.unit)))


def _denied(old: Sentence, new: Sentence) -> Contradiction | None:
    """Whether it says that the older statement does not hold, or not any longer."""
    clause, said = _first_clause(old.low[old.verb or 0 :]), terms_of(new.text)
    stated = telling(clause) - old.subject
    strong = [term for term in old.subject | (stated & said) if weight(term) == 1.0]
    if NEGATIONS & {*clause} or _OVER.search(old.text) or len(strong) < LEAST:
        return None
    covered = len(stated & said) / len(stated) if stated else 0.0
    over = _OVER.search(new.text) is not None and covered >= _MOST_DENIED
    never = _verb_negated(new) and covered >= _ALL_DENIED and not any(map(is_number, clause))
    return Contradiction(old.text, new.text, denies=True) if (over or never) and new.head <= telling(old.low) else None


def _verb_negated(sentence: Sentence) -> bool:
    """Whether the negation is of its verb: "does not answer", "never answers"."""
    at = sentence.verb
    return at is not None and bool(NEGATIONS & {*sentence.low[max(0, at - 1) : at + 3]})


def _moved(old: Sentence, new: Sentence) -> Contradiction | None:
    """Whether what is somewhere has moved to somewhere else."""
    place, goes = _AT.search(" ".join(old.predicate)), _GOES.search(new.text)
    if place is None or goes is None or old.low[old.verb or 0] not in _STANDS or not old.subject:
        return None
    if any(map(is_number, place["place"].split())) or not new.head <= telling(old.low):
        return None
    there, here = terms_of(place["place"]), terms_of(goes["new"])
    return Contradiction(place["place"], goes["new"], place=True) if there and here and not there & here else None


def _settled(old: Sentence, new: Sentence) -> Contradiction | None:
    """Whether what was pending is over."""
    if old.low[old.verb or 0] not in BE or not old.subject or not _PENDING.search(" ".join(old.predicate)):
        return None
    if not _SETTLED.search(new.text) or _PENDING.search(new.text) or _NOT.search(new.text):
        return None
    return Contradiction(old.text, new.text) if len((telling(old.low) & terms_of(new.text)) - _IDLE) > 1 else None


def _first_clause(low: Sequence[str]) -> Sequence[str]:
    return next((low[:at] for at, word in enumerate(low) if at and word in _BORDERS), low)
