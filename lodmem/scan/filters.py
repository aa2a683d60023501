"""Which rows a question may look at: the one filter of every mode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lodmem.model.memory import Kind, Status
from lodmem.model.query import Filters
from lodmem.scan.columns import KINDS, NEVER, STATUSES, Columns

Mask = NDArray[np.bool_]

OPEN_STATUSES = (Status.ACTIVE, Status.STALE, Status.CONFLICT)


def select(columns: Columns, filters: Filters, now_us: int) -> Mask:
    """True for each memory the filters let through; forgotten ones never."""
    mask = _state(columns, filters, now_us)
    mask &= columns.alive
    if filters.since_us is not None:
        mask &= columns.created >= filters.since_us
    if filters.until_us is not None:
        mask &= columns.created < filters.until_us
    _place(columns, filters, mask)
    if filters.kinds:
        mask &= _among(columns.kind, [KINDS.index(Kind(kind)) for kind in filters.kinds], len(KINDS))
    for tag in filters.tags:
        mask &= _holding(columns, tag)
    if filters.retrieved is not None:
        mask &= (columns.count > 0) == filters.retrieved
    if filters.last_tier:
        mask &= np.isin(columns.last_tier, [int(tier) for tier in filters.last_tier])
    return mask


def _among(numbers: NDArray[np.integer], wanted: list[int], count: int) -> Mask:
    """Which of the numbers 0..count-1 are wanted ones."""
    table = np.zeros(count, dtype=np.bool_)
    table[wanted] = True
    if table.all():
        return np.ones(len(numbers), dtype=np.bool_)
    found: Mask = table.take(numbers, mode="clip")
    return found


def _state(columns: Columns, filters: Filters, now_us: int) -> Mask:
    wanted = filters.status or OPEN_STATUSES
    at = filters.as_of_us
    codes = [STATUSES.index(Status(status)) for status in wanted]
    if at is not None and not filters.status:
        codes.append(STATUSES.index(Status.SUPERSEDED))
    active = STATUSES.index(Status.ACTIVE)
    if "status" not in columns.varied:
        codes = list(range(len(STATUSES))) if active in codes else []
    mask = _among(columns.status, codes, len(STATUSES))
    if at is not None:
        mask &= columns.created <= at
        if "valid_from" in columns.varied:
            mask &= (columns.valid_from == NEVER) | (columns.valid_from <= at)
        if "valid_to" in columns.varied:
            mask &= at < columns.valid_to
        if "superseded_by" in columns.varied:
            mask &= ~_superseded_by(columns, at)
    if filters.expired or (filters.expired is not None and "expires" in columns.varied):
        mask &= (columns.expires <= (now_us if at is None else at)) == filters.expired
    return mask


def _superseded_by(columns: Columns, at_us: int) -> Mask:
    """Superseded by a memory that was already known at that time."""
    mask = np.zeros(len(columns), dtype=np.bool_)
    for row in np.flatnonzero(columns.superseded_by):
        successor = columns.row(int(columns.superseded_by[row]))
        mask[row] = successor is not None and columns.created[successor] <= at_us
    return mask


def _place(columns: Columns, filters: Filters, mask: Mask) -> None:
    if filters.space is not None:
        below = filters.space + "/"
        inside = [i for i, name in enumerate(columns.spaces.names) if name == filters.space or name.startswith(below)]
        mask &= _among(columns.space, inside, len(columns.spaces.names))
    if filters.agents:
        found = [columns.agents.find(name) for name in filters.agents]
        mask &= _among(columns.agent, [i for i in found if i is not None], len(columns.agents.names))
    if filters.source is not None:
        keys = columns.sources.keys
        mask &= np.isin(columns.source, [i for i, (_, uri, _) in enumerate(keys) if uri.startswith(filters.source)])


def _holding(columns: Columns, tag: str) -> Mask:
    mask = np.zeros(len(columns), dtype=np.bool_)
    mask[columns.labels.holding(tag)] = True
    return mask
