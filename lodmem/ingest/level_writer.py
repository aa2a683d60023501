"""Summary and headline by a language model: two calls, one task each, and each is checked before it replaces what was there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lodmem.errors import ModelRefused
from lodmem.ingest.answers import plain
from lodmem.ingest.prompting import ask, load
from lodmem.model.memory import Levels, Memory
from lodmem.ports import Language, TokenCounter
from lodmem.text.compress import (
    MAX_KEYWORDS,
    MAX_SUMMARY_TOKENS,
    SEPARATOR,
    SHORT_SHARE,
    SUMMARY_SHARE,
    join_headline,
)
from lodmem.text.faithful import invented, support
from lodmem.text.keywords import keywords
from lodmem.text.sentences import sentences
from lodmem.text.trim import MAX_HEADLINE_WORDS, cut_words
from lodmem.text.units import read

SUMMARY, HEADLINE = "summary", "headline"
MAX_SOURCE_TOKENS = 20_000  # leaves room in a context of 32k

_WORDS_PER_TOKEN = 0.7
_LEAST_TOKENS = 30  # a shorter summary is hardly a sentence
_SHARE_FROM, _SHARE_TO = 0.05, 0.35  # what passes for about a fifth
_LONGEST_SHARE = 0.8
_LEAST_SUPPORT = 0.4  # share of its words that the text has; small models also write about writing summaries
_READ_WHOLE = 2_000  # a headline is written from the text itself up to so many tokens, then from its summary
_SPARE_TOKENS = 256


@dataclass(frozen=True, slots=True)
class Kept:
    """The level that was there stays, for this reason (one of a few)."""

    reason: str


def levels_of(memory: Memory) -> Levels:
    """The levels that a memory has."""
    return Levels(
        memory.summary,
        memory.headline,
        memory.written_by,
        memory.tokens_full,
        memory.tokens_summary,
        memory.tokens_headline,
    )


def write_summary(full: str, levels: Levels, language: Language, counter: TokenCounter) -> Levels | Kept:
    """The levels with a summary by the model for that task. Raises ModelError; a refusal is a reason to keep."""
    if levels.tokens_full > MAX_SOURCE_TOKENS:
        return Kept("too long for the model")
    target = max(_LEAST_TOKENS, min(MAX_SUMMARY_TOKENS, SUMMARY_SHARE * levels.tokens_full))
    model = language.model_for(SUMMARY)
    words = round(target * _WORDS_PER_TOKEN)
    try:
        summary = ask(model, load(SUMMARY), plain, max_tokens=round(2 * target) + _SPARE_TOKENS, text=full, words=words)
    except ModelRefused:
        return Kept("refused")
    if summary is None:
        return Kept("no usable answer")
    tokens = counter.count(summary)
    if fault := _summary_fault(summary, tokens, full, levels.tokens_full):
        return Kept(fault)
    lead, _, said = levels.headline.partition(SEPARATOR)
    headline, tokens_headline = _fitted(lead, said.split(", ") if said else [], counter, tokens)
    if tokens_headline > tokens:
        return Kept("shorter than the headline")
    return replace(
        levels,
        summary=summary,
        headline=headline,
        written_by=model.name,
        tokens_summary=tokens,
        tokens_headline=tokens_headline,
    )


def write_headline(full: str, levels: Levels, language: Language, counter: TokenCounter) -> Levels | Kept:
    """The levels with a headline by the model for that task, and our keywords after it. Raises like write_summary."""
    if levels.tokens_full > MAX_SOURCE_TOKENS:
        return Kept("too long for the model")
    text = full if levels.tokens_full <= _READ_WHOLE else levels.summary
    model = language.model_for(HEADLINE)
    try:
        lead = ask(model, load(HEADLINE), _one_line, max_tokens=_SPARE_TOKENS, text=text, words=MAX_HEADLINE_WORDS)
    except ModelRefused:
        return Kept("refused")
    if lead is None:
        return Kept("no usable answer")
    if fault := _headline_fault(lead, full):
        return Kept(fault)
    found = keywords(read(full), lead, MAX_KEYWORDS)
    headline, tokens = _fitted(lead, found, counter, levels.tokens_summary)
    if tokens > min(levels.tokens_summary, SHORT_SHARE * levels.tokens_full):
        return Kept("too long")
    return replace(levels, headline=headline, written_by=model.name, tokens_headline=tokens)


def _summary_fault(summary: str, tokens: int, full: str, tokens_full: int) -> str:
    """Why a summary may not stand; '' if it may."""
    most = min(max(_SHARE_TO * tokens_full, 2.0 * _LEAST_TOKENS), _LONGEST_SHARE * tokens_full, MAX_SUMMARY_TOKENS)
    if tokens > most or len(summary) >= len(full):
        return "too long"
    if tokens < _SHARE_FROM * tokens_full and tokens < MAX_SUMMARY_TOKENS / 4:
        return "too short"
    return _truth_fault(summary, full)


def _headline_fault(lead: str, full: str) -> str:
    if len(sentences(lead)) != 1:
        return "not one sentence"
    if cut_words(lead, MAX_HEADLINE_WORDS) != lead or len(lead.split()) > MAX_HEADLINE_WORDS:
        return "too long"
    return _truth_fault(lead, full)


def _truth_fault(text: str, full: str) -> str:
    if invented(text, full):
        return "says what the text does not"
    return "hardly about the text" if support(text, full) < _LEAST_SUPPORT else ""


def _one_line(answer: str) -> str | None:
    """The sentence, if the answer is one line; the separator of our keywords is not the model's to write."""
    found = plain(answer)
    if found is None or "\n" in found:
        return None
    return found.strip("*#_ ").replace(SEPARATOR, ", ") or None


def _fitted(lead: str, words: list[str], counter: TokenCounter, limit: int) -> tuple[str, int]:
    """The headline with as many of its keywords as fit, and its tokens."""
    words = list(words)
    while True:
        headline = join_headline(lead, words)
        tokens = counter.count(headline)
        if tokens <= limit or not words:
            return headline, tokens
        words.pop()
