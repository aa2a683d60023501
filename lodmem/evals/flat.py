"""Flat lists: whole texts in order of relevance until the tokens are spent, each on a line as a landscape writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lodmem.engine import Engine
from lodmem.model.memory import Tier
from lodmem.ports import TokenCounter
from lodmem.retrieval import render

# Nobody lists more: at 32,000 tokens the shortest turns end long before.
DEPTH = 2000


@dataclass(frozen=True, slots=True)
class Line:
    """One memory in full: `tokens` of its whole line, `label_tokens` of what stands before the text."""

    id: int
    tokens: int
    label_tokens: int


@dataclass(frozen=True, slots=True)
class Flat:
    """Lines best first, and the tokens of everything around them."""

    lines: tuple[Line, ...]
    overhead: int


def lines_of(engine: Engine, question: str, *, now_us: int) -> Flat:
    """The memories that are relevant to a question, best first, at alpha 1; at most 2,000."""
    ranked = engine.rank(question, alpha=1.0, k=DEPTH, theta3=0.0)[:DEPTH]
    looker, _ = engine.looker()
    with looker.scan.lock:
        columns = looker.scan.columns
        rows = looker.scan.rows_of([memory_id for memory_id, _, _ in ranked])
        labels = [
            render.label(memory_id, created, given, now_us, engine.zone)
            for memory_id, created, given in zip(
                columns.id[rows].tolist(), columns.created[rows].tolist(), columns.given[rows].tolist(), strict=True
            )
        ]
        texts = columns.tokens[rows, 0].tolist()
    own = looker.counter.counts(labels)
    around = sum(
        looker.counter.counts([render.head({"full": len(ranked)}, words_only=looker.words_only), render.HEADERS[Tier.FULL]])
    )
    lines = (Line(ranked[i][0], own[i] + texts[i], own[i]) for i in range(len(ranked)))
    return Flat(tuple(lines), around)


def whole(lines: Sequence[Line], room: int) -> int:
    """How many lines fit into `room` tokens, ending before the first that does not."""
    for count, line in enumerate(lines):
        room -= line.tokens
        if room < 0:
            return count
    return len(lines)


def passing_over(lines: Sequence[Line], room: int) -> list[Line]:
    """The lines that fit, in order, passing over each that does not."""
    kept: list[Line] = []
    for line in lines:
        if line.tokens <= room:
            kept.append(line)
            room -= line.tokens
    return kept


def cut(text: str, room: int, counter: TokenCounter) -> str:
    """The longest beginning of a text of at most `room` tokens, to one character."""
    if room <= 0:
        return ""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if counter.count(text[:middle]) <= room else (low, middle - 1)
    return text[:low]
