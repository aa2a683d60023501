"""One sentence made shorter: greetings taken off its front, its end cut at a clause. Knows no other sentence and no tokens."""

from __future__ import annotations

import re

from lodmem.text.stopwords import CHATTER, CONNECTIVES
from lodmem.text.tokens import DENSE

MAX_HEADLINE_WORDS = 20
ELLIPSIS = "…"

_MARKER = re.compile(r"(?:[-*+•‣◦▪·]|#{1,6}|>+|\d{1,3}[.)])\s+")
_PIECE = re.compile(rf"([{DENSE}])|[^\s{DENSE}]+")
_CLAUSE_END = re.compile(r"[,;:–—、，；：。！？][\"')\]]*$|^[–—-]+$")
_OPENINGS = CHATTER | {"well", "so", "by", "and", "oh", "anyway", "also"}
_CHARS_PER_WORD = 12
_DANGLING = " ,;:–—-、，；："


def headline_sentence(text: str) -> str:
    """The sentence fit for a headline: no list mark or greeting before it, and at most 20 words, cut at a clause."""
    return cut_words(without_greeting(without_marker(text)), MAX_HEADLINE_WORDS)


def without_marker(text: str) -> str:
    """The text without a list, heading or quote mark before it."""
    return _MARKER.sub("", text, count=1) if _MARKER.match(text) else text


def without_greeting(text: str) -> str:
    """The sentence without the interjections or address it opens with, e.g. 'Hey Anna, ', where enough follows."""
    for _ in range(2):
        opening, comma, rest = text.partition(", ")
        words = opening.split()
        if not comma or not 0 < len(words) < 4 or len(rest.split()) < 4 or words[0].lower().strip("!.") not in _OPENINGS:
            break
        text = rest
    return text


def cut_words(text: str, limit: int) -> str:
    """At most `limit` words of the text, with an ellipsis for the rest, cut at a clause where one ends in its second half.

    Two characters of a script without spaces count as a word, and so do twelve characters of one long word.
    """
    if text.isascii() and len(text.split()) + len(text) / _CHARS_PER_WORD <= limit:
        return text
    size = 0.0
    end = clause = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        if size > limit / 2 and (_CLAUSE_END.search(text[:end][-3:]) or piece.lower() in CONNECTIVES):
            clause = end
        size += 0.5 if match[1] else max(1.0, len(piece) / _CHARS_PER_WORD)
        if size > limit:
            kept = text[: clause or end or limit * _CHARS_PER_WORD // 2]
            return kept.rstrip(_DANGLING) + ELLIPSIS
        end = match.end()
    return text
