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
    mask: Mask = columns.alive.copy()
    mask &= _time(columns, filters)
    mask &= _state(columns, filters, now_us)
    mask &= _place(columns, filters)
    if filters.kinds:
        mask &= np.isin(columns.kind, [KINDS.index(Kind(kind)) for kind in filters.kinds])
    for tag in filters.tags:
        mask &= _holding(columns, tag)
    if filters.retrieved is not None:
        mask &= (columns.count > 0) == filters.retrieved
    if filters.last_tier:
        mask &= np.isin(columns.last_tier, [int(tier) for tier in filters.last_tier])
    return mask


def _time(columns: Columns, filters: Filters) -> Mask:
    mask = np.ones(len(columns), dtype=np.bool_)
    if filters.since_us is not None:
        mask &= columns.created >= filters.since_us
    if filters.until_us is not None:
        mask &= columns.created < filters.until_us
    return mask


def _state(columns: Columns, filters: Filters, now_us: int) -> Mask:
    wanted = filters.status or OPEN_STATUSES
    mask = np.isin(columns.status, [STATUSES.index(Status(status)) for status in wanted])
    at = filters.as_of_us
    if at is not None:
        if not filters.status:
            mask |= columns.status == STATUSES.index(Status.SUPERSEDED)
        mask &= (columns.created <= at) & ((columns.valid_from == NEVER) | (columns.valid_from <= at)) & (at < columns.valid_to)
        mask &= ~_superseded_by(columns, at)
    if filters.expired is not None:
        mask &= (columns.expires <= (now_us if at is None else at)) == filters.expired
    return mask


def _superseded_by(columns: Columns, at_us: int) -> Mask:
    """Superseded by a memory that was already known at that time."""
    mask = np.zeros(len(columns), dtype=np.bool_)
    for row in np.flatnonzero(columns.superseded_by):
        successor = columns.row_of.get(int(columns.superseded_by[row]))
        mask[row] = successor is not None and columns.created[successor] <= at_us
    return mask


def _place(columns: Columns, filters: Filters) -> Mask:
    mask = np.ones(len(columns), dtype=np.bool_)
    if filters.space is not None:
        below = filters.space + "/"
        inside = [i for i, name in enumerate(columns.spaces.names) if name == filters.space or name.startswith(below)]
        mask &= np.isin(columns.space, inside)
    if filters.agents:
        mask &= np.isin(columns.agent, [i for i, name in enumerate(columns.agents.names) if name in filters.agents])
    if filters.source is not None:
        names = columns.source_names
        mask &= np.isin(columns.source, [i for i, (uri, _) in enumerate(names) if uri.startswith(filters.source)])
    return mask


def _holding(columns: Columns, tag: str) -> Mask:
    mask = np.zeros(len(columns), dtype=np.bool_)
    mask[list(columns.tags.get(tag, ()))] = True
    return mask
