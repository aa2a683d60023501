"""Memories in an open conflict stand together, the newest first, and each names the others. Source: SPEC 5.4.

Whoever asks for what was true asks for what is: the newer side takes the score of the older one where that is higher, and the
place before it. Nothing is asked of the store while no candidate has the status `conflict`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lodmem.lod.tiers import lifted, natural_tiers, rounded
from lodmem.model.memory import Status, Tier
from lodmem.ports import Store
from lodmem.retrieval.candidates import Mask, Sight, exact
from lodmem.retrieval.ranked import Array, Ranked, Rows, floors_of
from lodmem.scan.columns import STATUSES, Columns
from lodmem.scan.scan import Scan

MAX_NAMED = 4
CONFLICT = STATUSES.index(Status.CONFLICT)

Pairs = Sequence[tuple[int, int]]


def newest_first(store: Store, scan: Scan, sight: Sight, mask: Mask, ranked: Ranked) -> Ranked:
    """The candidates with conflicts in order: both sides are there, the newer before the older, with its score if higher."""
    columns = scan.columns
    pairs = _pairs(store, columns, ranked.rows, mask)
    if not pairs:
        return ranked
    there = set(ranked.rows.tolist())
    missing = sorted({row for pair in pairs for row in pair} - there)
    if missing:
        ranked = _joined(ranked, _scored(scan, sight, np.array(missing, dtype=np.int64)))
    place = {row: at for at, row in enumerate(ranked.rows.tolist())}
    score, origin = _inherited(columns, ranked, [(place[old], place[new]) for old, new in pairs])
    rows = ranked.rows
    age = (-columns.id[rows], -columns.sequence[rows], -columns.created[rows])
    order = np.lexsort((*age, columns.id[rows[origin]], -score))
    profile = sight.profile
    natural = natural_tiers(score, profile.theta1, profile.theta2, profile.theta3)
    natural = lifted(np.maximum(natural, ranked.natural), ranked.floors)
    for old, new in pairs:
        if natural[place[old]] or natural[place[new]]:
            natural[[place[old], place[new]]] = np.maximum(natural[[place[old], place[new]]], np.int8(Tier.HEADLINE))
    return Ranked(rows, score, ranked.relevance, ranked.decay, natural, ranked.floors).take(order)


def notes(store: Store, columns: Columns, rows: Rows, as_of_us: int | None = None) -> Mapping[int, tuple[str, ...]]:
    """By position among `rows`: what each memory in an open conflict says of it. One that was not known yet is not named."""
    held = np.flatnonzero(columns.status[rows] == CONFLICT).tolist()
    if not held:
        return {}
    position = {int(columns.id[rows[at]]): at for at in held}
    found: dict[int, list[int]] = {}
    for older, newer in store.open_pairs(sorted(position)):
        for one, other in ((older, newer), (newer, older)):
            row = columns.row(other)
            if one in position and row is not None and (as_of_us is None or columns.created[row] <= as_of_us):
                found.setdefault(position[one], []).append(other)
    unnamed = () if as_of_us is not None else (str(Status.CONFLICT),)
    return {at: (_named(found[at]),) if at in found else unnamed for at in held}


def _named(others: Sequence[int]) -> str:
    more = f" and {len(others) - MAX_NAMED} more" if len(others) > MAX_NAMED else ""
    return "in conflict with " + ", ".join(f"#{other}" for other in others[-MAX_NAMED:]) + more


def _pairs(store: Store, columns: Columns, rows: Rows, mask: Mask) -> Pairs:
    """(older row, newer row) of the open conflicts of candidates whose sides may both be seen, older conflicts first."""
    if "status" not in columns.varied:
        return ()
    held = rows[columns.status[rows] == CONFLICT]
    if not len(held):
        return ()
    found: list[tuple[int, int]] = []
    for older, newer in store.open_pairs(columns.id[held].tolist()):
        old, new = columns.row(older), columns.row(newer)
        if old is not None and new is not None and mask[old] and mask[new]:
            found.append((old, new))
    return found


def _inherited(columns: Columns, ranked: Ranked, pairs: Pairs) -> tuple[Array, Rows]:
    """Scores after the newer sides took those of the older ones, and the position that each score came from."""
    score, origin = ranked.score.copy(), np.arange(len(ranked.rows))
    rows = ranked.rows

    def age(pair: tuple[int, int]) -> tuple[int, ...]:
        row = rows[pair[1]]
        return int(columns.created[row]), int(columns.sequence[row]), int(columns.id[row])

    for old, new in sorted(pairs, key=age):
        if score[old] >= score[new]:
            score[new], origin[new] = score[old], origin[old]
    return score, origin


def _scored(scan: Scan, sight: Sight, rows: Rows) -> Ranked:
    """Rows that were not among the candidates."""
    profile = sight.profile
    scored = exact(scan, sight, rows)
    floors = floors_of(scan.columns, rows, sight.agent, profile)
    natural = lifted(natural_tiers(scored.score, profile.theta1, profile.theta2, profile.theta3), floors)
    decay = rounded(scan.decay(sight.now_us, profile.lambda_, rows))
    return Ranked(rows, scored.score, rounded(scored.relevance), decay, natural, floors)


def _joined(one: Ranked, other: Ranked) -> Ranked:
    relevance = None if one.relevance is None or other.relevance is None else np.concatenate((one.relevance, other.relevance))
    return Ranked(
        np.concatenate((one.rows, other.rows)),
        np.concatenate((one.score, other.score)),
        relevance,
        np.concatenate((one.decay, other.decay)),
        np.concatenate((one.natural, other.natural)),
        np.concatenate((one.floors, other.floors)),
    )
