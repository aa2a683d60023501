"""Runs the workers and makes figures of what they wrote. A peer that cannot run is reported with the reason, never guessed."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.environments import Unavailable, python_of, quiet_environment
from benchmarks.peers.jobs import Laid, exact_top
from benchmarks.peers.roster import HERE, Peer
from lodmem.evals.datasets import Dataset
from lodmem.evals.metrics.recall import recall_at

WORKER = HERE / "worker.py"
RECALL_AT = (5, 10, 20, 50)
KS = (10, 1000)
MB = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is measured and where. `cases` and `dataset` go together, case by case; None: no quality.

    `sizes` are synthetic cases by number of memories, rising. Above the first, a peer gets `limit_s` for building and as much
    for answering, and is left out where its rate says that it would take longer; unless it runs in this interpreter: then it
    gets `own_limit_s`, as everybody gets at the first size.
    """

    work: Path
    dataset: Dataset | None = None
    cases: Sequence[Laid] = ()
    sizes: Sequence[Laid] = ()
    limit_s: float = 300.0
    own_limit_s: float = 3_600.0
    ks: Sequence[int] = KS
    say: Callable[[str], None] = field(default=lambda line: None)


def measure(peer: Peer, plan: Plan) -> dict[str, Any]:
    """What is known of one peer: versions, quality and speed by size, or why not."""
    found: dict[str, Any] = {"key": peer.key}
    try:
        plan.say(f"{peer.key}: environment")
        python = python_of(peer, plan.work / "environments")
        if plan.cases and plan.dataset is not None:
            plan.say(f"{peer.key}: quality on {len(plan.cases)} conversations")
            found |= quality(peer, python, plan, plan.dataset)
    except Unavailable as why:
        return {**found, "unavailable": str(why)}
    found["sizes"] = {}
    rate = float("inf")
    for place, case in enumerate(plan.sizes):
        limit = plan.own_limit_s if place == 0 or peer.own else plan.limit_s
        plan.say(f"{peer.key}: {case.memories:,} memories")
        try:
            if case.memories / rate > limit:
                raise Unavailable(f"would take over {limit:.0f} s to build: it keeps {rate:.0f} memories a second")
            versions, figures = speed(peer, python, plan, case, limit)
        except Unavailable as why:
            found["sizes"][str(case.memories)] = {"unavailable": str(why)}
            continue
        found.setdefault("versions", versions)
        found["sizes"][str(case.memories)] = figures
        rate = figures["memories_a_second"]
    return found


def quality(peer: Peer, python: Path, plan: Plan, dataset: Dataset) -> dict[str, Any]:
    """Recall of the evidence turns within each conversation, for each call; over both halves and over the check half."""
    stores = [plan.work / "stores" / peer.key / f"case-{number}" for number in range(len(plan.cases))]
    try:
        jobs = [job(case, store, list(peer.quality), [max(RECALL_AT)]) for case, store in zip(plan.cases, stores, strict=True)]
        built = work(peer, python, plan, "build", jobs, plan.own_limit_s)
        asked = work(peer, python, plan, "ask", jobs, plan.own_limit_s)
    finally:
        shutil.rmtree(plan.work / "stores" / peer.key, ignore_errors=True)
    found = {}
    for call in peer.quality:
        rows = []
        for case, answered in zip(dataset.cases, asked["cases"], strict=True):
            number = {label: index for index, label in enumerate(case.labels)}
            given = answered["answers"][f"{call}@{max(RECALL_AT)}"]["ids"]
            for question, ids in zip(case.questions, given, strict=True):
                place = {memory: rank for rank, memory in enumerate(ids, start=1)}
                ranks = [place.get(number[label]) for label in question.gold]
                check = not dataset.in_tune(question)
                rows.append((question.category, check, [recall_at(ranks, k) for k in RECALL_AT]))
        found[call] = {
            "recall_at": means([recalls for _, _, recalls in rows]),
            "recall_at_check_half": means([recalls for _, check, recalls in rows if check]),
            "by_category": {
                dataset.names.get(name, name): means([recalls for category, _, recalls in rows if category == name])
                for name in sorted({category for category, _, _ in rows})
            },
        }
    return {"versions": built["versions"], "quality": found, "network_tried": both(built, asked)}


def means(rows: Sequence[Sequence[float]]) -> dict[str, float]:
    """Mean recall in percent at each k."""
    if not rows:
        return {}
    return {
        str(k): round(100 * float(np.mean(column)), 2) for k, column in zip(RECALL_AT, zip(*rows, strict=True), strict=True)
    }


def speed(peer: Peer, python: Path, plan: Plan, case: Laid, limit_s: float) -> tuple[dict[str, str], dict[str, Any]]:
    """Versions and figures of one size: the store is built by one process and asked by another."""
    store = plan.work / "stores" / peer.key / "size"
    jobs = [job(case, store, list(peer.speed), list(plan.ks))]
    try:
        built = work(peer, python, plan, "build", jobs, limit_s)
        disk = sum(file.stat().st_size for file in store.rglob("*") if file.is_file())
        asked = work(peer, python, plan, "ask", jobs, limit_s)
    finally:
        shutil.rmtree(plan.work / "stores" / peer.key, ignore_errors=True)
    kept, answered = built["cases"][0], asked["cases"][0]
    figures = {
        "memories_a_second": round(1e3 * kept["memories"] / kept["wall_ms"], 1),
        "memories_a_second_before_finish": round(1e3 * kept["memories"] / kept["add_ms"], 1),
        "memories_a_cpu_second": round(1e3 * kept["memories"] / max(kept["cpu_ms"], 1e-6), 1),
        "disk_mb": round(disk / MB, 1),
        "rss_mb": round(answered["rss_mb"], 1),
        "rss_after_import_mb": round(asked["import_rss_mb"], 1),
        "import_ms": round(asked["import_ms"], 1),
        "open_to_first_answer_ms": round(answered["ready_ms"], 1),
        "network_tried": both(built, asked),
        "calls": {},
    }
    for call in peer.speed:
        by_k = {}
        for k in plan.ks:
            answer = answered["answers"][f"{call}@{k}"]
            by_k[str(k)] = times(answer)
            if call in peer.by_cosine:
                by_k[str(k)]["share_of_exact"] = agreement(case, answer["ids"], k)
        figures["calls"][call] = by_k
    return asked["versions"], figures


def times(answer: dict[str, Any]) -> dict[str, float]:
    """Median and worst of a call's times, and the median number of ids it gave."""
    return {
        "cpu_ms_p50": round(float(np.median(answer["cpu_ms"])), 3),
        "wall_ms_p50": round(float(np.median(answer["wall_ms"])), 3),
        "wall_ms_p95": round(float(np.percentile(answer["wall_ms"], 95)), 3),
        "questions": len(answer["ids"]),
        "ids_p50": float(np.median([len(ids) for ids in answer["ids"]])),
    }


def agreement(case: Laid, answers: Sequence[Sequence[int]], k: int) -> float:
    """Mean share of the exact k nearest by cosine that an answer holds, 0..1."""
    shares = [len(exact & set(ids)) / len(exact) for exact, ids in zip(exact_top(case, k), answers, strict=True)]
    return round(float(np.mean(shares)), 4)


def job(case: Laid, store: Path, calls: Sequence[str], ks: Sequence[int]) -> dict[str, Any]:
    return {
        "data": str(case.folder),
        "store": str(store),
        "dims": case.dims,
        "options": dict(case.options),
        "calls": list(calls),
        "ks": list(ks),
    }


def work(peer: Peer, python: Path, plan: Plan, phase: str, cases: Sequence[dict[str, Any]], limit_s: float) -> dict[str, Any]:
    """What a worker wrote. Raises Unavailable when it failed or took longer than `limit_s`."""
    home = plan.work / "homes" / peer.key
    home.mkdir(parents=True, exist_ok=True)
    for case in cases:
        Path(case["store"]).mkdir(parents=True, exist_ok=True)
    ordered, written = home / "job.json", home / "out.json"
    ordered.write_text(json.dumps({"phase": phase, "adapter": str(peer.adapter_path), "cases": list(cases)}), encoding="utf-8")
    written.unlink(missing_ok=True)
    # -P: this folder's names must not hide the peers' own.
    command = [str(python), "-P", str(WORKER), str(ordered), str(written)]
    environment = quiet_environment(home)
    try:
        done = subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, check=False, timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{phase} took longer than {limit_s:.0f} s") from None
    if done.returncode or not written.exists():
        said = done.stderr.strip().splitlines()
        raise Unavailable(f"{phase} failed: {said[-1] if said else f'exit code {done.returncode}'}"[:300])
    out: dict[str, Any] = json.loads(written.read_text(encoding="utf-8"))
    return out


def both(built: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    return sorted({*built["network_tried"], *asked["network_tried"]})
