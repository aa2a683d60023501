"""Summary and headline drawn towards a query: the memory's own sentences that answer it best. Knows no store and no score.

A sentence is worth the weight (idf) of the query terms it holds, and a part of those just said before it, since a reply is
understood by what it answers; what is said already is worth less again. Nothing is rewritten: sentences are shown whole and in
order, or cut around the words that matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from lodmem.ports import TokenCounter
from lodmem.text.compress import MAX_KEYWORDS, join_headline, render
from lodmem.text.stopwords import ROLES
from lodmem.text.telling import telling
from lodmem.text.tokens import DENSE, index_terms
from lodmem.text.trim import ELLIPSIS, MAX_HEADLINE_WORDS, headline_sentence
from lodmem.text.units import Unit, split

# What a query term is worth: said already; the name of somebody who speaks here; said one and two sentences earlier; the name
# of the one who speaks. And what any word is worth.
_COVERED = 0.4
_NAMED = 0.2
_EARLIER = (0.3, 0.2)
_SPOKEN = 0.1
_GENERAL = 0.007
_DENSITY = 0.25
_TOKENS_PER_WORD = 1.35
_LONG = 20_000
_PIECE = 4_000
_PIECES = 5
_CHARS_PER_WORD = 12
_ROUNDING = 1e-9
_WORD = re.compile(r"\S+")
# A word, or two characters of a script without spaces; the one that follows makes the pair over the border.
_PART = re.compile(rf"[{DENSE}]{{1,2}}|[^\s{DENSE}]+")


@dataclass(slots=True)
class _Candidate:
    """A sentence; `gains` maps the query terms that it holds, and in part those of the two before it, to their worth here."""

    unit: Unit
    held: frozenset[str]
    gains: dict[str, float]
    general: float
    cost: float


def face_summary(full: str, weights: Mapping[str, float], *, max_tokens: int, counter: TokenCounter) -> str | None:
    """Sentences of `full` that say most about the weighted index terms, in order, of at most `max_tokens` together.

    None when no sentence holds any of the terms, or none that does fits. Sentences that add nothing to the query fill the room
    that is left.
    """
    candidates = _candidates(full, weights)
    if not candidates:
        return None
    order = _choose(candidates, max_tokens)
    while any(candidates[number].held for number in order):
        text = render([candidates[number].unit for number in sorted(order)])
        if counter.count(text) <= max_tokens:
            return text
        order.pop()
    return _fitted(_best(candidates), weights, max_tokens, counter)


def face_headline(full: str, weights: Mapping[str, float], *, max_tokens: int, counter: TokenCounter) -> str | None:
    """The sentence of `full` that says most about the weighted index terms, then up to 8 words of other sentences that match.

    At most 20 words before the separator, cut around the matching ones, and at most `max_tokens` in all. None when no sentence
    holds any of the terms, or nothing fits.
    """
    candidates = _candidates(full, weights)
    if not candidates:
        return None
    best = _best(candidates)
    lead = _fitted(best, weights, max_tokens, counter)
    if lead is None:
        return None
    words = _matching_words(candidates, weights, said=set(index_terms(lead)))
    while words:
        text = join_headline(lead, words)
        if counter.count(text) <= max_tokens:
            return text
        words.pop()
    return lead


def _candidates(full: str, weights: Mapping[str, float]) -> list[_Candidate]:
    """The sentences of the text in order; none when not one of them holds a term."""
    units = [unit for start, stop in _parts(full, weights) for unit in split(full[start:stop])]
    said = [set(index_terms(unit.text)) for unit in units]
    if all(weights.keys().isdisjoint(terms) for terms in said):
        return []
    names = {name: frozenset(index_terms(name)) & weights.keys() for name in {unit.speaker for unit in units} if name}
    speakers = frozenset().union(*names.values())
    found: list[_Candidate] = []
    earlier: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    for unit, terms in zip(units, said, strict=True):
        held = frozenset(terms & weights.keys())
        gains = {term: weights[term] * (_NAMED if term in speakers else 1.0) for term in held}
        for share, before in zip(_EARLIER, earlier, strict=True):
            for term in before - speakers:
                gains.setdefault(term, share * weights[term])
        general = _GENERAL * min(len(terms), 12) * (0.4 if unit.text.endswith("?") else 1.0) * telling(unit.text)
        general += _SPOKEN * fsum(weights[term] for term in names.get(unit.speaker, ()))
        words = max(unit.text.count(" ") + 1, len(unit.text) / 8)
        found.append(_Candidate(unit, held, gains, general, _TOKENS_PER_WORD * words + 1))
        earlier = (held, earlier[0])
    return found


def _parts(full: str, weights: Mapping[str, float]) -> list[tuple[int, int]]:
    """All of a text of ordinary length; of a long one the five pieces with most of the query's words, in order."""
    if len(full) <= _LONG:
        return [(0, len(full))]
    stems = [_loosely(term) for term in sorted(weights)]
    pieces: dict[int, dict[str, float]] = {}
    for match in re.finditer("|".join(stems), full, re.IGNORECASE) if stems else ():
        pieces.setdefault(match.start() // _PIECE, {})[match[0].lower()] = 1.0
    ranked = sorted(pieces, key=lambda piece: (-len(pieces[piece]), piece))[:_PIECES]
    parts: list[tuple[int, int]] = []
    for piece in sorted(ranked):
        start, stop = piece * _PIECE, min(len(full), (piece + 1) * _PIECE)
        start = max(full.rfind("\n", max(0, start - 600), start), full.rfind(" ", max(0, start - 100), start), 0)
        parts.append((start if not parts else max(start, parts[-1][1]), stop))
    return parts


def _loosely(term: str) -> str:
    """Pattern of the words that may have this stem, good enough to find the pieces worth reading."""
    if len(term) > 3:
        return re.escape(term[:-1])
    return rf"\b{re.escape(term)}\b" if term.isascii() else re.escape(term)


def _worth(candidate: _Candidate, covered: set[str]) -> float:
    gain = fsum(gain * _COVERED if term in covered else gain for term, gain in candidate.gains.items())
    worth: float = (gain + candidate.general) / candidate.cost**_DENSITY
    return worth


def _choose(candidates: list[_Candidate], max_tokens: int) -> list[int]:
    """Numbers of the chosen, best first, of about `max_tokens` by estimate."""
    covered: set[str] = set()
    worths = [_worth(candidate, covered) for candidate in candidates]
    free = set(range(len(candidates)))
    order: list[int] = []
    used = 0.0
    while free := {number for number in free if used + candidates[number].cost <= max_tokens}:
        best = max(free, key=lambda number: (worths[number], -number))
        free.discard(best)
        candidate = candidates[best]
        order.append(best)
        used += candidate.cost
        news = candidate.held - covered
        if news:
            covered |= news
            for number in free:
                if not news.isdisjoint(candidates[number].gains):
                    worths[number] = _worth(candidates[number], covered)
    return order


def _best(candidates: list[_Candidate]) -> _Candidate:
    """The sentence for a headline: most of the query; it holds one of the terms itself."""

    def worth(number: int) -> tuple[float, int]:
        candidate = candidates[number]
        return fsum(candidate.gains.values()) + candidate.general, -number

    return candidates[max((number for number in range(len(candidates)) if candidates[number].held), key=worth)]


def _fitted(candidate: _Candidate, weights: Mapping[str, float], max_tokens: int, counter: TokenCounter) -> str | None:
    """The sentence with its speaker, cut around the matching words to 20 words and to `max_tokens`; None when nothing fits."""
    name = candidate.unit.speaker
    prefix = f"{name}: " if name and name.lower() not in ROLES else ""
    text = candidate.unit.text
    whole = headline_sentence(text)
    if (
        not whole.endswith(ELLIPSIS)
        and candidate.held <= set(index_terms(whole))
        and counter.count(prefix + whole) <= max_tokens
    ):
        return prefix + whole
    limit = MAX_HEADLINE_WORDS
    while limit:
        window = _around(text, weights, limit)
        if not candidate.held.isdisjoint(index_terms(window)):
            for lead in (prefix, ""):
                if counter.count(lead + window) <= max_tokens:
                    return lead + window
        limit = limit * 2 // 3
    return None


def _around(text: str, weights: Mapping[str, float], limit: int) -> str:
    """At most `limit` words and 12 characters a word of the text, where the matching words weigh most; cuts are marked."""
    spans = [match.span() for match in _PART.finditer(text)]
    gains = [fsum(weights.get(term, 0.0) for term in set(index_terms(text[start : stop + 1]))) for start, stop in spans]
    limit = min(limit, len(spans))
    totals = [fsum(gains[start : start + limit]) for start in range(len(spans) - limit + 1)]
    most = max(totals) - _ROUNDING
    tied = [start for start, total in enumerate(totals) if total >= most]
    first = 0 if tied[0] == 0 else tied[len(tied) // 2]
    start, stop = spans[first][0], spans[first + limit - 1][1]
    if stop - start > limit * _CHARS_PER_WORD:
        start = next((begin for (begin, _), gain in zip(spans[first:], gains[first:], strict=True) if gain), start)
        stop = min(stop, start + limit * _CHARS_PER_WORD)
    return (ELLIPSIS if start else "") + text[start:stop] + (ELLIPSIS if stop < len(text) else "")


def _matching_words(candidates: list[_Candidate], weights: Mapping[str, float], said: set[str]) -> list[str]:
    """Words of the text that match a term which is not said yet, one a term, weightiest first, at most 8."""
    wanted = {term for candidate in candidates for term in candidate.held} - said
    forms: dict[str, str] = {}
    for candidate in candidates:
        if not wanted & candidate.held:
            continue
        for match in _WORD.finditer(candidate.unit.text):
            for term in index_terms(match[0]):
                if term in wanted and term not in forms:
                    forms[term] = match[0].strip(".,;:!?\"'()[]{}*_`“”‘’…")
    order = sorted(forms, key=lambda term: (-weights[term], term))
    return list(dict.fromkeys(forms[term] for term in order if forms[term]))[:MAX_KEYWORDS]
