"""Two choices of a profile on real questions with real dates: how many candidates, and where the tiers stand.

Both look as an agent does: at a profile's own alpha and lambda, at the time of the question, over the memories that were
there by then. Nothing is promoted. It refuses to know any format.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Any

import numpy as np

from lodmem._version import __version__
from lodmem.evals.budget import Evidence, evidence_of
from lodmem.evals.datasets import Dataset, Question
from lodmem.evals.kept import Line
from lodmem.evals.metrics.evidence import is_shown
from lodmem.evals.metrics.mean import mean
from lodmem.evals.outcome import TURN
from lodmem.evals.runner import Asker, Plan, run
from lodmem.evals.stores import Opened
from lodmem.evals.variants import NUMBER, Measure, VariantsReport
from lodmem.lod.tiers import natural_tiers
from lodmem.model.memory import Tier, to_datetime
from lodmem.model.profile import DEFAULT_PROFILE, MAX_K, PRESETS, Profile

KS = (50, 200, 1000, MAX_K)
BUDGET = 6000
SEEN_BY = "over the memories that were there when the question was asked, with their own dates"


def evaluate_candidates(
    dataset: Dataset, plan: Plan, *, ks: Sequence[int] = KS, budget: int = BUDGET, alpha: float | None = None
) -> VariantsReport:
    """What k candidates hold and show of the evidence, and what they cost. `alpha` None: the default profile's.

    CPU time is of one whole search with the question's vector at hand, of all threads, the median over questions; it is
    measured anew for every question that is asked, and not comparable between machines. Raises as `run.evaluate`.
    """
    started = time.perf_counter()
    used = PRESETS[DEFAULT_PROFILE].alpha if alpha is None else alpha
    evidence = evidence_of(dataset, TURN)
    settings = {"measure": "candidates", "ks": list(ks), "budget": budget, "alpha": used}
    lines = run(dataset, plan, settings, lambda store: _candidates(store, ks, budget, used, evidence))
    asked = [line for line in lines if line["by_k"][str(ks[0])]["among"] is not None]
    return VariantsReport(
        dataset=dataset.name,
        what="how many candidates",
        head="k",
        measures=[
            Measure("among", "evidence among the candidates"),
            Measure("visible", f"visible at {budget:,} tokens"),
            Measure("shown", "evidence shown"),
            Measure("tokens", "tokens used", NUMBER),
            Measure("cpu_ms", "CPU ms a search", NUMBER),
        ],
        rows={_name(k): _of_k(asked, str(k)) for k in ks},
        questions=len(asked),
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        half=plan.half,
        told=[f"alpha {used:g}, {SEEN_BY}"],
    )


def _name(k: int) -> str:
    return "all" if k >= MAX_K else f"{k:,}"


def _of_k(lines: Sequence[Line], k: str) -> dict[str, float]:
    found = [line["by_k"][k] for line in lines]
    shares = {key: mean(one[key] for one in found if one[key] is not None) for key in ("among", "visible", "shown", "tokens")}
    return shares | {"cpu_ms": median([one["cpu_ms"] for one in found]) if found else 0.0}


def _candidates(
    store: Opened, ks: Sequence[int], budget: int, alpha: float, evidence: Mapping[str, Sequence[Evidence]]
) -> Asker:
    def ask(question: Question) -> Line:
        gold = {store.ids[label] for label in question.gold}
        told = [(store.ids[label], words) for label, words in evidence[question.id] if words]
        asking: dict[str, Any] = {"alpha": alpha, "until": to_datetime(store.clock.at_us)}
        store.engine.looker([question.text])  # its vector is in the cache from here on
        return {
            "text": question.text,
            "by_k": {str(k): _one(store, question.text, gold, told, {**asking, "k": k}, budget) for k in ks},
        }

    return ask


def _one(
    store: Opened,
    question: str,
    gold: set[int],
    told: Sequence[tuple[int, frozenset[str]]],
    asking: dict[str, Any],
    budget: int,
) -> dict[str, float | None]:
    ranked = store.engine.rank(question, **asking)
    began = time.process_time_ns()
    landscape = store.engine.search(question, budget=budget, touch=False, **asking)
    spent = time.process_time_ns() - began
    texts = {view.id: view.text for view in landscape.views}
    return {
        "among": len(gold & {memory_id for memory_id, _, _ in ranked}) / len(gold) if gold else None,
        "visible": len(gold & texts.keys()) / len(gold) if gold else None,
        "shown": mean(float(is_shown(words, texts.get(memory_id, ""))) for memory_id, words in told) if told else None,
        "tokens": float(landscape.budget.used),
        "cpu_ms": round(spent / 1e6, 3),
    }


def evaluate_tiers(dataset: Dataset, plan: Plan, *, profiles: Sequence[str] = tuple(PRESETS)) -> VariantsReport:
    """The tiers at which presets let candidates and evidence stand, with no budget; every question weighs the same.

    Nothing was ever retrieved in these stores, so D is age alone. Raises as `run.evaluate`.
    """
    started = time.perf_counter()
    chosen = [PRESETS[name] for name in profiles]
    lines = run(dataset, plan, {"measure": "tiers", "profiles": list(profiles)}, lambda store: _tiers(store, chosen))
    return VariantsReport(
        dataset=dataset.name,
        what="natural tiers",
        head="profile",
        measures=[
            Measure("candidates", "candidates", NUMBER),
            *(Measure(tier.label, tier.label) for tier in sorted(Tier, reverse=True)),
            Measure("evidence_full", "evidence in full"),
            Measure("evidence_summary", "at summary or better"),
            Measure("evidence_headline", "seen"),
        ],
        rows={profile.name: _of_profile(lines, profile.name) for profile in chosen},
        questions=len(lines),
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        half=plan.half,
        told=[f"no budget; nothing was ever retrieved; {SEEN_BY}"],
    )


def _of_profile(lines: Sequence[Line], name: str) -> dict[str, float]:
    found = [line["by_profile"][name] for line in lines]
    keys = dict.fromkeys(key for one in found for key in one)
    return {key: mean(one[key] for one in found if one[key] is not None) for key in keys} or dict.fromkeys(_KEYS, 0.0)


_KEYS = (
    "candidates",
    *(tier.label for tier in Tier),
    *(f"evidence_{tier.label}" for tier in Tier if tier is not Tier.HORIZON),
)


def _tiers(store: Opened, profiles: Sequence[Profile]) -> Asker:
    def ask(question: Question) -> Line:
        gold = [store.ids[label] for label in dict.fromkeys(question.gold)]
        until = to_datetime(store.clock.at_us)
        return {
            "text": question.text,
            "by_profile": {p.name: _standing(store, question.text, gold, p, until) for p in profiles},
        }

    return ask


def _standing(store: Opened, question: str, gold: Sequence[int], profile: Profile, until: datetime) -> dict[str, float | None]:
    ranked = store.engine.rank(question, profile=profile.name, until=until)
    scores = np.array([score for _, score, _ in ranked], dtype=np.float64)
    tiers = natural_tiers(scores, profile.theta1, profile.theta2, profile.theta3)
    at = {memory_id: Tier(int(tier)) for (memory_id, _, _), tier in zip(ranked, tiers, strict=True)}
    own = [at.get(memory_id, Tier.HORIZON) for memory_id in gold]
    return {
        "candidates": float(len(tiers)),
        **{tier.label: round(float((tiers == tier).mean()), 6) if len(tiers) else 0.0 for tier in Tier},
        **{
            f"evidence_{tier.label}": round(mean(float(one >= tier) for one in own), 6) if own else None
            for tier in Tier
            if tier is not Tier.HORIZON
        },
    }
