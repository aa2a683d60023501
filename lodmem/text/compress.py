"""Levels of detail of a text, by extraction alone: a summary of whole sentences and a headline. Knows no model and no query.

The summary is about a fifth of the text in tokens, chosen by maximal marginal relevance over fact-weighted terms, in the text's
order. The headline is one short sentence and the keywords that it lacks. A short text is its own summary and headline.
"""

from __future__ import annotations

from collections.abc import Sequence

from lodmem.model.memory import Levels
from lodmem.ports import TokenCounter
from lodmem.text.keywords import keywords
from lodmem.text.stopwords import ASKING, ROLES
from lodmem.text.trim import MAX_HEADLINE_WORDS, cut_words, headline_sentence
from lodmem.text.units import Reading, Unit, read

SHORT_TOKENS = 40
SHORT_SHARE = 0.6
SUMMARY_SHARE = 0.2
MAX_SUMMARY_TOKENS = 2000
MAX_KEYWORDS = 8
SEPARATOR = " · "

_LARGEST_SHARE = 0.8
_FULLEST = 0.9
_DIVERSITY = 0.9
_PATIENCE = 20
_FIRST_REQUEST = 3.0
_TITLE = 4.0


def is_short(tokens_full: int, tokens_headline: int) -> bool:
    """Whether one text stands for all three levels: at most 40 tokens, or the headline would cost more than 60 % of it."""
    return tokens_full <= SHORT_TOKENS or tokens_headline > SHORT_SHARE * tokens_full


def make_levels(text: str, counter: TokenCounter, spans: Sequence[tuple[int, int]] | None = None) -> Levels:
    """Summary and headline of a text, deterministic, `written_by` 'extractive'; a short text's own, `written_by` 'source'.

    The summary has about 20 % of the text's tokens, at most 2,000 and about as many as the headline at least, and never more
    than the text. `spans`: the text's sentences, where they are known.
    """
    tokens_full = counter.count(text)
    if tokens_full <= SHORT_TOKENS:
        return _own(text, tokens_full)
    reading = read(text, spans)
    if not any(unit.score > 0.0 for unit in reading.units):
        return _own(text, tokens_full) if tokens_full <= 4 * SHORT_TOKENS else _shapeless(text, tokens_full, counter)
    lead, words = make_headline(reading)
    headline = join_headline(lead, words)
    tokens_headline = counter.count(headline)
    if is_short(tokens_full, tokens_headline):
        return _own(text, tokens_full)
    costs = counter.counts([unit.text for unit in reading.units])
    target = min(_FULLEST * MAX_SUMMARY_TOKENS, max(SUMMARY_SHARE * tokens_full, tokens_headline))
    summary, tokens_summary = _summarise(reading.units, costs, target, tokens_full, counter)
    while words and tokens_headline > tokens_summary:
        words.pop()
        headline = join_headline(lead, words)
        tokens_headline = counter.count(headline)
    return Levels(summary, headline, "extractive", tokens_full, tokens_summary, tokens_headline)


def _own(text: str, tokens: int) -> Levels:
    return Levels(text, text, "source", tokens, tokens, tokens)


def _shapeless(text: str, tokens_full: int, counter: TokenCounter) -> Levels:
    """Levels of a long text with nothing to say, e.g. rulers or emoji: its beginning."""
    beginning = " ".join(text[:200].split())[:60] + "…"
    tokens = counter.count(beginning)
    return Levels(beginning, beginning, "extractive", tokens_full, tokens, tokens)


def _summarise(units: list[Unit], costs: list[int], target: float, tokens_full: int, counter: TokenCounter) -> tuple[str, int]:
    """The summary and its tokens, at most 2,000 and clearly fewer than the text's; a longer single sentence is cut."""
    ceiling = min(MAX_SUMMARY_TOKENS, _LARGEST_SHARE * tokens_full)
    order = pick(units, costs, target)
    while True:
        summary = render([units[number] for number in sorted(order)])
        tokens = counter.count(summary)
        if tokens <= ceiling or len(order) == 1:
            break
        order.pop()
    limit = len(summary.split()) // 2
    while tokens > ceiling and limit > 1:
        summary = cut_words(summary, limit)
        tokens = counter.count(summary)
        limit //= 2
    return summary, tokens


def make_headline(reading: Reading) -> tuple[str, list[str]]:
    """One sentence of at most 20 words, and up to 8 keywords that it lacks."""
    best = max(range(len(reading.units)), key=lambda number: (_headline_worth(reading, number), -number))
    unit = reading.units[best]
    lead = headline_sentence(unit.text)
    if unit.speaker and unit.speaker.lower() not in ROLES:
        lead = f"{unit.speaker}: {lead}"
    return lead, keywords(reading, lead, MAX_KEYWORDS)


def join_headline(lead: str, words: list[str]) -> str:
    """The headline as it is stored and shown: the sentence, ` · `, the keywords joined by commas."""
    return lead + SEPARATOR + ", ".join(words) if words else lead


def _headline_worth(reading: Reading, number: int) -> float:
    unit = reading.units[number]
    length = len(unit.words)
    worth = unit.score
    if number == 0 and unit.speaker.lower() in ASKING:
        worth *= _FIRST_REQUEST
    if length > MAX_HEADLINE_WORDS:
        worth *= 0.7
    elif _is_title(reading, number):
        worth *= _TITLE
    elif length < 4:
        worth *= 0.6
    return worth


def _is_title(reading: Reading, number: int) -> bool:
    """Whether a unit looks like the title of the text: the first heading, or a first line alone that ends no sentence."""
    unit = reading.units[number]
    if unit.speaker or len(unit.terms) < 2:
        return False
    if unit.text.startswith("#"):
        return not any(earlier.text.startswith("#") for earlier in reading.units[:number])
    alone = number + 1 < len(reading.units) and reading.units[number + 1].line > unit.line
    return number == 0 and alone and unit.text[0].isalpha() and unit.text[-1] not in ".!?,;…。！？"


def pick(units: list[Unit], costs: list[int], target: float) -> list[int]:
    """Numbers of units of together about `target` tokens, best first, each lowered by what those before it already say."""
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
    return chosen


def render(units: list[Unit]) -> str:
    """The units as text: a speaker is named where the turn changes, units of different lines stand on their own lines."""
    lines: list[str] = []
    before: Unit | None = None
    for unit in units:
        if before is None or unit.speaker != before.speaker:
            lines.append(f"{unit.speaker}: {unit.text}" if unit.speaker else unit.text)
        elif unit.line != before.line:
            lines.append(unit.text)
        else:
            lines[-1] += " " + unit.text
        before = unit
    return "\n".join(lines)
