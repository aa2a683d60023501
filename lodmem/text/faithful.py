"""What a text says that its source does not: names, numbers, words. Knows nothing of grammar, and asks no model.

It is strict: a name or number in another form than the source's counts as invented, since only a rejected text is at stake.
"""

from __future__ import annotations

import re

from lodmem.text.sentences import sentences
from lodmem.text.stems import stem
from lodmem.text.stopwords import CHATTER, COMMON, FOREIGN, STOP
from lodmem.text.tokens import index_terms

_WORD = re.compile(r"[^\W\d_][^\W_]*(?:[’'.-][^\W_]+)*")
_NUMBER = re.compile(r"\d+(?:[.,:/’'–-]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:[,’']\d{3})+(?:\.\d+)?")
_BETWEEN = re.compile(r"[:/–-]")
_OPENING = re.compile(r"(?:^|[.!?:;…\n])[\"'“”‘’«»(\[*_#>\s-]*$")


def _words(text: str) -> list[str]:
    return text.split()


# Words that an account begins with: who writes one puts them there, not the source.
_TELLING = frozenset(
    _words(
        """
        account adds analysis argues asks concerns conversation covers defines describes details discusses discussion documents
        enables explains fixes gives includes introduces lists mentions moves notes outlines overview plans proposes provides
        recommends removes reports requests reviews says shows states suggests summarizes summary tells updates uses user wants
        """
    )
)
_TELLING_ENDS = ("ed", "ing", "ly", "tion")
_SPELLED = {
    word: str(value)
    for value, word in enumerate(
        _words(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
            " eighteen nineteen twenty"
        )
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"}
_ASKED = _SPELLED.keys() - {"zero", "one"}  # "one" is mostly a pronoun


def invented(text: str, source: str) -> list[str]:
    """Names and numbers of `text` that `source` does not have, in order, each once. A name is a word with a capital that does
    not merely open its sentence, or one that opens it and is no word that accounts begin with."""
    return list(dict.fromkeys([*_numbers(text, source), *_names(text, source)]))


def support(text: str, source: str) -> float:
    """Share of the text's different index terms that the source has too, 0 to 1; 1 for a text without any."""
    terms = set(index_terms(text))
    return len(terms & set(index_terms(source))) / len(terms) if terms else 1.0


def _numbers(text: str, source: str) -> list[str]:
    known = _known_numbers(source)
    found = []
    for match in _NUMBER.finditer(text):
        parts = {_plain(part) for part in _BETWEEN.split(match[0])}
        if _plain(match[0]) not in known and (len(parts) == 1 or not parts <= known):
            found.append(match[0])
    return found + [word for word in _WORD.findall(text) if word.lower() in _ASKED and _SPELLED[word.lower()] not in known]


def _known_numbers(source: str) -> set[str]:
    known = {_SPELLED[word] for word in map(str.lower, _WORD.findall(source)) if word in _SPELLED}
    for match in _NUMBER.finditer(source):
        known.add(_plain(match[0]))
        known.update(_plain(part) for part in _BETWEEN.split(match[0]))
    return known


def _plain(number: str) -> str:
    """A number without separators of thousands and leading zeros."""
    plain = re.sub(r"[,’']", "", number) if _GROUPED.fullmatch(number) else number
    return plain.lstrip("0") or "0" if plain.isdigit() else plain


def _names(text: str, source: str) -> list[str]:
    words = {_low(word) for word in _WORD.findall(source)}
    words |= {part for word in words for part in re.split(r"[’'.-]", word)}
    stems = {stem(word) for word in words if word}
    openings = {start for start, _ in sentences(text)}
    found = []
    for match in _WORD.finditer(text):
        word = match[0]
        if word == word.lower():
            continue
        opens = match.start() in openings or _OPENING.search(text[max(0, match.start() - 20) : match.start()]) is not None
        if not _is_known(_low(word), words, stems) and not (opens and word[1:] == word[1:].lower() and _may_open(word.lower())):
            found.append(word)
    return found


def _is_known(low: str, words: set[str], stems: set[str]) -> bool:
    if low in words or low in STOP or stem(low) in stems:
        return True
    parts = re.split(r"[’'.-]", low)
    return len(parts) > 1 and all(part in words or part in STOP for part in parts)


def _may_open(low: str) -> bool:
    if low in STOP or low in COMMON or low in CHATTER or low in FOREIGN or low in _TELLING:
        return True
    return len(low) > 4 and low.endswith(_TELLING_ENDS)


def _low(word: str) -> str:
    low = word.lower().replace("’", "'")
    return low[:-2] if low.endswith("'s") else low
