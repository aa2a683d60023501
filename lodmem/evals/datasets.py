"""What every data set becomes before it is run: memories to keep, questions to ask, and what had to be left out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from lodmem.errors import BadParameter
from lodmem.model.memory import Draft, Source

HALVES = ("all", "tune", "check")
POOL = "pooled"
NO_NAMES: Mapping[str, str] = MappingProxyType({})
NOTHING_CHANGED: Mapping[tuple[str, str, str, str], bool] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`gold` names the evidence as labels of the case's drafts, `gold_sessions` as its sessions; no repeats, not both empty.

    `answer` is what the data set expects to be said. `now_us`: when it is asked, None: at the case's time. `older` and `newer`
    are labels of what was true first and of what replaced it, both empty where nothing was replaced.
    """

    id: str
    text: str
    category: str
    gold: tuple[str, ...]
    gold_sessions: tuple[str, ...] = ()
    answer: str = ""
    now_us: int | None = None
    older: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One store and what is asked of it. `labels[i]` names `drafts[i]`, unique within the case; `sessions[i]` its session.

    `by_user[i]` says who wrote a draft, for data sets whose official measure looks at user turns alone; empty elsewhere.
    `now_us`: when the questions are asked that have no time of their own.
    """

    id: str
    drafts: tuple[Draft, ...]
    labels: tuple[str, ...]
    sessions: tuple[str, ...]
    questions: tuple[Question, ...]
    now_us: int
    by_user: tuple[bool, ...] = ()

    def time_of(self, question: Question) -> int:
        """When a question of this case is asked."""
        return self.now_us if question.now_us is None else question.now_us


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """`skipped`: questions without any evidence that exists. `dropped`: evidence ids that do not exist.

    `names` gives categories a name. `granularity`: what the data set's own figures are about, turn or session. `in_tune` says
    whether a question belongs to the half that may be tuned on. `changed`: of pairs (data set, case, older, newer) whether the
    newer one changes what the older one says, where the data set tells.
    """

    name: str
    cases: tuple[Case, ...]
    skipped: int
    dropped: int
    granularity: str = "turn"
    names: Mapping[str, str] = field(default_factory=lambda: NO_NAMES)
    in_tune: Callable[[Question], bool] = field(default=lambda question: even(question.id))
    changed: Mapping[tuple[str, str, str, str], bool] = field(default_factory=lambda: NOTHING_CHANGED)


def even(name: str) -> bool:
    """Parity of a name's SHA-256: the same everywhere and for ever, and blind to what the name says."""
    return hashlib.sha256(name.encode()).digest()[-1] % 2 == 0


def half_of(dataset: Dataset, half: str) -> Dataset:
    """The data set with the questions of one half, 'tune' or 'check', or of both ('all'). What is remembered stays whole.

    Raises BadParameter for another name.
    """
    if half not in HALVES:
        raise BadParameter(f"{half!r} is not a half", hint="one of " + ", ".join(HALVES))
    if half == "all":
        return dataset
    return _keeping(dataset, lambda _, question: dataset.in_tune(question) == (half == "tune"))


def sampled(dataset: Dataset, limit: int | None, *, seed: int) -> Dataset:
    """The data set with at most `limit` questions, drawn evenly and always the same for one seed; order stays.

    A larger limit draws the same and more. Cases left without questions are left out. `limit` None keeps every question.
    """
    chosen = [(place, question.id) for place, case in enumerate(dataset.cases) for question in case.questions]
    if limit is not None and limit < len(chosen):
        kept = np.random.default_rng(seed).permutation(len(chosen))[: max(0, limit)]
        chosen = [chosen[index] for index in sorted(kept)]
    wanted = set(chosen)
    return _keeping(dataset, lambda place, question: (place, question.id) in wanted)


def _keeping(dataset: Dataset, wanted: Callable[[int, Question], bool]) -> Dataset:
    cases = (
        replace(case, questions=tuple(question for question in case.questions if wanted(place, question)))
        for place, case in enumerate(dataset.cases)
    )
    return replace(dataset, cases=tuple(case for case in cases if case.questions))


def pooled(dataset: Dataset) -> Dataset:
    """The data set with the memories of all cases in one store; each question is asked when its own case says.

    Labels and sessions get the name of their case before them. A data set of one case is returned as it is.
    """
    if len(dataset.cases) < 2:
        return dataset
    cases = [_named(case) for case in dataset.cases]
    whole = Case(
        id=POOL,
        drafts=tuple(draft for case in cases for draft in case.drafts),
        labels=tuple(label for case in cases for label in case.labels),
        sessions=tuple(session for case in cases for session in case.sessions),
        questions=tuple(question for case in cases for question in case.questions),
        now_us=max(case.now_us for case in cases),
        by_user=tuple(by_user for case in cases for by_user in case.by_user),
    )
    return replace(dataset, name=f"{dataset.name} {POOL}", cases=(whole,))


def _named(case: Case) -> Case:
    def named(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{case.id}/{name}" for name in names)

    questions = [
        replace(
            question,
            gold=named(question.gold),
            gold_sessions=named(question.gold_sessions),
            older=named(question.older),
            newer=named(question.newer),
            now_us=case.time_of(question),
        )
        for question in case.questions
    ]
    return replace(case, labels=named(case.labels), sessions=named(case.sessions), questions=tuple(questions))


def as_sessions(case: Case) -> Case:
    """The case with one memory a session: its turns joined by line ends, at the time and place of the first of them.

    Gold, older and newer become sessions; questions without a gold session are left out.
    """
    members: dict[str, list[int]] = {}
    for index, session in enumerate(case.sessions):
        members.setdefault(session, []).append(index)
    home = dict(zip(case.labels, case.sessions, strict=True))
    questions = [
        replace(
            question,
            gold=question.gold_sessions,
            older=tuple(dict.fromkeys(home[label] for label in question.older)),
            newer=tuple(dict.fromkeys(home[label] for label in question.newer)),
        )
        for question in case.questions
        if question.gold_sessions
    ]
    return replace(
        case,
        id=f"{case.id} by session",
        drafts=tuple(_joined([case.drafts[i] for i in indices], session) for session, indices in members.items()),
        labels=tuple(members),
        sessions=tuple(members),
        questions=tuple(questions),
        by_user=(),
    )


def _joined(turns: list[Draft], session: str) -> Draft:
    first = turns[0]
    source = None if first.source is None else Source(first.source.uri, session, 0)
    return Draft(full="\n".join(turn.full for turn in turns), created_us=first.created_us, source=source)
