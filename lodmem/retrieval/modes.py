"""Questions without a query: plain filters and orders over the same rows, the same landscape out. Source: SPEC 4."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

import numpy as np

from lodmem.lod import decay as temporal
from lodmem.lod.sampling import neglect, sample
from lodmem.lod.tiers import lifted, natural_tiers, rounded
from lodmem.model.landscape import Landscape
from lodmem.model.memory import Tier
from lodmem.model.profile import Profile
from lodmem.model.query import Mode, Query
from lodmem.retrieval.candidates import Rows
from lodmem.retrieval.exclude import dropped, weigh
from lodmem.retrieval.landscape import Composer, Frame
from lodmem.retrieval.ranked import Array, Ranked, floors_of, no_lower_than
from lodmem.retrieval.search import Looker
from lodmem.scan.columns import Columns
from lodmem.scan.filters import select
from lodmem.scan.scan import Probe


def browse(
    looker: Looker, query: Query, profile: Profile, agent: str, now_us: int, zone: ZoneInfo, probes: Sequence[Probe]
) -> Landscape:
    """The landscape of a mode other than search; `probes` are the exclusions'. The caller holds the scan's lock."""
    scan, recipe = looker.scan, looker.recipe
    rows = np.flatnonzero(select(scan.columns, query.filters, now_us))
    exclusions = [weigh(scan, term, probe, recipe) for term, probe in zip(query.exclude, probes, strict=True)]
    gone = dropped(scan, exclusions, rows, recipe)
    kept = rows[~gone]
    decay = rounded(scan.decay(now_us, profile.lambda_, kept))
    ranked = _ranked(scan.columns, query, profile, agent, now_us, kept, decay)
    frame = Frame(
        query=query, profile=profile, now_us=now_us, zone=zone, weights={},
        words_only=looker.words_only if query.exclude else "", excluded=int(np.count_nonzero(gone)), considered=len(kept),
    )  # fmt: skip
    return Composer(looker.store, scan.columns, looker.counter, frame).page(ranked, query.offset, query.limit)


def _ranked(columns: Columns, query: Query, profile: Profile, agent: str, now_us: int, rows: Rows, decay: Array) -> Ranked:
    """All rows of the mode, in its order, with its score and tier."""
    count, created, ids = columns.count[rows], columns.created[rows], columns.id[rows]
    frequency = rounded(temporal.frequency(count))
    thresholds = (profile.theta1, profile.theta2, profile.theta3)
    score, tiers = frequency, natural_tiers(frequency, *thresholds)
    match query.mode:
        case Mode.WINDOW:
            order = np.lexsort((ids, -created, -frequency))
        case Mode.RECENT:
            order = np.lexsort((-ids, -created))
        case Mode.IMPORTANT:
            score = rounded(temporal.faded_importance(columns.importance[rows], temporal.days_between(created, now_us)))
            order = np.lexsort((ids, -score))
        case Mode.UNSEEN:
            order = np.lexsort((-ids, -created))[count[np.lexsort((-ids, -created))] == 0]
            tiers = np.full(len(rows), Tier.HEADLINE, dtype=np.int8)
        case _:
            score, tiers = decay, natural_tiers(decay, *thresholds)
            order = sample(neglect(decay), len(rows), np.random.default_rng(query.seed))
    floors = floors_of(columns, rows, agent, profile)
    natural = lifted(no_lower_than(tiers, Tier.HEADLINE), floors)
    return Ranked(rows, score, None, decay, natural, floors).take(order)
