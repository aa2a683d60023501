"""Lists for people who want to know what the store does with memories: what sank, what nobody looked at, what is held up.

Each list is rows in an order; texts are fetched by whoever shows them. The caller holds the scan's lock and has synced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.errors import BadParameter
from lodmem.lod.decay import US_PER_DAY
from lodmem.lod.tiers import rounded
from lodmem.model.memory import Status
from lodmem.model.profile import Profile
from lodmem.retrieval.ranked import Rows, floors_of
from lodmem.scan.columns import STATUSES
from lodmem.scan.scan import Scan

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What the lists are drawn with. `times`: retrievals from which a memory was needed often; `below`: D under which it has
    decayed; `days`: age from which one should have been looked at."""

    times: int = 3
    below: float = 0.2
    days: float = 30.0

    def __post_init__(self) -> None:
        if self.times < 1 or not 0.0 <= self.below <= 1.0 or not 0.0 <= self.days <= 1e6:
            raise BadParameter(
                "a parameter of the list is out of range", hint="times from 1, below from 0 to 1, days from 0 to 1,000,000"
            )


@dataclass(frozen=True, slots=True)
class _Seen:
    """Rows that may be listed, with what the lists are drawn from."""

    scan: Scan
    rows: Rows
    decay: Array
    floors: NDArray[np.int8]
    profile: Profile
    now_us: int
    masked: Mapping[int, tuple[str, ...]]

    def of(self, name: str) -> NDArray[np.generic]:
        found: NDArray[np.generic] = getattr(self.scan.columns, name)[self.rows]
        return found

    def is_status(self, status: Status) -> NDArray[np.bool_]:
        return np.asarray(self.of("status") == STATUSES.index(status))


def _decayed(seen: _Seen, with_: Parameters) -> Rows:
    count = seen.of("count").astype(np.int64)
    return _ordered((count >= with_.times) & (seen.decay < with_.below), -count, seen)


def _unseen(seen: _Seen, with_: Parameters) -> Rows:
    created = seen.of("created").astype(np.int64)
    return _ordered((seen.of("count") == 0) & (created < seen.now_us - with_.days * US_PER_DAY), created, seen)


def _still_high(seen: _Seen, with_: Parameters) -> Rows:
    return _ordered(seen.is_status(Status.SUPERSEDED) & (seen.decay >= seen.profile.theta2), -seen.decay, seen)


def _conflicts(seen: _Seen, with_: Parameters) -> Rows:
    return _ordered(seen.is_status(Status.CONFLICT), -seen.of("created").astype(np.int64), seen)


def _pinned(seen: _Seen, with_: Parameters) -> Rows:
    return _ordered(seen.floors > 0, -seen.floors.astype(np.int64), seen)


def _masked(seen: _Seen, with_: Parameters) -> Rows:
    ids = seen.of("id")
    return _ordered(np.isin(ids, list(seen.masked)), -ids.astype(np.int64), seen)


def _ordered(found: NDArray[np.bool_], by: NDArray[np.generic], seen: _Seen) -> Rows:
    at = np.flatnonzero(found)
    return at[np.lexsort((seen.of("id")[at], by[at]))]


LISTS: Mapping[str, tuple[str, Callable[[_Seen, Parameters], Rows]]] = {
    "decayed-but-needed": ("Often needed, and decayed since", _decayed),
    "never-looked-at": ("Never looked at", _unseen),
    "superseded-still-high": ("Superseded, and still high", _still_high),
    "conflicts": ("In conflict", _conflicts),
    "pinned": ("Held up by a floor", _pinned),
    "secrets-masked": ("Secrets were masked", _masked),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """One list: rows of the columns in its order, with D and floor of each."""

    title: str
    rows: Rows
    decay: Array
    floors: NDArray[np.int8]


def listed(
    name: str, scan: Scan, rows: Rows, profile: Profile, agent: str, now_us: int,
    parameters: Parameters, masked: Mapping[int, tuple[str, ...]],
) -> Listed:  # fmt: skip
    """The list of that name among `rows`. `masked`: kinds of the secrets masked in memories, by id. Raises BadParameter."""
    if name not in LISTS:
        raise BadParameter(f"there is no list {name!r}", hint="one of " + ", ".join(LISTS))
    title, draw = LISTS[name]
    decay = rounded(scan.decay(now_us, profile.lambda_, rows))
    floors = floors_of(scan.columns, rows, agent, profile)
    at = draw(_Seen(scan, rows, decay, floors, profile, now_us, masked), parameters)
    return Listed(title, rows[at], decay[at], floors[at])
