"""The whole store seen from one question: S, LOD and tier of every memory in the order of its rows, and no text.

The numbers are those of `search`: the same evidence, filters, exclusions, candidates and budget. The caller holds the scan's
lock and has synced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.tiers import lifted, lod_score, natural_tiers
from lodmem.model.landscape import BudgetAccount
from lodmem.model.memory import Tier
from lodmem.model.profile import Profile
from lodmem.model.query import Query
from lodmem.ports import Floats
from lodmem.retrieval.candidates import Rows, Scored, best_of, exact
from lodmem.retrieval.landscape import Composer, Frame, Plan
from lodmem.retrieval.ranked import Ranked, floors_of
from lodmem.retrieval.search import Look, Looker, sight_of
from lodmem.scan.columns import Columns
from lodmem.scan.filters import select
from lodmem.scan.scan import Probe

Bytes = NDArray[np.uint8]

# Bits of a row's flags.
CANDIDATE, FILTERED, EXCLUDED, FLOOR, BUDGET, KEPT = 1, 2, 4, 8, 16, 32


@dataclass(frozen=True, slots=True)
class Relevances:
    """S of rows, lowered by the exclusions; NaN where a filter or an exclusion leaves a memory out."""

    relevance: Floats
    considered: int
    excluded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiering:
    """Tier, natural tier, flags and LOD of rows. `counts` and `natural_counts` by tier of the candidates, `costs` the tokens of
    the lines shown; the account's `used` counts what is no memory's line at its most."""

    tier: Bytes
    natural: Bytes
    flags: Bytes
    score: Floats
    counts: Mapping[str, int]
    natural_counts: Mapping[str, int]
    costs: Mapping[str, int]
    account: BudgetAccount
    considered: int
    excluded: int


def rows_in(columns: Columns, space: str | None) -> Rows:
    """Rows of what is there in a space and those below it, None: everywhere; by rising id."""
    there = columns.alive.copy()
    if space is not None:
        inside = [name == space or name.startswith(space + "/") for name in columns.spaces.names]
        there &= np.array(inside, dtype=np.bool_)[columns.space]
    return np.flatnonzero(there)


def relevance_of_all(
    looker: Looker, query: Query, profile: Profile, agent: str, now_us: int, probes: Sequence[Probe], rows: Rows
) -> Relevances:
    """S of `rows` for a query."""
    seen = sight_of(looker, query, profile, agent, now_us, probes)
    found = np.full(len(looker.scan.columns), np.nan, dtype=np.float32)
    left = rows[seen.mask[rows]]
    found[left] = exact(looker.scan, seen.sight, left).relevance
    return Relevances(found[rows], seen.left, seen.excluded)


def tiers_of_all(
    looker: Looker, query: Query, profile: Profile, agent: str, now_us: int, zone: ZoneInfo, probes: Sequence[Probe], rows: Rows
) -> Tiering:
    """Tiers of `rows` for a query; one without a text has S 0 everywhere."""
    scan, columns = looker.scan, looker.scan.columns
    readable = select(columns, query.filters, now_us)
    seen, scored = _scored(looker, query, profile, agent, now_us, probes)
    ranked = best_of(scan, seen.sight, scored)
    if query.limit is not None:
        ranked = ranked.take(slice(0, query.limit))
    frame = Frame(
        query=query, profile=profile, now_us=now_us, zone=zone, weights={}, words_only=looker.words_only,
        excluded=seen.excluded, considered=seen.left,
    )  # fmt: skip
    plan = Composer(looker.store, columns, looker.counter, frame).plan(ranked)
    tiers = _Rowwise(columns, scored, ranked, plan, profile, agent)
    flags = tiers.flags | np.where(readable, 0, FILTERED).astype(np.uint8)
    flags |= np.where(readable & ~seen.mask, EXCLUDED, 0).astype(np.uint8)
    return Tiering(
        tier=tiers.tier[rows],
        natural=tiers.natural[rows],
        flags=flags[rows],
        score=tiers.score[rows],
        counts=_counted(plan.tiers),
        natural_counts=_counted(ranked.natural),
        costs=_costs(plan),
        account=_account(plan, profile),
        considered=seen.left,
        excluded=seen.excluded,
    )


def _scored(
    looker: Looker, query: Query, profile: Profile, agent: str, now_us: int, probes: Sequence[Probe]
) -> tuple[Look, Scored]:
    """Exact scores of everything readable that the exclusions left."""
    if query.text:
        seen = sight_of(looker, query, profile, agent, now_us, probes)
        return seen, exact(looker.scan, seen.sight, np.flatnonzero(seen.mask))
    seen = sight_of(looker, query, profile, agent, now_us, [Probe((), None), *probes])
    rows = np.flatnonzero(seen.mask)
    nothing = np.zeros(len(rows))
    decay = looker.scan.decay(seen.sight.now_us, profile.lambda_, rows)
    return seen, Scored(rows, nothing, lod_score(nothing, decay, profile.alpha))


class _Rowwise:
    """What is known of candidates, spread over all rows of the columns."""

    def __init__(self, columns: Columns, scored: Scored, ranked: Ranked, plan: Plan, profile: Profile, agent: str) -> None:
        count = len(columns)
        self.tier, self.natural, self.flags = (np.zeros(count, dtype=np.uint8) for _ in range(3))
        self.score = np.full(count, np.nan, dtype=np.float32)
        by_score = natural_tiers(scored.score, profile.theta1, profile.theta2, profile.theta3)
        floors = floors_of(columns, scored.rows, agent, profile)
        self.natural[scored.rows] = lifted(by_score, floors)
        self.score[scored.rows] = scored.score
        self.flags[scored.rows[floors > by_score]] |= FLOOR
        self.tier[ranked.rows] = plan.tiers
        self.flags[ranked.rows] |= CANDIDATE
        self.flags[ranked.rows[plan.tiers != plan.natural]] |= BUDGET
        self.flags[ranked.rows[plan.natural != ranked.natural]] |= KEPT


def _counted(tiers: NDArray[np.int8]) -> dict[str, int]:
    return {tier.label: int(np.count_nonzero(tiers == tier)) for tier in reversed(Tier)}


def _costs(plan: Plan) -> dict[str, int]:
    costs = dict.fromkeys((tier.label for tier in reversed(Tier)), 0)
    for tier, line in zip(plan.tiers.tolist(), plan.costs, strict=True):
        costs[Tier(tier).label] += line[tier]
    return costs


def _account(plan: Plan, profile: Profile) -> BudgetAccount:
    shown = plan.tiers > 0
    return BudgetAccount(
        requested=profile.budget,
        used=plan.spent.used + plan.overhead,
        bias=plan.spent.bias,
        stepped_down=int(np.count_nonzero(shown & (plan.tiers < plan.natural))),
        dropped=int(np.count_nonzero(~shown & (plan.natural > 0))),
    )


def floors_in(columns: Columns, rows: Rows, profile: Profile, agent: str) -> Bytes:
    """The lowest tier each row may be shown at."""
    return floors_of(columns, rows, agent, profile).astype(np.uint8)
