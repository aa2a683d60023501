"""Levels of detail of a text, by extraction alone: a summary of whole sentences and a headline. Knows no model and no query.

The summary is about a fifth of the text in tokens, chosen by maximal marginal relevance over fact-weighted terms, in the text's
order. The headline is one short sentence and the keywords that it lacks. A short text is its own summary and headline.
"""

from __future__ import annotations

import re

from lodmem.model.memory import Levels
from lodmem.ports import TokenCounter
from lodmem.text.keywords import keywords
from lodmem.text.stopwords import CHATTER, ROLES
from lodmem.text.units import Reading, Unit, read, without_marker

SHORT_TOKENS = 40
SHORT_SHARE = 0.6
SUMMARY_SHARE = 0.2
MAX_SUMMARY_TOKENS = 2000
MAX_HEADLINE_WORDS = 20
MAX_KEYWORDS = 8
SEPARATOR = " · "

_DIVERSITY = 0.5
_PATIENCE = 20
_WORD = re.compile(r"\S+")
_CLAUSE_END = re.compile(r"[,;:–—][\"')\]]*$|^[–—-]+$")
_CONNECTIVES = {
    "and",
    "but",
    "because",
    "so",
    "which",
    "who",
    "while",
    "when",
    "where",
    "since",
    "though",
    "although",
    "if",
    "after",
}
_OPENINGS = CHATTER | {"well", "so", "by", "and", "oh", "anyway", "also"}


def is_short(tokens_full: int, tokens_headline: int) -> bool:
    """Whether one text stands for all three levels: at most 40 tokens, or the headline would cost more than 60 % of it."""
    return tokens_full <= SHORT_TOKENS or tokens_headline > SHORT_SHARE * tokens_full


def make_levels(text: str, counter: TokenCounter) -> Levels:
    """Summary and headline of a text, deterministic, `written_by` 'extractive'; a short text's own, `written_by` 'source'.

    The summary has about 20 % of the text's tokens, at most 2,000 and about as many as the headline at least, and never more
    than the text.
    """
    tokens_full = counter.count(text)
    if tokens_full <= SHORT_TOKENS:
        return _own(text, tokens_full)
    reading = read(text)
    if not any(unit.score > 0.0 for unit in reading.units):
        return _own(text, tokens_full) if tokens_full <= 4 * SHORT_TOKENS else _shapeless(text, tokens_full, counter)
    headline = make_headline(reading)
    costs = counter.counts([headline, *(unit.text for unit in reading.units)])
    tokens_headline = costs[0]
    if is_short(tokens_full, tokens_headline):
        return _own(text, tokens_full)
    target = min(MAX_SUMMARY_TOKENS, max(SUMMARY_SHARE * tokens_full, tokens_headline))
    summary = render(pick(reading.units, costs[1:], target))
    tokens_summary = counter.count(summary)
    if tokens_summary > 0.8 * tokens_full:
        summary = cut_words(summary, max(8, len(summary.split()) // 3))
        tokens_summary = counter.count(summary)
    return Levels(summary, headline, "extractive", tokens_full, tokens_summary, tokens_headline)


def _own(text: str, tokens: int) -> Levels:
    return Levels(text, text, "source", tokens, tokens, tokens)


def _shapeless(text: str, tokens_full: int, counter: TokenCounter) -> Levels:
    """Levels of a long text with nothing to say, e.g. rulers or emoji: its beginning."""
    beginning = " ".join(text[:200].split())[:60] + "…"
    tokens = counter.count(beginning)
    return Levels(beginning, beginning, "extractive", tokens_full, tokens, tokens)


def make_headline(reading: Reading) -> str:
    """One sentence of at most 20 words, then up to 8 keywords that it lacks."""
    best = max(range(len(reading.units)), key=lambda number: (_headline_worth(reading, number), -number))
    unit = reading.units[best]
    lead = headline_sentence(unit.text)
    if unit.speaker and unit.speaker.lower() not in ROLES:
        lead = f"{unit.speaker}: {lead}"
    words = keywords(reading, lead, MAX_KEYWORDS)
    return lead + SEPARATOR + ", ".join(words) if words else lead


def _headline_worth(reading: Reading, number: int) -> float:
    unit = reading.units[number]
    length = len(unit.words)
    worth = unit.score
    if length > MAX_HEADLINE_WORDS:
        worth *= 0.7
    elif length < 4:
        worth *= 0.6
    return worth


def headline_sentence(text: str) -> str:
    """The sentence fit for a headline: no marker or greeting before it, at most 20 words, cut at a clause with an ellipsis."""
    return cut_words(without_greeting(without_marker(text)), MAX_HEADLINE_WORDS)


def without_greeting(text: str) -> str:
    """The sentence without the interjection or address it opens with, e.g. 'Hey Anna, '."""
    for _ in range(2):
        opening, comma, rest = text.partition(", ")
        words = opening.split()
        if not comma or len(words) > 3 or len(rest.split()) < 4 or words[0].lower().strip("!.") not in _OPENINGS:
            break
        text = rest
    return text


def cut_words(text: str, limit: int) -> str:
    """At most `limit` words of the text, cut after a clause where one ends in its second half, with an ellipsis for the rest."""
    spans = [match.span() for match in _WORD.finditer(text)]
    if len(spans) <= limit and len(text) <= limit * 12:
        return text
    keep = 0
    for number in range(min(limit, len(spans)), 0, -1):
        if spans[number - 1][1] <= limit * 12:
            keep = number
            break
    if keep == 0:
        return text[: limit * 6].rstrip() + "…"
    for number in range(keep, keep // 2, -1):
        following = text[slice(*spans[number])].lower() if number < len(spans) else ""
        if _CLAUSE_END.search(text[slice(*spans[number - 1])]) or following in _CONNECTIVES:
            keep = number
            break
    return text[: spans[keep - 1][1]].rstrip(" ,;:–—-") + "…"


def pick(units: list[Unit], costs: list[int], target: float) -> list[Unit]:
    """Units of together about `target` tokens, in order: best score first, each lowered by what the chosen ones already say."""
    holders: dict[str, list[int]] = {}
    for number, unit in enumerate(units):
        for term in unit.terms:
            holders.setdefault(term, []).append(number)
    shared = [0] * len(units)
    free = {number for number, unit in enumerate(units) if unit.score > 0.0}
    chosen: list[int] = []
    used = 0

    def worth(number: int) -> tuple[float, int]:
        unit = units[number]
        return unit.score * (1.0 - _DIVERSITY * shared[number] / len(unit.terms)), -number

    passed_over = 0
    while free and used < target and passed_over < _PATIENCE:
        best = max(free, key=worth)
        free.discard(best)
        if chosen and used + costs[best] > 1.1 * target:
            passed_over += 1
            continue
        chosen.append(best)
        used += costs[best]
        for term in units[best].terms:
            for number in holders.pop(term, ()):
                shared[number] += 1
    return [units[number] for number in sorted(chosen)]


def render(units: list[Unit]) -> str:
    """The units as text: a speaker is named where the turn changes, units of different lines stand on their own lines."""
    lines: list[str] = []
    speaker = ""
    for unit in units:
        if unit.speaker != speaker:
            speaker = unit.speaker
            lines.append(f"{speaker}: {unit.text}" if speaker else unit.text)
        elif lines:
            lines[-1] += " " + unit.text
        else:
            lines.append(unit.text)
    return "\n".join(lines)
