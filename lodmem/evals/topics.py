"""Topics whose every memory was labelled by hand, for measuring what an exclusion drops. Ids and words of our own alone.

The labels stand in data/exclusion.json. `about` names the memories of a conversation that are about the topic, `context` those
that belong to such a passage without saying anything of it, `borderline` those about which two readers may disagree. LoCoMo's
ids are the turns' own; LongMemEval's are SESSION#TURN, turns counted from 0. It refuses to know how anything is searched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from lodmem.errors import BadParameter
from lodmem.evals.datasets import Case, Dataset, Question

LOCOMO, LONGMEMEVAL = "locomo", "longmemeval"
FILE = "exclusion.json"

_SHORT = {"lme": LONGMEMEVAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """`term` is what is excluded, `query` a question about something else in the same `case` of `dataset`.

    The other fields hold labels as the data set's cases have them, in the order of the file.
    """

    dataset: str
    case: str
    term: str
    query: str
    about: tuple[str, ...]
    context: tuple[str, ...] = ()
    borderline: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.case}/{self.term}"


@cache
def load_topics() -> tuple[Topic, ...]:
    """The topics that ship with the package, in order."""
    return topics_of(json.loads(_packaged()))


@cache
def digest() -> str:
    """SHA-256 of the packaged labels."""
    return hashlib.sha256(_packaged()).hexdigest()


def _packaged() -> bytes:
    return (resources.files("lodmem.evals") / "data" / FILE).read_bytes()


def topics_of(data: Mapping[str, Any]) -> tuple[Topic, ...]:
    """The topics of a parsed file."""
    return tuple(_topic(entry) for entry in data["topics"])


def _topic(entry: Mapping[str, Any]) -> Topic:
    dataset = _SHORT.get(entry["dataset"], entry["dataset"])
    label = _turn_of_longmemeval if dataset == LONGMEMEVAL else str
    marked = {name: tuple(label(each) for each in entry[name]) for name in ("about", "context", "borderline")}
    return Topic(dataset=dataset, case=entry["case"], term=entry["term"], query=entry["query"], **marked)


def _turn_of_longmemeval(label: str) -> str:
    """SESSION#TURN with turns from 0 as the data set's cases name it: SESSION_NUMBER with numbers from 1."""
    session, _, turn = label.rpartition("#")
    return f"{session}_{int(turn) + 1}"


def asking_topics(dataset: Dataset, topics: Sequence[Topic]) -> Dataset:
    """The data set with its topics' queries in place of its questions; cases without a topic are left out.

    The gold of a question are the memories about its topic. Raises BadParameter when a label names no memory.
    """
    cases = [_asking(case, [topic for topic in topics if topic.case == case.id]) for case in dataset.cases]
    return replace(dataset, cases=tuple(case for case in cases if case.questions), skipped=0, dropped=0)


def _asking(case: Case, topics: Sequence[Topic]) -> Case:
    there = set(case.labels)
    for topic in topics:
        absent = [label for label in (*topic.about, *topic.context, *topic.borderline) if label not in there]
        if absent:
            raise BadParameter(
                f"the labels of the topic {topic.term!r} name {absent[0]}, which {case.id} does not hold",
                hint="they were made for the public files as they are",
            )
    asked = (Question(id=t.id, text=t.query, category=t.dataset, gold=t.about) for t in topics)
    return replace(case, questions=tuple(asked))
