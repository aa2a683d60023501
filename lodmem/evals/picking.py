"""Picking by headlines: how often the right session stands among the first when nothing but headlines can be read.

One memory a session. The headlines become the memories of a store of their own, which the product searches: what a reader
does who chooses what to open. `stored` headlines know no question; `facing` ones are drawn towards it by a search over the
whole sessions, as it shows them. It refuses to know any format.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from lodmem._version import __version__
from lodmem.evals.cache import CachingEmbedder, default_cache_dir
from lodmem.evals.datasets import Case, Dataset, Question, as_sessions
from lodmem.evals.kept import Line
from lodmem.evals.meter import Meter
from lodmem.evals.metrics.mean import mean
from lodmem.evals.runner import Asker, Plan, run
from lodmem.evals.stores import Opened, opened
from lodmem.evals.variants import NUMBER, Measure, VariantsReport, recall
from lodmem.ingest.pipeline import prepare
from lodmem.model.profile import MAX_K
from lodmem.models.tokenizer import WordPieceCounter
from lodmem.ports import Embedder, TokenCounter

STORED, FACING = "stored", "facing"
NAMES = {STORED: "stored headline", FACING: "headline facing the question"}
CUTOFFS = (1, 3, 5, 10)

Places = dict[str, int | None]


def evaluate_picking(dataset: Dataset, plan: Plan, *, facing: bool = True) -> VariantsReport:
    """Recall of evidence sessions by headlines alone, at alpha 1. `facing`: by headlines drawn towards the question too.

    Headlines alone are embedded, the sessions are not. Raises as `lodmem.evals.run.evaluate`.
    """
    started = time.perf_counter()
    sessions = replace(dataset, cases=tuple(as_sessions(case) for case in dataset.cases))
    lines = {STORED: _by_stored(sessions, plan)}
    if facing:
        lines[FACING] = _by_facing(sessions, plan)
    return VariantsReport(
        dataset=dataset.name,
        what="the right session picked by its headline alone",
        head="picked by",
        measures=[
            *(Measure(f"recall_at_{k}", f"R@{k}") for k in CUTOFFS),
            Measure("lines", "headlines", NUMBER),
            Measure("tokens", "tokens a headline", NUMBER),
        ],
        rows={NAMES[kind]: _row(found) for kind, found in lines.items()},
        questions=len(lines[STORED]),
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        half=plan.half,
        told=["one memory a session; a headline is found by its words, its meaning and its date, nothing else"],
    )


def _row(lines: Sequence[Line]) -> dict[str, float]:
    return {
        **{f"recall_at_{k}": recall([line["sessions"] for line in lines], k) for k in CUTOFFS},
        **{key: mean(line[key] for line in lines) for key in ("lines", "tokens")},
    }


def _by_stored(sessions: Dataset, plan: Plan) -> list[Line]:
    counter = WordPieceCounter()
    headlines = replace(sessions, cases=tuple(_saying(case, _headlines(case, counter)) for case in sessions.cases))

    def asker(store: Opened) -> Asker:
        tokens = _tokens(store.case, counter)
        return lambda question: _line(question, store.case, tokens, _places(store, question))

    return run(headlines, _below(plan, STORED), {"measure": "picking", "headlines": STORED}, asker)


def _by_facing(sessions: Dataset, plan: Plan) -> list[Line]:
    with ExitStack() as stack:
        embedder = plan.embedder
        if embedder is not None:
            embedder = stack.enter_context(CachingEmbedder(embedder, plan.cache_dir or default_cache_dir()))
        # Which sentences face a question is a matter of words: the sessions need no vectors.
        settings = {"measure": "picking", "headlines": FACING, "model": plan.model}
        return run(sessions, replace(_below(plan, FACING), embedder=None), settings, _facing(embedder))


def _facing(embedder: Embedder | None) -> Callable[[Opened], Asker]:
    counter = WordPieceCounter()

    def asker(store: Opened) -> Asker:
        def ask(question: Question) -> Line:
            case = replace(_saying(store.case, _faced(store, question)), now_us=store.clock.at_us)
            with opened(case, embedder, None, Meter(None, 0)) as surface:
                return _line(question, case, _tokens(case, counter), _places(surface, question))

        return ask

    return asker


def _headlines(case: Case, counter: TokenCounter) -> dict[str, str]:
    """The headline that a store would keep of each session."""
    return {
        label: prepare(draft, counter, now_us=case.now_us).levels.headline
        for label, draft in zip(case.labels, case.drafts, strict=True)
    }


def _faced(store: Opened, question: Question) -> dict[str, str]:
    """Every session as a search with this question shows it at the tier of headlines."""
    found = store.engine.search(question.text, alpha=1.0, theta1=1.0, theta2=1.0, theta3=0.0, k=MAX_K, touch=False)
    texts = {view.id: view.text for view in found.views}
    return {label: texts[memory_id] for label, memory_id in store.ids.items()}


def _saying(case: Case, texts: Mapping[str, str]) -> Case:
    """The case with other texts at the same places."""
    drafts = (replace(draft, full=texts[label]) for label, draft in zip(case.labels, case.drafts, strict=True))
    return replace(case, id=f"{case.id}, headlines", drafts=tuple(drafts))


def _places(store: Opened, question: Question) -> Places:
    """Rank of each evidence session in the store, from 1; None where a search does not choose from it."""
    ranked = store.engine.rank(question.text, alpha=1.0, k=MAX_K, theta3=0.0)
    place = {memory_id: number for number, (memory_id, _, _) in enumerate(ranked, start=1)}
    return {label: place.get(store.ids[label]) for label in question.gold}


def _line(question: Question, case: Case, tokens: float, places: Places) -> Line:
    return {"text": question.text, "sessions": places, "lines": len(case.drafts), "tokens": tokens}


def _tokens(case: Case, counter: TokenCounter) -> float:
    return round(mean(counter.counts([draft.full for draft in case.drafts])), 1)


def _below(plan: Plan, kind: str) -> Plan:
    return plan if plan.out_dir is None else replace(plan, out_dir=plan.out_dir / kind)
