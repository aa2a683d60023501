"""Reads chats and notes in which facts change, and which turn or note gives a fact its next value.

A file is `{writer, chats: [{id, turns, updates, alike}]}`: turns `{id, date, speaker, text}`, the speaker user, assistant or,
of notes, ''; updates `{old, new, old_value, new_value, question, kind}` for all pairs of turns that change a fact, in `alike`
some `[one, other, why]` that do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.evals.files import in_format
from lodmem.lod.decay import US_PER_DAY
from lodmem.model.memory import Draft, Source, to_us

ORIGIN = "changing facts: tests/evals/data/changes of the project's repository"


def is_changes(data: object) -> bool:
    """Whether a JSON document looks like this format."""
    return isinstance(data, dict) and {"writer", "chats"} <= data.keys()


def dataset_of(data: Any, path: Path) -> Dataset:
    """The data set in a JSON document; `path` names it in errors. A question for each fact, asked a day after the last turn,
    whose category is the kind of the fact. Raises BadParameter."""
    with in_format(f"{path} is not in the format of changing facts", origin=ORIGIN):
        cases = tuple(_case(entry) for entry in data["chats"])
        changed = {pair: is_one for entry in data["chats"] for pair, is_one in _labels(_name(data), entry)}
    return Dataset(name=_name(data), cases=cases, skipped=0, dropped=0, changed=changed)


def _name(data: Mapping[str, Any]) -> str:
    return f"changes {data['writer']}"


def _labels(name: str, entry: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str, str, str], bool]]:
    """Every pair of a chat's turns, those of the assistant left out, and whether it is one that changes a fact."""
    changed = {(change["old"], change["new"]) for change in entry["updates"]}
    users = [turn["id"] for turn in entry["turns"] if turn["speaker"] != "assistant"]
    for at, older in enumerate(users):
        for newer in users[at + 1 :]:
            yield (name, str(entry["id"]), older, newer), (older, newer) in changed


def _case(entry: Mapping[str, Any]) -> Case:
    name, turns = str(entry["id"]), list(entry["turns"])
    drafts = [_draft(name, number, turn) for number, turn in enumerate(turns, start=1)]
    return Case(
        id=name,
        drafts=tuple(drafts),
        labels=tuple(str(turn["id"]) for turn in turns),
        sessions=tuple(str(turn["date"]) for turn in turns),
        questions=_questions(name, entry["updates"], {turn["id"]: turn["date"] for turn in turns}),
        now_us=max(draft.created_us or 0 for draft in drafts) + US_PER_DAY,
    )


def _draft(name: str, number: int, turn: Mapping[str, Any]) -> Draft:
    when = datetime.fromisoformat(turn["date"]).replace(tzinfo=UTC)
    return Draft(
        full=f"{turn['speaker']}: {turn['text']}" if turn["speaker"] else turn["text"],
        created_us=to_us(when),
        source=Source(f"changes:{name}", str(turn["date"]), number),
        meta=MappingProxyType({"id": turn["id"], "role": turn["speaker"]}),
    )


def _questions(name: str, updates: Sequence[Mapping[str, Any]], dates: Mapping[str, str]) -> tuple[Question, ...]:
    """One a fact: what it was in all its older turns, and what it is in the newest."""
    facts: dict[str, list[Mapping[str, Any]]] = {}
    for change in updates:
        facts.setdefault(str(change["question"]), []).append(change)
    found: list[Question] = []
    for number, (asked, changes) in enumerate(facts.items(), start=1):
        newest = [change for change in changes if change["new"] not in {other["old"] for other in changes}]
        newer = tuple(dict.fromkeys(str(change["new"]) for change in newest))
        older = tuple(dict.fromkeys(str(change["old"]) for change in changes if change["old"] not in newer))
        found.append(
            Question(
                id=f"{name}/{number}",
                text=asked,
                category=str(newest[0]["kind"]),
                gold=newer,
                gold_sessions=tuple(dict.fromkeys(dates[label] for label in newer)),
                answer=str(newest[0]["new_value"]),
                older=older,
                newer=newer,
            )
        )
    return tuple(found)
