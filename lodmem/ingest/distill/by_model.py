"""Patterns by a language model: extract, refine, importance, one task a call. Each is checked against the episodes.

An answer that is no use is asked for once more; then the batch is given up (extract, refine), or the heuristic stands in
(importance). Nothing is lost: the episodes are there, and `again` takes them up once more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from lodmem.errors import ModelRefused
from lodmem.ingest.answers import number_list, one_number, plain, text_list
from lodmem.ingest.distill.found import Found, episodes_of, has_quality
from lodmem.ingest.distill.principles import fitted
from lodmem.ingest.distill.sayings import advises
from lodmem.ingest.episodes import importance_of
from lodmem.ingest.prompting import ask, load
from lodmem.ports import Language

EXTRACT, REFINE, IMPORTANCE = "extract", "refine", "pattern-importance"
MAX_BATCH_TOKENS = 8_000  # a quarter of 32k: the answer and a generous count of other tokenizers fit beside it
MAX_PATTERNS = 40  # of one batch; more is a list of everything
_EXTRACT_TOKENS, _REFINE_TOKENS, _NUMBER_TOKENS = 1500, 2000, 64
_NONE = re.compile(r"\W*(?:none|nothing(?: (?:is )?worth keeping)?|no patterns?)\W*\Z", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\W*(?:i['’]?m (?:sorry|afraid)|i am (?:sorry|afraid|unable)|sorry,|i (?:can['’]?t|cannot|won['’]?t)|as an ai\b"
    r"|unfortunately)",
    re.IGNORECASE,
)


class Modelled:
    """What a batch came to. `counts`: extracted, rejected, unfaithful, unparsable; `failed`: nothing could be made of it."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self.counts: Counter[str] = Counter()
        self.failed = False


def distil(text: str, episodes: Mapping[int, str], language: Language, principles: str) -> Modelled:
    """Patterns of a batch whose `text` the model reads; `episodes`: full texts by id.

    Raises: ModelUnavailable, SpendCapReached.
    """
    out = Modelled()
    patterns = _patterns(text, language, principles)
    if patterns is None:
        out.failed = True
        out.counts["unparsable"] += 1
        return out
    out.counts["extracted"] += len(patterns)
    kept: list[tuple[str, tuple[int, ...]]] = []
    for pattern in dict.fromkeys(" ".join(each.split()) for each in patterns[:MAX_PATTERNS]):
        if not has_quality(pattern) or advises(pattern):
            out.counts["rejected"] += 1
        elif not (came_from := episodes_of(pattern, episodes)):
            out.counts["unfaithful"] += 1
        else:
            kept.append((pattern, came_from))
    out.counts["rejected"] += max(0, len(patterns) - MAX_PATTERNS)
    numbers = _importances([pattern for pattern, _ in kept], language, principles, out.counts) if kept else []
    out.found = [Found(pattern, came, number) for (pattern, came), number in zip(kept, numbers, strict=True)]
    return out


def _patterns(text: str, language: Language, principles: str) -> list[str] | None:
    """The refined patterns; None where an answer was no use, or refused."""
    try:
        prompt = load(EXTRACT)
        model = language.model_for(EXTRACT)
        notes = ask(model, prompt, _notes, max_tokens=_EXTRACT_TOKENS, text=text, principles=fitted(principles, prompt))
        if notes is None or _NONE.match(notes):
            return None if notes is None else []
        prompt = load(REFINE)
        model = language.model_for(REFINE)
        return ask(model, prompt, _refined, max_tokens=_REFINE_TOKENS, text=notes, principles=fitted(principles, prompt))
    except ModelRefused:
        return None


def _notes(answer: str) -> str | None:
    found = plain(answer)
    return found if found is not None and any(map(str.isalnum, found)) and not _REFUSAL.match(found) else None


def _refined(answer: str) -> list[str] | None:
    found = text_list(answer)
    return None if found is None else [each.strip() for each in found if each.strip()]


def _importances(patterns: Sequence[str], language: Language, principles: str, counts: Counter[str]) -> list[float]:
    """One number a pattern; where the model gives another count of them, one by one."""
    numbers = _asked(patterns, language, principles)
    if numbers is not None and len(numbers) == len(patterns):
        return numbers
    found: list[float] = []
    for pattern in patterns:
        one = _asked([pattern], language, principles)
        if one is None or len(one) != 1:
            counts["unparsable"] += 1
            one = [importance_of(pattern)]
        found += one
    return found


def _asked(patterns: Sequence[str], language: Language, principles: str) -> list[float] | None:
    prompt = load(IMPORTANCE)

    def read(answer: str) -> list[float] | None:
        numbers = number_list(answer)
        if numbers is None and len(patterns) == 1:
            one = one_number(answer, 0.0, 1.0)
            numbers = None if one is None else [one]
        return numbers if numbers is not None and all(0.0 <= number <= 1.0 for number in numbers) else None

    listed = "\n".join(f"- {pattern}" for pattern in patterns)
    room = _NUMBER_TOKENS + 12 * len(patterns)
    try:
        return ask(
            language.model_for(IMPORTANCE), prompt, read, max_tokens=room, text=listed, count=len(patterns),
            principles=fitted(principles, prompt),
        )  # fmt: skip
    except ModelRefused:
        return None
