"""How much a sentence tells: facts against talk. Reads one sentence at a time and knows nothing of the text around it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from lodmem.text.stopwords import CHATTER, DATING, FIRST_PERSON, FIRST_PERSON_DENSE, PAST

QUESTION_MARKS = ("?", "？", "?)", '?"')

_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
_VAGUE = frozenset({"it", "that", "this", "they", "these", "those", "he", "she", "there", "so", "and", "but", "or", "then"})
_STRESS = re.compile(
    r"\b(?:\w*(?:Error|Exception)|FAIL|[Ff]ailed|FATAL|CRITICAL|panic|[Dd]ecided|[Dd]ecision|TODO|must(?: not)?|never|always)\b"
)
# Of each alternative a word that it cannot do without, in lower case.
_STRESSED = frozenset(
    {"fail", "failed", "fatal", "critical", "panic", "decided", "decision", "todo", "must", "never", "always"}
)
_POINTER = re.compile(
    r"\b(?:(?:take|have|here'?s) a (?:look|pic|photo)|look at (?:this|that)|check (?:this|that|it) out|see (?:below|above)"
    r"|by the way)\b",
    re.IGNORECASE,
)
_POINTED = frozenset({"look", "pic", "photo", "check", "see", "way"})
_FRAME = re.compile(r"File \".*\", line \d|at \S+\(|Traceback |During handling|The above exception")
_THROWN = re.compile(r"(?:Caused by: )?(?:\w+\.)*[A-Z]\w*[a-z]\w*: \S.*")
_SYMBOL = re.compile(r"[=(){}\[\]<>;\\|@_$%^&*+/]")
_MANY_SYMBOLS = 0.06


class _Marks(NamedTuple):
    """What both factors look at: the words in lower case, is there a digit, a date, a word for the speaker, a past tense."""

    words: list[str]
    known: set[str]
    digit: bool
    dated: bool
    personal: bool
    past: bool


@lru_cache(maxsize=1 << 14)
def telling(text: str) -> float:
    """How likely a sentence is to be asked for later, 1 and up: it gives a date, tells of oneself, reports, or sets a topic."""
    return _telling(text, _marks(text))


def worths(text: str) -> tuple[float, float]:
    """`telling`, and a factor for showing the sentence: above 1 for facts, decisions and failures, below for questions,
    greetings and code."""
    marks = _marks(text)
    return _telling(text, marks), _facts(text, marks) * _form(text, marks.known) * _opening(marks.words)


def _marks(text: str) -> _Marks:
    low = text.lower()
    words = _WORD.findall(low)
    known = set(words)
    digit = _DIGIT.search(text) is not None
    dated = not known.isdisjoint(DATING) or (digit and any(len(word) == 4 and word.isdecimal() for word in known))
    personal = not known.isdisjoint(FIRST_PERSON) or (not text.isascii() and not FIRST_PERSON_DENSE.isdisjoint(text))
    past = not known.isdisjoint(PAST) or ("ed" in low and any(word.endswith("ed") and len(word) > 4 for word in known))
    return _Marks(words, known, digit, dated, personal, past)


def _telling(text: str, marks: _Marks) -> float:
    factor = 1.0
    if marks.dated:
        factor *= 2.5
    if marks.personal:
        factor *= 1.8
    if marks.past:
        factor *= 1.4
    if text.endswith(QUESTION_MARKS):
        factor *= 2.5
    return factor


def _facts(text: str, marks: _Marks) -> float:
    factor = 1.25 if marks.dated or marks.digit else 1.0
    if marks.personal:
        factor *= 1.2
    return factor * 1.3 if _may_stress(text, marks.known) and _STRESS.search(text) else factor


def _may_stress(text: str, known: set[str]) -> bool:
    """Whether the slower pattern is worth a look."""
    return not known.isdisjoint(_STRESSED) or "Error" in text or "Exception" in text


def _form(text: str, known: set[str]) -> float:
    factor = 0.5 if text.endswith(QUESTION_MARKS) else 1.0
    points = not text.isascii() or not known.isdisjoint(_POINTED)
    if (points and _POINTER.search(text)) or _FRAME.match(text):
        factor *= 0.4
    if _THROWN.match(text):
        return factor * 1.5
    return factor * 0.6 if len(_SYMBOL.findall(text)) > _MANY_SYMBOLS * len(text) else factor


def _opening(words: list[str]) -> float:
    if not words:
        return 1.0
    return 0.7 if words[0] in CHATTER else 0.85 if words[0] in _VAGUE else 1.0
