"""Reads LoCoMo in its official format: one memory a turn, questions with the turns that answer them.

It repairs evidence ids that are malformed in the public file and counts what cannot be repaired. It refuses to know how
anything is searched or scored.

Source: Maharana et al. 2024, Evaluating Very Long-Term Conversational Memory of LLM Agents, arXiv:2402.17753.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lodmem.errors import BadParameter
from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.evals.files import in_format, read_json
from lodmem.model.memory import Draft, Source, to_us

ORIGIN = (
    "the public file is data/locomo10.json of https://github.com/snap-research/locomo, licence CC BY-NC 4.0; "
    "download it yourself"
)
CATEGORIES: Mapping[str, str] = MappingProxyType(
    {"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", "5": "adversarial"}
)
DAY_US = 86_400_000_000
TUNED_ON = 3

_SESSION = re.compile(r"session_(\d+)\Z")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


def load_locomo(path: Path) -> Dataset:
    """The conversations of a LoCoMo file in the order of the file. Questions are asked a day after the last session.

    The first three conversations are the half to tune on, the others the half to check with.

    Raises:
        UnknownPath: no such file; says where the public one is.
        BadParameter: the file is not in LoCoMo's format.
    """
    return dataset_of(read_json(path, origin=ORIGIN), path)


def is_locomo(data: object) -> bool:
    """Whether a JSON document looks like this format."""
    found = data[0] if isinstance(data, list) and data else None
    return isinstance(found, dict) and {"conversation", "qa"} <= found.keys()


def dataset_of(data: Any, path: Path) -> Dataset:
    """The data set in a JSON document; `path` names it in errors. Raises BadParameter."""
    if not isinstance(data, list) or not data:
        raise BadParameter(f"{path} is not in LoCoMo's format: it should be a list of conversations", hint=ORIGIN)
    cases: list[Case] = []
    skipped = dropped = 0
    for number, sample in enumerate(data, start=1):
        with in_format(f"{path}: conversation {number} is not in LoCoMo's format", origin=ORIGIN):
            case, without, unknown = _case(sample)
        skipped += without
        dropped += unknown
        cases.append(case)
    tune = {question.id for case in cases[:TUNED_ON] for question in case.questions}
    return Dataset(
        name="locomo",
        cases=tuple(cases),
        skipped=skipped,
        dropped=dropped,
        names=CATEGORIES,
        in_tune=lambda question: question.id in tune,
    )


def turn_text(turn: Mapping[str, Any]) -> str:
    """'speaker: text', and what a shared picture shows after it in brackets."""
    text = f"{turn['speaker']}: {str(turn['text']).strip()}"
    caption = str(turn.get("blip_caption") or "").strip()
    return f"{text} [shares {caption}]" if caption else text


def evidence_ids(raw: str) -> list[str]:
    """Turn ids in one evidence entry, repaired: 'D8:6; D9:17' holds two, 'D:11:26' is D11:26, 'D30:05' is D30:5."""
    return [f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(raw)]


def session_time_us(text: str) -> int:
    """Microseconds since 1970 of a date such as '1:56 pm on 8 May, 2023', read as UTC. Raises ValueError."""
    return to_us(datetime.strptime(text.strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC))


def _case(sample: Mapping[str, Any]) -> tuple[Case, int, int]:
    name = str(sample["sample_id"])
    drafts: list[Draft] = []
    homes: dict[str, str] = {}
    for session, when_us, turns in _sessions(sample["conversation"]):
        for sequence, turn in enumerate(turns, start=1):
            label = str(turn["dia_id"])
            if label in homes:
                raise ValueError(f"{name} uses the dia_id {label} twice")
            homes[label] = session
            drafts.append(
                Draft(
                    full=turn_text(turn),
                    created_us=when_us,
                    source=Source(f"locomo:{name}", session, sequence),
                    meta=MappingProxyType({"dia_id": label}),
                )
            )
    questions, skipped, dropped = _questions(name, sample["qa"], homes)
    now_us = max((draft.created_us or 0 for draft in drafts), default=0) + DAY_US
    case = Case(
        id=name,
        drafts=tuple(drafts),
        labels=tuple(homes),
        sessions=tuple(homes.values()),
        questions=questions,
        now_us=now_us,
    )
    return case, skipped, dropped


def _sessions(conversation: Mapping[str, Any]) -> Iterator[tuple[str, int, list[Mapping[str, Any]]]]:
    """(name, time, turns) by session number. Dates without a session are in the public file and passed over."""
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.match(key)))
    for number in numbers:
        name = f"session_{number}"
        yield name, session_time_us(conversation[f"{name}_date_time"]), conversation[name]


def _questions(name: str, entries: list[Mapping[str, Any]], homes: Mapping[str, str]) -> tuple[tuple[Question, ...], int, int]:
    questions: list[Question] = []
    skipped = dropped = 0
    for number, entry in enumerate(entries, start=1):
        gold: list[str] = []
        for raw in entry.get("evidence") or ():
            found = evidence_ids(str(raw))
            there = [label for label in found if label in homes]
            dropped += max(1, len(found)) - len(there)
            gold.extend(there)
        if not gold:
            skipped += 1
            continue
        questions.append(
            Question(
                id=f"{name}/{number}",
                text=str(entry["question"]),
                category=str(entry["category"]),
                gold=tuple(dict.fromkeys(gold)),
                gold_sessions=tuple(dict.fromkeys(homes[label] for label in gold)),
                answer=str(entry.get("answer", entry.get("adversarial_answer", ""))),
            )
        )
    return tuple(questions), skipped, dropped
