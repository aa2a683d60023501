"""Clauses of a text that may state a fact: who says them, what they speak of, and whether they assert, hope or ask.

Code, quotes and tables are passed over. It knows no values and compares nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lodmem.text.sentences import sentences
from lodmem.text.stopwords import COMMON, STOP
from lodmem.text.tokens import index_terms

MAX_CHARS = 40_000  # of a longer text the rest is not read
MAX_SENTENCES = 400


def words(text: str) -> list[str]:
    """The words of a list that is written as one text."""
    return text.split()


_LABEL = re.compile(r"\A\s*([\w.'’ -]{1,40}):\s")
CAPTION = re.compile(r"\[[^\]]{0,300}\]")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CODE = re.compile(r"[{}<>\[\]|=;\\`]|//|\w\(|->|\A\s*(?:[>#$|]|import |def |class |const |let |var )")
_BORDER = re.compile(
    r"[;()]|[:,—–](?!\d)|\s-\s|\b(?:and|but|so|because|since|while|although|though|which|who|whereas|considering|especially"
    r"|by the way|however)\b(?!\s*\d)",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:if|would|could|should|might|perhaps|maybe|want|wants|wanted|hope|hoping|goal|aim|aiming|target|plan to"
    r"|planning to|planning on"
    r"|wish|example|suppose|imagine|let'?s|thinking of|thinking about|wonder|wondering|ideally)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\A\W*(?:and |but |so |also |then )?(?:(?:can|could|would|will|do|does|did|is|are|was|were|have|has|should|shall|may)\s"
    r"(?:you|i|we|it|there|that|this|they|he|she|the|my|any)\b|what|how|why|when|where|who|which|any (?:tips|ideas|advice))",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\A\W*(?:which|who|where|when)\b", re.IGNORECASE)
WEAK = 0.25


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence with its place in it. `terms` are its own index terms, `near` those of the whole sentence, `wide`
    those of the sentence before it too."""

    text: str
    sentence: str
    start: int
    terms: frozenset[str]
    near: frozenset[str]
    wide: frozenset[str]
    hedged: bool
    asks: bool


def speaker_of(text: str) -> str:
    """The label before the text ('user', 'Anna'), lower case; '' without one."""
    match = _LABEL.match(text[:60])
    return match[1].strip().lower() if match else ""


def clauses(text: str) -> Iterator[Clause]:
    """The clauses of the prose of a text, in order; of a long text those of its first part."""
    body = CAPTION.sub(" ", _FENCE.sub("\n", text[:MAX_CHARS]))
    label = _LABEL.match(body[:60])
    if label:
        body = body[label.end() :]
    before: frozenset[str] = frozenset()
    for start, stop in sentences(body)[:MAX_SENTENCES]:
        sentence = body[start:stop]
        if len(_CODE.findall(sentence)) > 2 or len(sentence) < 8:
            continue
        near = terms_of(sentence)
        for at, piece in _pieces(sentence):
            asks = bool(_ASKS.match(piece)) and not (at and _RELATIVE.match(piece))
            yield Clause(piece, sentence, at, terms_of(piece), near, near | before, bool(_HEDGE.search(piece)), asks)
        before = near


def _pieces(sentence: str) -> Iterator[tuple[int, str]]:
    start = 0
    for border in _BORDER.finditer(sentence):
        if border.start() - start >= 12:
            yield start, sentence[start : border.start()]
            start = border.start()
    if len(sentence) > start:
        yield start, sentence[start:]


@lru_cache(maxsize=1 << 13)
def terms_of(text: str) -> frozenset[str]:
    """Index terms of a text, each once, without pure numbers."""
    return frozenset(term for term in index_terms(text) if not term.isdigit())


@lru_cache(maxsize=1 << 14)
def weight(term: str) -> float:
    """How much a shared term says about two sentences speaking of the same thing."""
    return WEAK if term in _COMMON_TERMS or len(term) < 3 else 1.0


_COMMON_TERMS = frozenset(t for word in (*COMMON, *STOP) for t in index_terms(word)) | frozenset(
    t
    for word in words(
        "help try tri good great thing get go make want need know think look use find start really also like "
        "new recently now currently already time day week month year today last first next plan work add "
        "include ensure provide give take best way question understand improve complete completed total "
        "number able feel sure create learn set try trying considering recent reach reached increase "
        "increased become spend spent goal different various lot got able"
    )
    for t in index_terms(word)
)
