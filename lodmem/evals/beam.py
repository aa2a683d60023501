"""Reads BEAM: long chats, one memory a message, probing questions with the messages that answer them.

Takes a file of `{id, chat, probing_questions}`, or a folder as in the project's repository (`<chat>/chat.json` and
`<chat>/probing_questions/probing_questions.json`). It refuses to know how anything is searched or scored.

Source: Tavakoli et al. 2025, Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs, arXiv:2510.27246.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.evals.files import in_format, read_json
from lodmem.model.memory import Draft, Source, to_us

ORIGIN = (
    "the public files are chats/100K of https://github.com/mohammadtavakoli78/BEAM, licence CC BY-SA 4.0; "
    "download them yourself"
)
DAY_US = 86_400_000_000

# What the question generator left at the end of a message: its place in the plan.
_MARKER = re.compile(r"\s*->->\s*[\w,./ -]{0,40}\Z")
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")


def load_beam(path: Path) -> Dataset:
    """The chats of BEAM in the order of the file, or of a folder's numbers. Questions are asked a day after the last message.

    Raises:
        UnknownPath: nothing is there; says where the public files are.
        BadParameter: it is not in BEAM's format.
    """
    return dataset_of(_folder(path) if path.is_dir() else read_json(path, origin=ORIGIN), path)


def is_beam(data: object) -> bool:
    """Whether a JSON document looks like this format."""
    found = data[0] if isinstance(data, list) and data else None
    return isinstance(found, dict) and {"chat", "probing_questions"} <= found.keys()


def dataset_of(data: Any, path: Path) -> Dataset:
    """The data set in a JSON document; `path` names it in errors. Raises BadParameter."""
    if not isinstance(data, list) or not data:
        raise BadParameter(f"{path} is not in BEAM's format: it should be a list of chats", hint=ORIGIN)
    cases: list[Case] = []
    skipped = dropped = 0
    for number, entry in enumerate(data, start=1):
        with in_format(f"{path}: chat {number} is not in BEAM's format", origin=ORIGIN):
            case, without, unknown = _case(entry)
        skipped += without
        dropped += unknown
        cases.append(case)
    return Dataset(name="beam", cases=tuple(cases), skipped=skipped, dropped=dropped)


def anchor_us(text: str) -> int:
    """Microseconds since 1970 of a date such as 'March-15-2024', its first moment UTC. Raises ValueError."""
    return to_us(datetime.strptime(text.strip(), "%B-%d-%Y").replace(tzinfo=UTC))


def _folder(path: Path) -> list[dict[str, Any]]:
    chats = sorted(path.glob("*/chat.json"), key=lambda file: (len(file.parent.name), file.parent.name))
    if not chats:
        raise UnknownPath(f"there is no chat.json in the folders of {path}", hint=ORIGIN)
    return [
        {
            "id": file.parent.name,
            "chat": read_json(file, origin=ORIGIN),
            "probing_questions": read_json(file.parent / "probing_questions" / "probing_questions.json", origin=ORIGIN),
        }
        for file in chats
    ]


def _case(entry: Mapping[str, Any]) -> tuple[Case, int, int]:
    name = str(entry["id"])
    drafts: list[Draft] = []
    homes: dict[str, str] = {}
    when_us: int | None = None
    for session, turn in _turns(entry["chat"]):
        when_us = anchor_us(turn["time_anchor"]) if turn.get("time_anchor") else when_us
        label, text = str(turn["id"]), _MARKER.sub("", str(turn["content"]))
        if label in homes:
            raise ValueError(f"chat {name} uses the id {label} twice")
        if not text.strip():
            continue
        homes[label] = session
        about = MappingProxyType({"id": turn["id"], "role": str(turn["role"])})
        source = Source(f"beam:{name}", session, len(drafts) + 1)
        drafts.append(Draft(full=f"{turn['role']}: {text}", created_us=when_us, source=source, meta=about))
    questions, skipped, dropped = _questions(name, _probing(entry["probing_questions"]), homes)
    now_us = max((draft.created_us or 0 for draft in drafts), default=0) + DAY_US
    case = Case(
        id=name, drafts=tuple(drafts), labels=tuple(homes), sessions=tuple(homes.values()), questions=questions, now_us=now_us
    )
    return case, skipped, dropped


def _turns(chat: Sequence[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(session, message) in order: batches of turns of messages, or sessions of messages, as the releases have them."""
    for number, batch in enumerate(chat, start=1):
        for part in batch["turns"] if isinstance(batch, Mapping) else batch:
            for message in [part] if isinstance(part, Mapping) else part:
                yield f"batch-{number}", message


def _probing(raw: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Questions by category; one release keeps them as text."""
    if isinstance(raw, str):
        raw = _read_text(raw)
    if not isinstance(raw, Mapping):
        raise TypeError(f"probing_questions should be a table of categories, not {type(raw).__name__}")
    return raw


def _read_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        try:
            return ast.literal_eval(text)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise ValueError(f"probing_questions cannot be read: {error}") from error


def _questions(
    name: str, probing: Mapping[str, Sequence[Mapping[str, Any]]], homes: Mapping[str, str]
) -> tuple[tuple[Question, ...], int, int]:
    questions: list[Question] = []
    skipped = dropped = 0
    for category, entries in probing.items():
        for number, entry in enumerate(entries, start=1):
            named = list(_ids(entry.get("source_chat_ids")))
            gold = tuple(dict.fromkeys(label for label in named if label in homes))
            dropped += sum(label not in homes for label in named)
            if not gold:
                skipped += 1
                continue
            older, newer = _update(entry["source_chat_ids"], homes)
            questions.append(
                Question(
                    id=f"{name}/{category}/{number}",
                    text=str(entry["question"]),
                    category=category,
                    gold=gold,
                    gold_sessions=tuple(dict.fromkeys(homes[label] for label in gold)),
                    answer=next((str(entry[key]) for key in _ANSWERS if entry.get(key)), ""),
                    older=older,
                    newer=newer,
                )
            )
    return tuple(questions), skipped, dropped


def _ids(raw: Any) -> Iterator[str]:
    """Ids of messages, however the file nests them."""
    if isinstance(raw, Mapping):
        raw = raw.values()
    elif raw is None or isinstance(raw, (str, int)):
        if raw is not None:
            yield str(raw)
        return
    for part in raw:
        yield from _ids(part)


def _update(raw: Any, homes: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What was true first and what replaced it; both empty unless each side has a message of its own."""
    if not isinstance(raw, Mapping):
        return (), ()
    older = tuple(label for label in _ids(raw.get("original_info")) if label in homes)
    newer = tuple(label for label in _ids(raw.get("updated_info")) if label in homes and label not in older)
    return (older, newer) if older and newer else ((), ())
