"""Which patterns a new one is compared with: all that the gate could stop it for, whatever else is left out."""

from __future__ import annotations

import random

from lodmem.ingest.distill.shelf import Shelf
from lodmem.ingest.gate import Verdict, judge_pattern
from lodmem.model.distilled import ACCEPTED, Pattern

NAMES = ("Ada", "Brian", "Carla", "Dora", "Emil", "Fritz")
PLACES = ("Lindau", "Bergen", "Graz", "Oslo")
STORED = (
    "{a} moved the office from {p} to {q} in week {n}.",
    "The server of {a} in {p} failed because disk {n} was full.",
    "{a} never prefers room {n} in {p}.",
    "{a} prefers room {n} in {p}.",
    "it rained on the {n} days that we were there.",
    "The oven is old and the till is broken again.",
)
COMING = (
    *STORED,
    "{a} moved the office away from {p} to {q} in week {n}.",
    "The oven is very old and the till is broken again.",
)


def pattern(number: int, text: str) -> Pattern:
    return Pattern(
        id=number, space="main", text=text, importance=0.5, evidence_count=1, status=ACCEPTED, distilled_us=0, episodes=()
    )  # fmt: skip


def made(seed: int, count: int, frames: tuple[str, ...]) -> list[str]:
    draw = random.Random(seed)
    return [
        draw.choice(frames).format(a=draw.choice(NAMES), p=draw.choice(PLACES), q=draw.choice(PLACES), n=draw.randint(1, 4))
        for _ in range(count)
    ]


def test_the_verdict_is_the_one_against_all() -> None:
    texts = made(1, 300, STORED)
    shelf = Shelf(pattern(n, text) for n, text in enumerate(texts, 1))
    seen = set()
    for new in made(2, 150, COMING):
        verdict = judge_pattern(new, list(enumerate(texts, 1)))
        found = judge_pattern(new, shelf.candidates(new))
        assert found.verdict is verdict.verdict
        if verdict.verdict is not Verdict.ADD:
            assert (found.other, found.similarity) == (verdict.other, verdict.similarity)
        seen.add(verdict.verdict)
    assert seen == set(Verdict)


def test_few_are_compared_where_thousands_are_alike() -> None:
    shelf = Shelf(pattern(n, f"Ada moved room {n} of the house to floor {n + 1}.") for n in range(3000))
    assert len(shelf.candidates("Ada moved room 77 of the house to floor 78.")) < 20


def test_one_that_is_put_again_is_replaced() -> None:
    shelf = Shelf([pattern(1, "The oven is old.")])
    shelf.put(pattern(1, "The oven is old."))
    assert (len(shelf), shelf.candidates("The oven is old.")) == (1, [(1, "The oven is old.")])
