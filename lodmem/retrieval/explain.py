"""Why one memory stands where it stands for one query, term by term. Source: SPEC 2, 3."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lodmem.lod import relevance
from lodmem.lod.relevance import NEIGHBOUR_OFFSETS
from lodmem.lod.tiers import lifted, lod_score, natural_tiers, rounded
from lodmem.model.landscape import Explanation
from lodmem.model.memory import Tier
from lodmem.model.profile import Profile
from lodmem.model.query import Query
from lodmem.retrieval.exclude import THRESHOLD, exact_nearness
from lodmem.retrieval.ranked import Array, floors_of
from lodmem.retrieval.search import Look, Looker, candidates, sight_of
from lodmem.scan.columns import NEVER
from lodmem.scan.filters import select
from lodmem.scan.lexical import Lexical, Sparse
from lodmem.scan.scan import Probe

Part = tuple[str, float, str]


def explain(
    looker: Looker, memory_id: int, query: Query, profile: Profile, agent: str, now_us: int, probes: Sequence[Probe]
) -> Explanation:
    """Every number between the query and the tier. The caller holds the scan's lock and knows that the memory is there."""
    seen = sight_of(looker, query, profile, agent, now_us, probes)
    scan = looker.scan
    row = scan.rows_of([memory_id])
    signals, found_relevance = _signal_parts(looker, seen, row)
    parts = [*signals, *_time_parts(looker, seen, row, profile, found_relevance)]
    found = {name: value for name, value, _ in parts}
    ranked = candidates(looker, seen)
    place = np.flatnonzero(ranked.rows == row[0])
    floor = Tier(int(floors_of(scan.columns, row, agent, profile)[0]))
    score = np.array([found["LOD"]]) if not len(place) else ranked.score[place]
    if score[0] != found["LOD"]:
        parts.append(("taken", float(score[0]), "the score of an older memory that it is in conflict with: newest first"))
    natural = natural_tiers(score, profile.theta1, profile.theta2, profile.theta3)
    return Explanation(
        id=memory_id,
        query=query.text,
        rank=int(place[0]) + 1 if len(place) else None,
        tier=Tier(int(lifted(natural, np.array([int(floor)], dtype=np.int8))[0])),
        floor=floor,
        relevance=found["S"],
        decay=found["D"],
        score=found["LOD"],
        parts=tuple(parts),
        words=tuple(_words(looker, seen, int(row[0]))),
        reasons=tuple(_reasons(looker, seen, query, row, bool(len(place)), now_us)),
        profile=profile,
    )


def _signal_parts(looker: Looker, seen: Look, row: np.ndarray) -> tuple[list[Part], Array]:
    """The parts of S in order, and S itself before it is rounded."""
    scan, recipe, evidence = looker.scan, looker.recipe, seen.sight.evidence
    words, columns, at = evidence.words, scan.columns, int(row[0])
    cosine = scan.exact_cosine(evidence.probe.vector, row)
    passages = columns.passages[row]
    vector = relevance.vector_part(relevance.fair_cosine(cosine, passages, recipe), recipe)
    shared, source = words.shared_at(row), words.source_at(columns, row)
    fused = relevance.fuse(vector, shared, source, recipe)
    parts: list[Part] = [
        ("cosine", float(cosine[0]), "query and best passage; a short memory is read together with its predecessor"),
        ("passages", float(passages[0]), "the best of many is high by chance: cosine and coverage give some of it back"),
        ("V", float(vector[0]), f"cosine clipped from {recipe.c0:g}..{recipe.c1:g} to 0..1, weight {recipe.vector:g}"),
        ("BM25", _said(words, words.bm25, row), "of the full text and its date, as a share of what this query can reach"),
        ("coverage", _said(words, words.coverage, row), "share of the query's idf in the best passage"),
        ("l", _said(words, words.own, row), "lexical score of the memory alone"),
    ]
    for column, offset in enumerate(NEIGHBOUR_OFFSETS):
        beside = int(columns.beside[at, column])
        if beside >= 0:
            share = recipe.neighbours[column]
            name = f"l[{offset:+d}]"
            lent = _said(words, words.own, np.array([beside]))
            parts.append((name, lent, f"neighbour #{columns.id[beside]}, share {share:g}"))
    parts += [
        ("L", float(shared[0]), f"l and the neighbours' share, weight {recipe.lexical:g}"),
        ("X", float(source[0]), f"BM25 of the whole source, weight {recipe.source:g}"),
        ("s", float(fused[0]), "weighted mean of V, L and X; missing parts leave their weight to the others"),
    ]
    final = relevance.calibrated(fused, recipe)
    if seen.sight.profile.relevance == "cosine" and evidence.probe.vector is not None:
        final = relevance.cosine_only(cosine)
    for exclusion in seen.sight.exclusions:
        near = exact_nearness(scan, exclusion, row, recipe)
        parts.append((f"near {exclusion.term!r}", float(near[0]), f"lowers S in proportion; dropped from {THRESHOLD:g}"))
        final = final * (1.0 - near)
    parts.append(("S", float(rounded(final)[0]), f"1 / (1 + exp(-(s - {recipe.s0:g}) / {recipe.width:g}))"))
    return [part for part in parts if not np.isnan(part[1])], final


def _said(words: Lexical, part: Sparse, row: np.ndarray) -> float:
    """A lexical part of one row; NaN where the question has no word."""
    return float(part.at(row)[0]) if words.idfs else math.nan


def _time_parts(looker: Looker, seen: Look, row: np.ndarray, profile: Profile, found: Array) -> list[Part]:
    scan, sight = looker.scan, seen.sight
    columns, at = scan.columns, int(row[0])
    since = columns.created[at] if columns.last[at] == NEVER else columns.last[at]
    days = max(0.0, (sight.now_us - int(since)) / 86_400_000_000)
    decay = scan.decay(sight.now_us, profile.lambda_, row)
    what = "creation, never retrieved" if columns.last[at] == NEVER else "the last retrieval"
    return [
        ("t", days, f"days since {what}"),
        ("r", float(columns.count[at]), "times retrieved"),
        ("D", float(rounded(decay)[0]), f"exp(-{profile.lambda_:g} * t / (1 + ln(1 + r)))"),
        ("LOD", float(lod_score(found, decay, profile.alpha)[0]), f"{profile.alpha:g} * S + {1 - profile.alpha:g} * D"),
    ]


def _words(looker: Looker, seen: Look, row: int) -> list[tuple[str, float]]:
    """The query's terms that the memory holds, each with its weight, heaviest first."""
    columns = looker.scan.columns
    held = []
    for term, weight in seen.sight.evidence.words.idfs.items():
        passages, _ = columns.postings.find(term)
        if row in columns.memory_of[passages]:
            held.append((term, float(rounded(np.array([weight]))[0])))
    return sorted(held, key=lambda pair: (-pair[1], pair[0]))


def _reasons(looker: Looker, seen: Look, query: Query, row: np.ndarray, placed: bool, now_us: int) -> list[str]:
    profile = seen.sight.profile
    reasons = []
    if not select(looker.scan.columns, query.filters, now_us)[row[0]]:
        reasons.append("the filters leave it out: it is not shown")
    for exclusion in seen.sight.exclusions:
        if exclusion.holds[row[0]]:
            reasons.append(f"dropped: it holds the excluded words {exclusion.term!r}")
        elif exact_nearness(looker.scan, exclusion, row, looker.recipe)[0] >= THRESHOLD:
            reasons.append(f"dropped: its nearness to {exclusion.term!r} reaches {THRESHOLD:g}")
    if not placed and not reasons:
        reasons.append(f"it is not among the best {profile.k} of {seen.left}")
    if looker.words_only:
        reasons.append(f"by words alone: {looker.words_only}")
    reasons.append(f"being used can add at most {1 - profile.alpha:g} to its score (1 - alpha)")
    return reasons
