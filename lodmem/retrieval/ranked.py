"""Candidates in order with everything that was computed about them, before any text is fetched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.model.memory import Tier
from lodmem.model.profile import Profile
from lodmem.scan.columns import KINDS, Columns

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
Tiers = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows best first. `relevance` is None where no query was asked. `natural` includes `floors`."""

    rows: Rows
    score: Array
    relevance: Array | None
    decay: Array
    natural: Tiers
    floors: Tiers

    def take(self, order: Rows | slice) -> Ranked:
        """The same for a selection of positions."""
        return Ranked(
            self.rows[order],
            self.score[order],
            None if self.relevance is None else self.relevance[order],
            self.decay[order],
            self.natural[order],
            self.floors[order],
        )


def floored(columns: Columns, agent: str, profile: Profile) -> Rows:
    """Rows that may have a floor for this agent and profile, rising."""
    rows = [np.flatnonzero(columns.floor)] if "floor" in columns.varied else []
    own = columns.agent_floors.get(agent)
    if own:
        rows.append(np.fromiter(own, dtype=np.int64))
    for rule in profile.floors:
        kind, _, value = rule.partition(":")
        if kind == "kind":
            rows.append(np.flatnonzero(np.array([str(k) == value for k in KINDS])[columns.kind]))
        else:
            rows.append(columns.labels.holding(value))
    return np.unique(np.concatenate(rows)) if rows else np.zeros(0, dtype=np.int64)


def floors_of(columns: Columns, rows: Rows, agent: str, profile: Profile) -> Tiers:
    """Lowest tier each row may be shown at: the space's floor, the agent's, and the profile's rules, whichever is highest."""
    floors: Tiers = columns.floor[rows].copy()
    own = columns.agent_floors.get(agent)
    if own:
        floors = np.maximum(floors, np.fromiter((own.get(int(row), 0) for row in rows), dtype=np.int8, count=len(rows)))
    for rule, tier in profile.floors.items():
        kind, _, value = rule.partition(":")
        if kind == "kind":
            held = np.array([str(k) == value for k in KINDS])[columns.kind[rows]]
        else:
            held = np.isin(rows, columns.labels.holding(value))
        floors[held] = np.maximum(floors[held], int(tier))
    return floors


def no_lower_than(tiers: Tiers, tier: Tier) -> Tiers:
    """Tiers lifted to at least `tier`."""
    return np.maximum(tiers, np.int8(tier))
