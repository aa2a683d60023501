"""What an exclusion drops, and what it should have dropped, on topics whose every memory was labelled by hand.

For each topic the product searches with the topic excluded, and shows the whole store with the topic excluded. Memories marked
as context or borderline count for nothing, neither above nor below a line. With the others:

    leaked_share          of the memories in the answer (at headline or better), the share that is about the topic
    leaked_sharp          the same of those at summary or better
    missed                of the memories about the topic, the share that was not dropped
    lost                  of the memories about something else, the share that was dropped
    lost_without_reason   of the memories about something else, the share that was dropped and holds none of the term's words

A topic is a few per cent of what a store holds, so `leaked_share` is small whatever an exclusion does: `missed` is the harder
measure, and the answer with nothing excluded stands beside. Words are compared by stem. Beside the product stand also the same
search by words alone, and with other thresholds of nearness.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lodmem._version import __version__
from lodmem.errors import BadParameter
from lodmem.evals import locomo, longmemeval
from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.evals.exclusion_report import FREE, OURS, WORDS_ALONE, ExclusionReport, at_threshold
from lodmem.evals.kept import Line
from lodmem.evals.runner import Asker, Plan, run
from lodmem.evals.stores import Opened
from lodmem.evals.topics import LOCOMO, LONGMEMEVAL, Topic, asking_topics, digest, load_topics
from lodmem.model.landscape import Landscape
from lodmem.model.memory import Tier
from lodmem.model.query import Filters
from lodmem.retrieval.candidates import Sight, rank
from lodmem.retrieval.exclude import THRESHOLD, exact_nearness, weigh
from lodmem.retrieval.search import Looker
from lodmem.scan.filters import select
from lodmem.scan.scan import Probe

THRESHOLDS = (0.4, 0.5, 0.6)
ORIGIN = f"LoCoMo: {locomo.ORIGIN}. LongMemEval: {longmemeval.ORIGIN}"

Ids = Set[int]


def evaluate_exclusion(
    plan: Plan, *, locomo_file: Path | None = None, longmemeval_file: Path | None = None, topics: Sequence[Topic] | None = None
) -> ExclusionReport:
    """What exclusions drop in one file or both, topic by topic; alpha 1, no budget, nothing is promoted.

    `topics` None: those that ship with the package. Topics of conversations that a file does not hold are left out.

    Raises:
        BadParameter: neither file is given, one is not in its format, or no topic is about it.
        UnknownPath: a file is missing; says where the public one is.
        ModelError: the embedder failed.
    """
    started = time.perf_counter()
    files = {LOCOMO: locomo_file, LONGMEMEVAL: longmemeval_file}
    if not any(files.values()):
        raise BadParameter("there is no file to measure on", hint=f"name one with --locomo or --longmemeval; {ORIGIN}")
    known = load_topics() if topics is None else tuple(topics)
    lines: list[Line] = []
    for name, path in files.items():
        if path is not None:
            dataset = locomo.load_locomo(path) if name == LOCOMO else longmemeval.load_longmemeval(path)
            lines += _lines(dataset, plan, [topic for topic in known if topic.dataset == name])
    return ExclusionReport(
        lines=lines,
        threshold=THRESHOLD,
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        seed=plan.seed,
    )


def _lines(dataset: Dataset, plan: Plan, topics: Sequence[Topic]) -> list[Line]:
    asked = asking_topics(dataset, topics)
    if not asked.cases:
        raise BadParameter(f"none of the labelled topics is about this {dataset.name} file", hint=ORIGIN)
    by_id = {topic.id: topic for topic in topics}
    own = plan if plan.out_dir is None else replace(plan, out_dir=plan.out_dir / dataset.name)
    settings = {"measure": "exclusion", "labels": digest(), "thresholds": list(THRESHOLDS)}
    return run(asked, own, settings, lambda store: _asker(store, by_id))


@dataclass(frozen=True, slots=True)
class _Dropping:
    """What one way of excluding left in the answer, at any tier and at summary or better, and what it dropped."""

    shown: Ids
    sharp: Ids
    dropped: Ids


@dataclass(frozen=True, slots=True)
class _Marked:
    """The memories of one case as a topic marks them; those that count for nothing are in neither set."""

    about: Ids
    other: Ids

    def counts(self, what: _Dropping, holders: Ids) -> dict[str, int]:
        """Numbers from which the shares are made."""
        lost, counted = self.other & what.dropped, self.about | self.other
        return {
            "about": len(self.about),
            "other": len(self.other),
            "shown": len(counted & what.shown),
            "leaked": len(self.about & what.shown),
            "sharp": len(counted & what.sharp),
            "leaked_sharp": len(self.about & what.sharp),
            "missed": len(self.about - what.dropped),
            "lost": len(lost),
            "lost_without_reason": len(lost - holders),
        }


def _asker(store: Opened, topics: Mapping[str, Topic]) -> Asker:
    label_of = {memory_id: label for label, memory_id in reversed(store.ids.items())}
    everything = set(store.ids.values())

    def ask(question: Question) -> Line:
        topic = topics[question.id]
        marked = _marked(store.case, store.ids, topic)
        window = store.engine.window(exclude=[topic.term], touch=False)
        dropped = everything - set(window.ids)
        ours = _dropping(_search(store, topic, exclude=[topic.term]), dropped)
        free = _dropping(_search(store, topic, exclude=[]), set())
        beside, holders = _beside(store, topic)
        return {
            "text": topic.query,
            "term": topic.term,
            "counts": {way: marked.counts(what, holders) for way, what in {OURS: ours, **beside, FREE: free}.items()},
            "window": marked.counts(_dropping(window, dropped), holders),
            "missed": [label_of[i] for i in sorted(marked.about - dropped)],
            "lost": [label_of[i] for i in sorted(marked.other & dropped)],
        }

    return ask


def _search(store: Opened, topic: Topic, *, exclude: Sequence[str]) -> Landscape:
    return store.engine.search(topic.query, exclude=exclude, alpha=1.0, facing=False, touch=False)


def _dropping(found: Landscape, dropped: Ids) -> _Dropping:
    return _Dropping(set(found.ids), {view.id for view in found.views if view.tier >= Tier.SUMMARY}, dropped)


def _marked(case: Case, ids: Mapping[str, int], topic: Topic) -> _Marked:
    about = {ids[label] for label in topic.about}
    for_nothing = {ids[label] for label in (*topic.context, *topic.borderline)}
    return _Marked(about, {ids[label] for label in case.labels} - about - for_nothing)


def _beside(store: Opened, topic: Topic) -> tuple[dict[str, _Dropping], Ids]:
    """What the other ways of excluding show and drop, and the memories that hold any of the term's words."""
    looker, _ = store.engine.looker()
    question, term = looker.probes([topic.query], [topic.term])
    at = {at_threshold(t): (t, question, term) for t in THRESHOLDS if term.vector is not None}
    at[WORDS_ALONE] = (THRESHOLD, Probe(question.terms, None), Probe(term.terms, None))
    with looker.scan.lock:
        columns = looker.scan.columns
        found = {way: _at(looker, store, topic.term, *given) for way, given in at.items()}
        held = weigh(looker.scan, topic.term, term, looker.recipe).words.own.rows
        return found, set(columns.id[held].tolist())


def _at(looker: Looker, store: Opened, term: str, threshold: float, question: Probe, topic: Probe) -> _Dropping:
    """A search as the product does it, with another threshold of nearness or without vectors."""
    scan, recipe, now_us = looker.scan, looker.recipe, store.clock.at_us
    mask = select(scan.columns, Filters(), now_us)
    rows = np.flatnonzero(mask)
    exclusion = weigh(scan, term, topic, recipe)
    gone = exclusion.holds[rows] | (exact_nearness(scan, exclusion, rows, recipe) >= threshold)
    profile = replace(store.engine.profile, alpha=1.0)
    sight = Sight(scan.examine(question, recipe), [exclusion], profile, recipe, store.engine.agent, now_us)
    mask[rows[gone]] = False
    ranked = rank(scan, sight, mask)
    shown, sharp = (ranked.rows[ranked.natural >= tier] for tier in (Tier.HEADLINE, Tier.SUMMARY))
    return _Dropping(*(set(scan.columns.id[found].tolist()) for found in (shown, sharp, rows[gone])))
