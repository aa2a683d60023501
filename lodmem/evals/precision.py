"""Runs PrecisionMemBench: exactly the right beliefs must surface, by user and scope, never one that was superseded.

A user is a space, a scope a tag, a superseded belief is superseded, a settled question has expired, open questions are of
another kind than beliefs: the product's own filters do the rest. A belief has surfaced when its natural tier is the one asked
about or better. Several scopes are several searches, merged by score. It refuses to know the format.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType

import lodmem
from lodmem._version import __version__
from lodmem.engine import Engine
from lodmem.evals.beliefs import OPEN_QUESTION, RELATION, Belief, PrecisionBench, PrecisionCase, files_of, load_precision
from lodmem.evals.cache import CachingEmbedder, default_cache_dir
from lodmem.evals.files import digest
from lodmem.evals.fingerprint import of_code
from lodmem.evals.kept import Kept, Line
from lodmem.evals.metrics.precision import set_precision
from lodmem.evals.precision_report import PrecisionReport
from lodmem.evals.runner import Plan
from lodmem.evals.stores import QuestionClock
from lodmem.model.landscape import View
from lodmem.model.memory import Draft, Kind, Source, Tier

TIERS = (Tier.FULL, Tier.SUMMARY, Tier.HEADLINE)
DAY_US = 86_400_000_000


def evaluate_precision(folder: Path, plan: Plan, *, alpha: float = 1.0) -> PrecisionReport:
    """What surfaced in each case, at each tier. The plan's half, limit and work directory are not used: there are few cases.

    Raises:
        UnknownPath, BadParameter: files are missing or not in the format.
        ModelError: the embedder failed. StorePathError: results cannot be kept.
    """
    started = time.perf_counter()
    bench = load_precision(folder)
    settings = {"measure": "precision", "alpha": alpha, "embedder": plan.model, "code": of_code(), "version": __version__}
    data = [digest(path) for path in files_of(folder)]
    kept = None if plan.out_dir is None else Kept(plan.out_dir, {**settings, "data": data})
    lines: list[Line] = []
    with ExitStack() as stack:
        embedder = plan.embedder
        if embedder is not None:
            embedder = stack.enter_context(CachingEmbedder(embedder, plan.cache_dir or default_cache_dir()))
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lodmem-eval-", ignore_cleanup_errors=True)))
        engine = stack.enter_context(
            lodmem.open(
                place / "eval.db",
                embedder="none" if embedder is None else embedder,
                clock=QuestionClock(max(b.created_us for b in bench.beliefs.values()) + DAY_US),
                background=False,
            )
        )
        ids = _remember(engine, bench)
        for done, case in enumerate(bench.cases, start=1):
            known = None if kept is None else kept.get(case.id)
            line = known or _result(bench, case, _found(engine, bench, case, ids, alpha))
            lines.append(line)
            if kept is not None and known is None:
                kept.add(case.id, line)
            if plan.progress is not None:
                plan.progress("precision: asking", done, len(bench.cases))
    return PrecisionReport(
        lines=lines,
        tiers=tuple(tier.label for tier in TIERS),
        alpha=alpha,
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
    )


def _remember(engine: Engine, bench: PrecisionBench) -> dict[int, str]:
    """Keep the beliefs as a user of the product would; the belief of each memory."""
    beliefs = list(bench.beliefs.values())
    added = engine.remember_many([_draft(belief) for belief in beliefs])
    ids = {belief.id: one.id for belief, one in zip(beliefs, added, strict=True)}
    for belief in beliefs:
        if belief.superseded_by is not None:
            engine.supersede(ids[belief.id], ids[belief.superseded_by])
    engine.drain()
    return {memory_id: name for name, memory_id in ids.items()}


def _draft(belief: Belief) -> Draft:
    return Draft(
        full=belief.text,
        space=belief.user,
        kind=Kind.WORKING if belief.kind == OPEN_QUESTION else Kind.SEMANTIC,
        created_us=belief.created_us,
        expires_us=belief.resolved_us,
        source=Source(f"belief:{belief.id}"),
        tags=belief.scopes,
        meta=MappingProxyType({"belief": belief.id}),
    )


def _found(
    engine: Engine, bench: PrecisionBench, case: PrecisionCase, ids: Mapping[int, str], alpha: float
) -> dict[str, list[str]]:
    """Relevant beliefs in order of score, by the tier from which on they count."""
    views: dict[int, View] = {}
    horizon = 0.0
    if case.query.strip() and case.most_beliefs > 0:
        for scope in case.scopes:
            landscape = engine.search(
                case.query, space=case.user, tags=(scope,), kinds=(Kind.SEMANTIC,), alpha=alpha, facing=False, touch=False
            )
            views |= {view.id: view for view in landscape.views}
            horizon = landscape.profile.theta3
    ordered = sorted(views.values(), key=lambda view: (-view.score, view.id))
    # The best memory is shown even where its score earns it nothing: that is not surfacing.
    earned = [view for view in ordered if view.score >= horizon]
    return {tier.label: _surfaced(bench, case, [ids[view.id] for view in earned if view.natural >= tier]) for tier in TIERS}


def _surfaced(bench: PrecisionBench, case: PrecisionCase, ranked: Sequence[str]) -> list[str]:
    """As the benchmark counts: without pinned ones, with what a relation joins, as many as there are places left."""
    pinned = bench.pinned(case)
    direct = [name for name in ranked if name not in pinned][: case.most_beliefs]
    joined = [
        other
        for name in direct
        if bench.beliefs[name].kind == RELATION
        for other in bench.beliefs[name].participants
        if other not in direct and other not in pinned and _may_join(bench.beliefs[other], case)
    ]
    places = max(0, case.most_beliefs - len(pinned[: case.most_beliefs]))
    return list(dict.fromkeys([*direct, *joined]))[:places]


def _may_join(belief: Belief, case: PrecisionCase) -> bool:
    return belief.kind != OPEN_QUESTION and belief.user == case.user and belief.in_any(case.scopes)


def _result(bench: PrecisionBench, case: PrecisionCase, found: Mapping[str, Sequence[str]]) -> Line:
    pinned = bench.pinned(case)
    wanted = _wanted(bench, case)
    return {
        "question": case.id,
        "category": case.category,
        "text": case.query,
        "expected": sorted(wanted),
        "exact": case.expected.only is not None,
        "at": {
            tier: {
                "surfaced": list(names),
                "failures": failures(case, names, pinned),
                "precision": set_precision(names, wanted),
                "recall": len(wanted.intersection(names)) / len(wanted) if wanted else None,
            }
            for tier, names in found.items()
        },
    }


def _wanted(bench: PrecisionBench, case: PrecisionCase) -> frozenset[str]:
    """What the relevant beliefs should be; without an exact set, those that must be there and are not pinned anyway."""
    if case.expected.only is not None:
        return case.expected.only
    return frozenset(n for n in case.expected.include if not (bench.beliefs[n].pinned and bench.beliefs[n].user == case.user))


def failures(case: PrecisionCase, relevant: Sequence[str], pinned: Sequence[str]) -> list[str]:
    """What of a case's expectation does not hold, a line each; empty when it passes."""
    expected, seen, there = case.expected, set(relevant), {*relevant, *pinned}
    told = [f"missing {name}" for name in expected.include if name not in there]
    told += [f"forbidden {name}" for name in expected.exclude if name in there]
    if expected.only is not None:
        told += [f"unexpected {name}" for name in relevant if name not in expected.only]
        told += [f"missing {name}" for name in sorted(expected.only) if name not in seen]
    if expected.most is not None and len(seen) > expected.most:
        told.append(f"{len(seen)} beliefs, more than {expected.most}")
    if expected.least is not None and len(seen) < expected.least:
        told.append(f"{len(seen)} beliefs, fewer than {expected.least}")
    place = {name: rank for rank, name in enumerate(relevant)}
    told += [
        f"{first} not before {second}"
        for first, second in expected.before
        if first not in place or second not in place or place[first] > place[second]
    ]
    return told
