"""A year of a store as a plan: when memories arrive, and which question is asked when. Seeded, and the same for ever.

Every conversation's sessions arrive in their order, evenly from ARRIVE_BEFORE days before the year to ARRIVE_UNTIL days into
it. Questions are drawn by Zipf's law over an order of popularity. With each quarter the order changes: a share KEPT of the
questions keeps its place, the others change places among themselves. A question is asked only when its evidence has arrived.

It refuses to know what is searched and what comes of it. Source: Zipf 1949, Human Behavior and the Principle of Least Effort.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.errors import BadParameter
from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.lod.decay import US_PER_DAY

START_US = 1_735_689_600_000_000  # 2025-01-01
DAYS, QUARTERS, WEEKS = 364, 4, 52
ARRIVE_BEFORE, ARRIVE_UNTIL = 90, 300
EXPONENT = 1.0
KEPT = 0.25


@dataclass(frozen=True, slots=True)
class Arrival:
    """Drafts of one case, by their places, that are remembered at a time."""

    at_us: int
    case: int
    drafts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """One question, by its place in `questions_of`, asked at a time of a quarter (from 0)."""

    at_us: int
    question: int
    quarter: int


def day_us(day: float) -> int:
    """The time of a day of the year, which may lie before it."""
    return START_US + round(day * US_PER_DAY)


def week_of(at_us: int) -> int:
    """The week, from 1, of a time in the year."""
    return 1 + (at_us - START_US) // (7 * US_PER_DAY)


def questions_of(dataset: Dataset) -> list[tuple[int, Question]]:
    """(place of its case, question) of every question whose evidence are memories, in order."""
    return [(place, question) for place, case in enumerate(dataset.cases) for question in case.questions if question.gold]


def arrivals(dataset: Dataset) -> list[Arrival]:
    """Sessions of all cases in the order in which they arrive."""
    found = [arrival for place, case in enumerate(dataset.cases) for arrival in _of_case(place, case)]
    return sorted(found, key=lambda arrival: (arrival.at_us, arrival.case))


def _of_case(place: int, case: Case) -> list[Arrival]:
    members: dict[str, list[int]] = {}
    for index, session in enumerate(case.sessions):
        members.setdefault(session, []).append(index)
    span = (ARRIVE_BEFORE + ARRIVE_UNTIL) / len(members)
    return [
        Arrival(day_us(-ARRIVE_BEFORE + span * number), place, tuple(drafts)) for number, drafts in enumerate(members.values())
    ]


def asks(dataset: Dataset, count: int, *, seed: int) -> list[Ask]:
    """`count` questions over the year in order of time. Raises BadParameter when none can be asked from the beginning."""
    arrived = _arrived(dataset)
    if not len(arrived) or arrived.min() > START_US:
        raise BadParameter(f"{dataset.name} has no question whose evidence is there when the year begins")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(arrived))
    weights = 1.0 / np.arange(1, len(arrived) + 1) ** EXPONENT
    days = np.sort(rng.uniform(0.0, DAYS, count))
    found: list[Ask] = []
    for quarter in range(QUARTERS):
        if quarter:
            order = _drifted(order, rng)
        popularity = np.empty(len(order))
        popularity[order] = weights
        first, last = DAYS * quarter / QUARTERS, DAYS * (quarter + 1) / QUARTERS
        for day in days[(days >= first) & (days < last)].tolist():
            chances = np.where(arrived <= day_us(day), popularity, 0.0)
            found.append(Ask(day_us(day), int(rng.choice(len(order), p=chances / chances.sum())), quarter))
    return found


def _arrived(dataset: Dataset) -> NDArray[np.int64]:
    """When the last evidence of each question is there."""
    when = {
        (arrival.case, dataset.cases[arrival.case].labels[draft]): arrival.at_us
        for arrival in arrivals(dataset)
        for draft in arrival.drafts
    }
    times = [max(when[place, label] for label in question.gold) for place, question in questions_of(dataset)]
    return np.asarray(times, dtype=np.int64)


def _drifted(order: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """The order of the next quarter."""
    moving = rng.permutation(len(order))[round(KEPT * len(order)) :]
    found = order.copy()
    found[moving] = order[rng.permutation(moving)]
    return found


def most_asked(asked: Sequence[Ask], until_us: int) -> list[int]:
    """Questions asked before a time, the most asked first, ties by place."""
    counts: dict[int, int] = {}
    for ask in asked:
        if ask.at_us < until_us:
            counts[ask.question] = counts.get(ask.question, 0) + 1
    return sorted(counts, key=lambda question: (-counts[question], question))
