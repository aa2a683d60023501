"""Columns to a side file and back, and blotting out what was forgotten. It knows both layouts and neither's use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.relevance import NEIGHBOUR_OFFSETS
from lodmem.scan import sidefile
from lodmem.scan.columns import Columns
from lodmem.scan.grow import Grow
from lodmem.scan.labels import Labels
from lodmem.scan.names import Names
from lodmem.scan.postings import Block, Postings
from lodmem.scan.sidefile import Blotter, Saved, Unusable
from lodmem.scan.sources import Sources

SUFFIX = "-columns"
FACTS = ("dims", "off", "longest", "base_us", "span_days", "living", "living_length", "speaking", "spoken_length")
BLOCK = ("starts", "rows", "counts", "hashes", "terms", "spelled", "ends")


def beside(store: Path) -> Path:
    """Where the side file of a store file stands."""
    return store.with_name(store.name + SUFFIX)


def gathered(columns: Columns) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Facts and arrays of columns as they are. The arrays may change while they are written: what changes after this moment
    comes again by the change log."""
    tags, tag_rows, tag_numbers = columns.labels.block()
    block = columns.postings.block()
    arrays = {name: column.view for name, column in columns.grown.items()}
    arrays |= {f"postings.{name}": getattr(block, name) for name in BLOCK}
    order, starts = columns.sources.ordered(columns.source, columns.alive, columns.placing)
    arrays |= {"sources.order": order, "sources.starts": starts}
    arrays |= {"tags.rows": tag_rows, "tags.numbers": tag_numbers}
    for name, texts in _texts(columns, tags).items():
        arrays |= sidefile.strings(name, texts)
    facts = {name: getattr(columns, name) for name in FACTS}
    facts["varied"] = sorted(columns.varied)
    facts["floors"] = {agent: {str(row): tier for row, tier in rows.items()} for agent, rows in columns.agent_floors.items()}
    return facts, arrays


def restored(saved: Saved) -> Columns:
    """Columns over a mapped file. Raises Unusable for a layout that is not this one's."""
    facts = saved.facts
    try:
        columns = Columns(facts["dims"])
        for name in FACTS:
            setattr(columns, name, facts[name])
        for name, column in columns.grown.items():
            array = saved.arrays[name]
            if array.dtype != column.view.dtype or array.shape[1:] != column.view.shape[1:]:
                raise Unusable(f"its column {name} is of another layout")
            columns.grown[name] = Grow.over(array, saved.lengths[name])
        columns.postings = Postings(Block(*(saved.filled(f"postings.{name}") for name in BLOCK)))
        names = {name: sidefile.texts(name, saved) for name in ("spaces", "agents", "sources", "tags")}
    except KeyError as missing:
        raise Unusable(f"it has no {missing}") from None
    columns.spaces, columns.agents = Names(names["spaces"]), Names(names["agents"])
    keys = [tuple(json.loads(key)) for key in names["sources"]]
    columns.sources = Sources(keys, saved.filled("sources.order"), saved.filled("sources.starts"))
    columns.labels = Labels(names["tags"], saved.filled("tags.rows"), saved.filled("tags.numbers"))
    columns.varied = set(facts["varied"])
    columns.agent_floors = {agent: {int(row): tier for row, tier in rows.items()} for agent, rows in facts["floors"].items()}
    return columns


def _texts(columns: Columns, tags: list[str]) -> dict[str, list[str]]:
    keys = [json.dumps(key, ensure_ascii=False) for key in columns.sources.keys]
    return {"spaces": columns.spaces.names, "agents": columns.agents.names, "sources": keys, "tags": tags}


def blot_out(path: Path, ids: Sequence[int]) -> None:
    """Take every trace of forgotten memories' texts out of a side file: vectors, their successors' (which were read together
    with them), and index terms that nobody else holds. What counts for others stays right: a forgotten row counts nowhere.
    """
    try:
        with Blotter(path) as blotter:
            _blot(blotter, ids)
    except FileNotFoundError:
        return
    except (Unusable, OSError):
        sidefile.clear(path)


def _blot(blotter: Blotter, ids: Sequence[int]) -> None:
    known, wanted = blotter.read("id"), np.array(sorted(set(ids)), dtype=np.int64)
    if not len(known):
        return
    rows = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    rows = rows[known[rows] == wanted]
    after = blotter.read("beside")[rows, NEIGHBOUR_OFFSETS.index(1)].astype(np.int64)
    first, count = blotter.read("first").astype(np.int64), blotter.read("passages").astype(np.int64)
    own = _spans(first[rows], count[rows])
    read_together = _spans(first[after[after >= 0]], count[after[after >= 0]])
    for name in ("vectors", "codes", "scales"):
        blotter.blot(name, np.concatenate((own, read_together)))
    starts, counts = blotter.read("postings.starts"), blotter.read("postings.counts").copy()
    places = np.flatnonzero(np.isin(blotter.read("postings.rows"), own))
    blotter.blot("postings.counts", places)
    counts[places] = 0
    terms = np.unique(np.searchsorted(starts, places, side="right") - 1)
    alone = np.array([t for t in terms.tolist() if not counts[starts[t] : starts[t + 1]].any()], dtype=np.int64)
    ends = np.concatenate(([0], blotter.read("postings.ends")))
    blotter.blot("postings.spelled", _spans(ends[alone], ends[alone + 1] - ends[alone]))


def _spans(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers of some ranges."""
    parts = [np.arange(start, start + length) for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
