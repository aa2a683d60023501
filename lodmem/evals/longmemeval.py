"""Reads LongMemEval (S, M or oracle) in its official format: one memory a turn, in one store a question or all in one.

Evidence are the sessions the file names and the turns it marks. It refuses to know how anything is searched or scored.

Source: Wu et al. 2024, LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory, arXiv:2410.10813.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lodmem.errors import BadParameter
from lodmem.evals.datasets import POOL, Case, Dataset, Question
from lodmem.evals.files import in_format, read_json
from lodmem.model.memory import Draft, Source, to_us

ORIGIN = (
    "the public file is longmemeval_s_cleaned.json of https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned, "
    "licence MIT; download it yourself"
)
ABSTENTION = "_abs"

_DATE = re.compile(r"(\d{4})/(\d\d)/(\d\d)(?: \(\w+\))? (\d\d):(\d\d)\Z")


def load_longmemeval(path: Path, *, pooled: bool = False) -> Dataset:
    """One case a question over its own haystack, or with `pooled` one case over all haystacks, each session in it once.

    Questions are asked at their own date. Those that are meant to have no answer (`_abs`) are skipped.

    Raises:
        UnknownPath: no such file; says where the public one is.
        BadParameter: the file is not in LongMemEval's format.
    """
    return dataset_of(read_json(path, origin=ORIGIN), path, pooled=pooled)


def is_longmemeval(data: object) -> bool:
    """Whether a JSON document looks like this format."""
    found = data[0] if isinstance(data, list) and data else None
    return isinstance(found, dict) and "haystack_sessions" in found


def dataset_of(data: Any, path: Path, *, pooled: bool = False) -> Dataset:
    """The data set in a JSON document; `path` names it in errors. Raises BadParameter."""
    if not isinstance(data, list) or not data:
        raise BadParameter(f"{path} is not in LongMemEval's format: it should be a list of questions", hint=ORIGIN)
    pool = _Haystack("longmemeval")
    cases: list[Case] = []
    questions: list[Question] = []
    skipped = dropped = 0
    for number, entry in enumerate(data, start=1):
        with in_format(f"{path}: question {number} is not in LongMemEval's format", origin=ORIGIN):
            name = str(entry["question_id"])
            haystack = pool if pooled else _Haystack(f"longmemeval:{name}")
            own = haystack.add(entry)
            question, missing = _question(entry, own)
        dropped += missing
        if question is None:
            skipped += 1
        elif pooled:
            questions.append(question)
        else:
            cases.append(haystack.case(name, [question]))
    if questions:
        cases.append(pool.case(POOL, questions))
    return Dataset(
        name=f"longmemeval {POOL}" if pooled else "longmemeval",
        cases=tuple(cases),
        skipped=skipped,
        dropped=dropped,
        granularity="session",
    )


def time_us(text: str) -> int:
    """Microseconds since 1970 of a date such as '2023/05/30 (Tue) 23:40', read as UTC. Raises ValueError."""
    match = _DATE.match(text.strip())
    if not match:
        raise ValueError(f"{text!r} is not a date of LongMemEval")
    return to_us(datetime(*(int(part) for part in match.groups()), tzinfo=UTC))  # type: ignore[arg-type,misc]


@dataclass(frozen=True, slots=True)
class _Turn:
    label: str
    session: str
    when_us: int
    by_user: bool
    marked: bool


@dataclass(slots=True)
class _Haystack:
    """Turns gathered for one store. A session that is there already is not added again."""

    uri: str
    drafts: list[Draft] = field(default_factory=list)
    turns: list[_Turn] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def add(self, entry: Mapping[str, Any]) -> list[_Turn]:
        """Take in one question's haystack; its turns, those that were there before included."""
        own: list[_Turn] = []
        heard: set[str] = set()
        for session, when_us, turns in _sessions(entry):
            if session in heard:
                continue
            heard.add(session)
            fresh = session not in self.known
            self.known.add(session)
            for number, turn in enumerate(turns, start=1):
                text, role, marked = str(turn["content"]), str(turn["role"]), bool(turn.get("has_answer"))
                if not text.strip():
                    continue
                seen = _Turn(f"{session}_{number}", session, when_us, role == "user", marked)
                own.append(seen)
                if fresh:
                    self.turns.append(seen)
                    self.drafts.append(self._draft(seen, number, role, text))
        return own

    def _draft(self, turn: _Turn, number: int, role: str, text: str) -> Draft:
        about = {"session_id": turn.session, "turn": number, "role": role, "has_answer": turn.marked}
        return Draft(
            full=f"{role}: {text}",
            created_us=turn.when_us,
            source=Source(self.uri, turn.session, number),
            meta=MappingProxyType(about),
        )

    def case(self, name: str, questions: Sequence[Question]) -> Case:
        return Case(
            id=name,
            drafts=tuple(self.drafts),
            labels=tuple(turn.label for turn in self.turns),
            sessions=tuple(turn.session for turn in self.turns),
            questions=tuple(questions),
            now_us=max(question.now_us or 0 for question in questions),
            by_user=tuple(turn.by_user for turn in self.turns),
        )


def _sessions(entry: Mapping[str, Any]) -> Iterator[tuple[str, int, Sequence[Mapping[str, Any]]]]:
    ids, dates, sessions = entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"]
    for name, date, turns in zip(ids, dates, sessions, strict=True):
        yield str(name), time_us(date), turns


def _question(entry: Mapping[str, Any], own: Sequence[_Turn]) -> tuple[Question | None, int]:
    """The question with its evidence, None where there is none; and how many named sessions its haystack lacks."""
    there = {turn.session for turn in own}
    named = [str(session) for session in dict.fromkeys(entry["answer_session_ids"])]
    sessions = tuple(session for session in named if session in there)
    gold = [turn for turn in own if turn.marked and turn.session in sessions]
    name = str(entry["question_id"])
    if ABSTENTION in name or not sessions:
        return None, 0
    question = Question(
        id=name,
        text=str(entry["question"]),
        category=str(entry["question_type"]),
        gold=tuple(turn.label for turn in gold),
        gold_sessions=sessions,
        answer=str(entry.get("answer", "")),
        now_us=time_us(entry["question_date"]),
    )
    return _with_update(question, gold), len(named) - len(sessions)


def _with_update(question: Question, gold: Sequence[_Turn]) -> Question:
    """For a knowledge update: the marked turns of the latest session are what is true now, the others what was."""
    latest = max((turn.when_us for turn in gold), default=0)
    newer = tuple(turn.label for turn in gold if turn.when_us == latest)
    older = tuple(turn.label for turn in gold if turn.when_us < latest)
    if question.category != "knowledge-update" or not older:
        return question
    return replace(question, older=older, newer=newer)
