"""What every data set becomes before it is run: memories to keep, questions to ask, and what had to be left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lodmem.model.memory import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`gold` names the evidence as labels of the case's drafts, at least one, no repeats."""

    id: str
    text: str
    category: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One store and what is asked of it. `labels[i]` names `drafts[i]`, unique within the case.

    `now_us`: when the questions are asked.
    """

    id: str
    drafts: tuple[Draft, ...]
    labels: tuple[str, ...]
    questions: tuple[Question, ...]
    now_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """`skipped`: questions without any evidence that exists. `dropped`: evidence ids that do not exist."""

    name: str
    cases: tuple[Case, ...]
    skipped: int
    dropped: int


def sampled(dataset: Dataset, limit: int | None, *, seed: int) -> Dataset:
    """The data set with at most `limit` questions, drawn evenly and always the same for one seed; order stays.

    Cases left without questions are left out. `limit` None keeps every question.
    """
    chosen = [(place, question) for place, case in enumerate(dataset.cases) for question in case.questions]
    if limit is not None and limit < len(chosen):
        kept = np.random.default_rng(seed).choice(len(chosen), size=max(0, limit), replace=False)
        chosen = [chosen[index] for index in sorted(kept)]
    cases = (
        replace(case, questions=tuple(question for home, question in chosen if home == place))
        for place, case in enumerate(dataset.cases)
    )
    return replace(dataset, cases=tuple(case for case in cases if case.questions))
