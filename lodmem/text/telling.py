"""How much a sentence tells: facts against talk. Reads one sentence at a time and knows nothing of the text around it."""

from __future__ import annotations

import re
from functools import lru_cache

from lodmem.text.stopwords import CHATTER, DATING, FIRST_PERSON, FIRST_PERSON_DENSE, PAST

QUESTION_MARKS = ("?", "？", "?)", '?"')

_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
_VAGUE = frozenset({"it", "that", "this", "they", "these", "those", "he", "she", "there", "so", "and", "but", "or", "then"})
_STRESS = re.compile(
    r"\b(?:\w*(?:Error|Exception)|FAIL|[Ff]ailed|FATAL|CRITICAL|panic|[Dd]ecided|[Dd]ecision|TODO|must(?: not)?|never|always)\b"
)
_POINTER = re.compile(
    r"\b(?:(?:take|have|here'?s) a (?:look|pic|photo)|look at (?:this|that)|check (?:this|that|it) out|see (?:below|above)"
    r"|by the way)\b",
    re.IGNORECASE,
)
_FRAME = re.compile(r"File \".*\", line \d|at \S+\(|Traceback |During handling|The above exception")
_THROWN = re.compile(r"(?:Caused by: )?(?:\w+\.)*[A-Z]\w*[a-z]\w*: \S.*")
_SYMBOL = re.compile(r"[=(){}\[\]<>;\\|@_$%^&*+/]")
_MANY_SYMBOLS = 0.06


@lru_cache(maxsize=1 << 14)
def telling(text: str) -> float:
    """How likely a sentence is to be asked for later, 1 and up: it gives a date, tells of oneself, reports, or sets a topic."""
    words = set(_WORD.findall(text.lower()))
    factor = 1.0
    if _dates(words):
        factor *= 2.5
    if _is_personal(text, words):
        factor *= 1.8
    if not words.isdisjoint(PAST) or any(word.endswith("ed") and len(word) > 4 for word in words):
        factor *= 1.4
    if text.endswith(QUESTION_MARKS):
        factor *= 2.5
    return factor


def substance(text: str) -> float:
    """Factor for showing a sentence: above 1 for facts, decisions and failures, below for questions, greetings and code."""
    words = _WORD.findall(text.lower())
    return _facts(text, set(words)) * _form(text) * _opening(words)


def _facts(text: str, words: set[str]) -> float:
    factor = 1.25 if _DIGIT.search(text) or _dates(words) else 1.0
    if _is_personal(text, words):
        factor *= 1.2
    return factor * 1.3 if _STRESS.search(text) else factor


def _form(text: str) -> float:
    factor = 0.5 if text.endswith(QUESTION_MARKS) else 1.0
    if _POINTER.search(text) or _FRAME.match(text):
        factor *= 0.4
    if _THROWN.match(text):
        return factor * 1.5
    return factor * 0.6 if len(_SYMBOL.findall(text)) > _MANY_SYMBOLS * len(text) else factor


def _opening(words: list[str]) -> float:
    if not words:
        return 1.0
    return 0.7 if words[0] in CHATTER else 0.85 if words[0] in _VAGUE else 1.0


def _dates(words: set[str]) -> bool:
    return not words.isdisjoint(DATING) or any(len(word) == 4 and word.isdecimal() for word in words)


def _is_personal(text: str, words: set[str]) -> bool:
    return not words.isdisjoint(FIRST_PERSON) or (not text.isascii() and not FIRST_PERSON_DENSE.isdisjoint(text))
