"""Two notes that say one sentence with another value in one place: "CI runs on Jenkins", "CI runs on GitHub Actions".

The place comes after the verb; what stands before it is the same, and what stands behind it too, up to the end of the clause.
What happened, what one likes or owns beside other things, and what is of one day says nothing of this kind. Pure, English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from lodmem.ingest.conflicts.apart import hedged
from lodmem.ingest.conflicts.clauses import terms_of, words
from lodmem.ingest.conflicts.notes import (
    AUXILIARY,
    BE,
    BORDERS,
    NEGATIONS,
    PREPOSITIONS,
    SIGNS,
    Contradiction,
    Sentence,
    is_day,
    is_number,
    is_verb,
    telling,
    verb_at,
)
from lodmem.ingest.conflicts.values import values_in
from lodmem.text.irregular import BASE

LONGEST = 6  # words of a value
LEAST = 2  # telling words that both sentences share
# What one likes, knows or has, one can like, know or have beside another.
_BESIDE = frozenset(
    words(
        "like likes love loves enjoy enjoys hate hates speak speaks know knows own owns has have read reads play plays watch"
        " watches"
        " meet meets see sees visit visits call calls include includes contain contains buy buys eat eats drink drinks teach"
        " teaches offer offers send sends cover covers recommend recommends say says think thinks ask asks tell tells mention"
        " mentions show shows want wants need needs give gives bring brings make makes hear hears find finds help helps sing"
        " sings"
    )
)
_ONE_AT_A_TIME = frozenset(
    words("use uses wear wears ride rides drive drives employ employs run runs drink drinks support supports")
)
_UNIQUE = re.compile(
    r"\b(?:favou?rite|best|most|default|main|primary|current|official|only|usual|prefer\w*|own)\b", re.IGNORECASE
)
_PATH = re.compile(r"\w[/@.:_]\w|[/@]\w")
_UNCHANGED = frozenset(words("run set cut put read shut hit cast split spread"))  # participles like their verb
_TIMES = frozenset(words("at on of to and am pm from till until between every first second third last : - – half past quarter"))
_CONDITIONS = frozenset(words("when if while until unless where before after"))
# Of one kind each, so that "512 MB" and "2 GB", "30 seconds" and "2 minutes" are comparable.
_UNITS = frozenset(
    words(
        "s sec second seconds m min minute minutes h hour hours day days week weeks month months year years ms b kb mb gb tb"
        " kib mib"
        " gib % percent cm mm km metres meters miles kg g mg ml l litres liters pounds euros dollars pence"
    )
)
_OVER = re.compile(r"\b(?:no longer|any ?(?:more|longer))\b", re.IGNORECASE)
_WITH_NEGATION = frozenset(words("do does any each every some longer more t 's 're"))
_Span: TypeAlias = tuple[int, int]


def swapped(old: Sentence, new: Sentence) -> Contradiction | None:
    """The value that differs; None where the sentences differ in more, or in what is no value."""
    if old.low[0] != new.low[0] or hedged(old.text) or hedged(new.text) or old.person != new.person or old.person == "?":
        return None
    changes = [op[1:] for op in SequenceMatcher(None, old.low, new.low, autojunk=False).get_opcodes() if op[0] != "equal"]
    if not changes:
        return None
    if (denied := _denied(old, new)) is not None:
        return denied
    i, i_stop, j, j_stop = changes[0]
    if (
        _same_values(old.text, new.text)
        or old.low[:i] != new.low[:j]
        or old.verb is None
        or old.verb >= i
        or old.past
        or new.past
    ):
        return None
    for a, a_stop, b, b_stop in changes[1:]:
        # "Tuesdays at 2" and "Wednesdays at 11" are one value each.
        between = old.low[i_stop:a]
        if len(between) > 2 or between != new.low[j_stop:b] or not (_timed(old.low[i:a_stop]) and _timed(new.low[j:b_stop])):
            break
        i_stop, j_stop = a_stop, b_stop
    if old.low[i_stop : i_stop + 1] == new.low[j_stop : j_stop + 1] and any(map(is_day, old.low[i_stop : i_stop + 1])):
        i_stop, j_stop = i_stop + 1, j_stop + 1  # of "3 June" and "17 June" the month is a part
    if not _one_place(old, new, (i, i_stop), (j, j_stop)):
        return None
    return Contradiction(" ".join(old.said[i:i_stop]), " ".join(new.said[j:j_stop]))


def _same_values(one: str, two: str) -> bool:
    """Whether two sentences give the same values in other words: "at 2 pm", "at 14:00"."""
    old, new = ({(value.kind, value.size) for value in values_in(text)} for text in (one, two))
    return bool(old) and old == new


def _denied(old: Sentence, new: Sentence) -> Contradiction | None:
    """Whether one sentence is the other with a negation in it."""
    one, two = _without_negation(old.low), _without_negation(new.low)
    if one != two or len(telling(one)) < LEAST or old.negated == new.negated:
        return None
    return Contradiction(old.text, new.text, denies=True, explicit=_OVER.search(new.text) is not None)


def _without_negation(low: Sequence[str]) -> tuple[str, ...]:
    """The words without negations and what comes with them: "does not answer" is "answers"."""
    kept = (word for word in low if word not in NEGATIONS and word not in _WITH_NEGATION)
    return tuple(word[:-1] if word.endswith("s") and is_verb(word) and word not in AUXILIARY else word for word in kept)


def _one_place(old: Sentence, new: Sentence, one: _Span, two: _Span) -> bool:
    """Whether what stands at the two spans are two values of one thing."""
    before, was, now = old.low[: one[0]], old.low[slice(*one)], new.low[slice(*two)]
    after = _clause(old.low[one[1] :])
    if (
        not (0 < len(was) <= LONGEST and 0 < len(now) <= LONGEST)
        or BORDERS & {*was, *now}
        or after != _clause(new.low[two[1] :])
    ):
        return False
    if any(verb_at(old.low, at) for at in range(one[1], one[1] + len(after))):
        return False  # it is of the subject: "the backup of alpha | is on port 1"
    rest, other = old.low[one[1] + len(after) :], new.low[two[1] + len(after) :]
    if rest[:1] == (":",) or after[:1] == ("'s",):
        return False  # it names what is spoken of, or whose it is: "run 14: ...", "Maya's choice"
    if rest != other and rest[:1] == other[:1] and _CONDITIONS & {*rest[:1]}:
        return False
    measured = _measured(was) and _measured(now)
    if len(telling(before) | telling(after)) < LEAST or not (telling(before) or measured):
        return False
    if measured:
        return _unit(was) == _unit(now) or (_unit(was) | _unit(now)) <= _UNITS
    return _excludes(before, after, was, now)


def _excludes(before: Sequence[str], after: Sequence[str], was: Sequence[str], now: Sequence[str]) -> bool:
    """Whether two values that are no numbers cannot both hold there."""
    one, two = terms_of(" ".join(was)), terms_of(" ".join(now))
    if not one or not two or (one & two and not all(_PATH.search(side[0]) for side in (was, now))):
        return False
    at = max(at for at in range(len(before)) if verb_at(before, at))
    verb, between = before[at], before[at + 1 :]
    if verb == ":" and max(len(was), len(now)) > 2:
        return False
    if len(was) > 1 and len(now) > 1 and any(_undergone(side[0]) and side[0] not in PREPOSITIONS for side in (was, now)):
        return False  # it does or undergoes two things
    if any(map(is_number, (*was, *now))) and verb not in BE:
        return False
    unique = _UNIQUE.search(" ".join(before)) is not None
    where = bool(telling(between)) and not PREPOSITIONS.isdisjoint(between)
    if not where and ((verb in _BESIDE and not unique) or (verb.startswith("prefer") and after)):
        return False
    if verb in BE and any(telling([word]) and not _undergone(word) for word in between):
        return False  # "dogs are welcome in the office in Leiden", and in others
    if verb not in AUXILIARY and verb not in SIGNS and not (where or unique or (verb in _ONE_AT_A_TIME and telling(after))):
        return False
    return not {*was, *now} <= AUXILIARY


def _undergone(word: str) -> bool:
    """Whether a word after `is` tells what is done with something, or where: `stored`, `kept`, `in`."""
    return word.endswith(("ed", "ing")) or word in BASE or word in PREPOSITIONS or word in _UNCHANGED


def _measured(value: Sequence[str]) -> bool:
    """Whether a value is a number with its unit, a day or a time; not a name that has a number."""
    rest = [word for word in value if word not in _TIMES]
    return any(map(is_day, value)) or (bool(rest) and is_number(rest[0]))


def _unit(value: Sequence[str]) -> frozenset[str]:
    """What is counted."""
    return frozenset(word for word in value if not (is_number(word) or is_day(word) or word in _TIMES))


def _timed(low: Sequence[str]) -> bool:
    """Whether the words are a day or a time."""
    return _measured(low) and not _unit(low)


def _clause(low: Sequence[str]) -> tuple[str, ...]:
    """The words up to the next border."""
    for at, word in enumerate(low):
        if word in BORDERS or (word in ("and", "or") and at + 1 < len(low) and is_verb(low[at + 1])):
            return tuple(low[:at])
    return tuple(low)
