"""Reads PrecisionMemBench in its official format: beliefs of several users, and cases that say exactly what must surface.

Takes the repository's folder, or its `fixtures`. Only what a search decides is read: which beliefs are relevant. What the
benchmark's own harness fills in (persona, pinned facts, open questions) is the same for every system and left out.

Source: Flynt 2026, Structured Belief State and the First Precision-Aware Benchmark for LLM Memory Retrieval, arXiv:2605.11325.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.files import in_format, read_json
from lodmem.model.memory import to_us

ORIGIN = (
    "the public files are fixtures/beliefs.seed.json and fixtures/retrieval.cases.json of "
    "https://github.com/tenurehq/precisionMemBench, licence MIT; download them yourself"
)
BELIEFS, CASES = "beliefs.seed.json", "retrieval.cases.json"
USER = "test-user"
MOST_BELIEFS = 20
OPEN_QUESTION, RELATION = "open_question", "relation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """One belief. `text` is what the benchmark hands to a memory: name, aliases, content and why it matters.

    `participants`: beliefs that a relation joins. `superseded_by`: the id of what replaced it. `resolved_us`: when an open
    question was settled.
    """

    id: str
    user: str
    kind: str
    text: str
    scopes: tuple[str, ...]
    pinned: bool
    created_us: int
    superseded_by: str | None
    resolved_us: int | None
    participants: tuple[str, ...]

    def in_any(self, scopes: Sequence[str]) -> bool:
        """Whether it belongs to one of the scopes."""
        return any(scope in scopes for scope in self.scopes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What must hold of the beliefs that surface. `only` None: no exact set is expected.

    `include` and `exclude` are about relevant and pinned beliefs together; `before` are pairs in order of rank.
    """

    only: frozenset[str] | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    before: tuple[tuple[str, str], ...]
    most: int | None
    least: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionCase:
    """One query of one user in some scopes. `most_beliefs`: how many places there are, pinned ones included."""

    id: str
    category: str
    user: str
    scopes: tuple[str, ...]
    query: str
    most_beliefs: int
    expected: Expectation


@dataclass(frozen=True, slots=True)
class PrecisionBench:
    """Beliefs by id in the order of the file, and cases."""

    beliefs: Mapping[str, Belief]
    cases: tuple[PrecisionCase, ...]

    def pinned(self, case: PrecisionCase) -> list[str]:
        """Facts that the benchmark shows whatever is asked: pinned, still true, of the user and the scopes."""
        return [
            b.id
            for b in self.beliefs.values()
            if b.pinned
            and b.user == case.user
            and b.kind != OPEN_QUESTION
            and not b.superseded_by
            and b.resolved_us is None
            and b.in_any(case.scopes)
        ]


def load_precision(folder: Path) -> PrecisionBench:
    """The benchmark in a folder.

    Raises:
        UnknownPath: a file is missing; says where the public ones are.
        BadParameter: a file is not in the format, or names a belief that is not there.
    """
    seed, asked = files_of(folder)
    beliefs: dict[str, Belief] = {}
    for number, entry in enumerate(_listed(seed), start=1):
        with in_format(f"{seed}: belief {number} is not in PrecisionMemBench's format", origin=ORIGIN):
            belief = _belief(entry)
            if belief.id in beliefs:
                raise ValueError(f"the id {belief.id} is used twice")
            beliefs[belief.id] = belief
    cases: list[PrecisionCase] = []
    for number, entry in enumerate(_listed(asked), start=1):
        with in_format(f"{asked}: case {number} is not in PrecisionMemBench's format", origin=ORIGIN):
            cases.append(_case(entry, beliefs))
    for belief in beliefs.values():
        for other in (*belief.participants, *([belief.superseded_by] if belief.superseded_by else ())):
            if other not in beliefs:
                raise BadParameter(f"{seed}: {belief.id} names {other}, which is not there", hint=ORIGIN)
    return PrecisionBench(beliefs, tuple(cases))


def files_of(folder: Path) -> tuple[Path, Path]:
    """Where beliefs and cases lie in the repository's folder or its `fixtures`, there or not."""
    root = folder / "fixtures" if (folder / "fixtures").is_dir() else folder
    return root / BELIEFS, root / CASES


def _listed(path: Path) -> list[Mapping[str, Any]]:
    if not path.is_file():
        raise UnknownPath(f"there is no {path}", hint=ORIGIN)
    found = read_json(path, origin=ORIGIN)
    if not isinstance(found, list) or not found:
        raise BadParameter(f"{path} is not in PrecisionMemBench's format: it should be a list", hint=ORIGIN)
    return found


def _belief(entry: Mapping[str, Any]) -> Belief:
    parts = [entry["canonical_name"], *entry["aliases"], entry["content"], entry.get("why_it_matters", "")]
    return Belief(
        id=str(entry["_id"]),
        user=str(entry["user_id"]),
        kind=str(entry["type"]),
        text=" ".join(str(part) for part in parts if part),
        scopes=tuple(str(scope) for scope in entry["scope"]),
        pinned=bool(entry["pinned"]),
        created_us=_time(entry["created_at"]),
        superseded_by=str(entry["superseded_by"]) if entry.get("superseded_by") else None,
        resolved_us=_time(entry["resolved_at"]) if entry.get("resolved_at") else None,
        participants=tuple(str(name) for name in entry.get("participants") or ()),
    )


def _time(text: str) -> int:
    found = datetime.fromisoformat(text)
    return to_us(found if found.tzinfo else found.replace(tzinfo=UTC))


def _case(entry: Mapping[str, Any], beliefs: Mapping[str, Belief]) -> PrecisionCase:
    told: Mapping[str, Any] = entry["expect"].get("relevantBeliefs") or {}
    only = told.get("shouldOnlyInclude")
    include = (*told.get("mustInclude", ()), *told.get("shouldInclude", ()))
    exclude = tuple(told.get("mustExclude", ()))
    before = tuple((str(a), str(b)) for a, b in told.get("orderedBefore", ()))
    named = {*(only or ()), *include, *exclude, *(name for pair in before for name in pair)}
    if unknown := sorted(named - beliefs.keys()):
        raise ValueError(f"{entry['caseId']} names {', '.join(unknown)}, which is not there")
    return PrecisionCase(
        id=str(entry["caseId"]),
        category=str(entry["category"]),
        user=str(entry.get("userId") or USER),
        scopes=tuple(str(scope) for scope in entry["scope"]),
        query=str(entry["query"]),
        most_beliefs=int((entry.get("budget") or {}).get("maxBeliefs", MOST_BELIEFS)),
        expected=Expectation(
            only=None if only is None else frozenset(only),
            include=include,
            exclude=exclude,
            before=before,
            most=told.get("maxCount"),
            least=told.get("minCount"),
        ),
    )
