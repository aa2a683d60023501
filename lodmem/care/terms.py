"""Passages and index terms that another version of the text rules made, or that are missing: found, and made anew.

It works through the store in batches, each with its place in one transaction, so that it can be stopped and goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from lodmem.care.derived import Stage
from lodmem.errors import UnknownMemory
from lodmem.ingest.pipeline import passages_of
from lodmem.model.kept import TermsState
from lodmem.model.memory import Memory
from lodmem.ports import Clock, Store
from lodmem.text.tokens import TERMS_VERSION

BATCH = 200


def check_terms(store: Store) -> list[str]:
    """Whether the index terms are those that this program makes."""
    state = store.terms()
    if state.version == TERMS_VERSION or not store.ids(limit=1):
        return []
    if state.version > TERMS_VERSION:
        return [f"a newer lodmem made them (version {state.version}, this one makes {TERMS_VERSION}): upgrade it"]
    made = f"by version {state.version} of the text rules" if state.version else "by an earlier version of the text rules"
    under_way = f"; a repair reached #{state.upto}" if state.making == TERMS_VERSION else ""
    return [f"they were made {made}, this program uses version {TERMS_VERSION}{under_way}"]


def remake_terms(store: Store, clock: Clock, report: Stage | None) -> list[str]:
    """Make missing passages and outdated index terms anew from the full texts; what was done, in words."""
    done: list[str] = []
    state = store.terms()
    missing = store.unindexed()
    for start in range(0, len(missing), BATCH):
        _replace(store, clock, missing[start : start + BATCH], state)
    if missing:
        done.append(f"passages: made anew for {len(missing):,} memories")
    if state.version < TERMS_VERSION:
        done.append(_all(store, clock, state, report))
    return done


def _all(store: Store, clock: Clock, state: TermsState, report: Stage | None) -> str:
    upto = state.upto if state.making == TERMS_VERSION else 0
    total, seen, changed = store.stats().memories, 0, 0
    while ids := store.ids(after=upto, limit=BATCH):
        place = TermsState(version=state.version, making=TERMS_VERSION, upto=ids[-1])
        changed += _replace(store, clock, ids, place)
        upto = ids[-1]
        seen += len(ids)
        if report is not None:
            report(seen, max(total, seen), "index terms")
    store.put_terms({}, TermsState(version=TERMS_VERSION), now_us=clock.now_us())
    return f"index terms: made anew with version {TERMS_VERSION}; they differ in {changed:,} of {seen:,} memories"


def _replace(store: Store, clock: Clock, ids: Sequence[int], state: TermsState) -> int:
    passages = {memory.id: passages_of(memory.full, memory.created_us) for memory in _there(store, ids)}
    return store.put_terms(passages, state, now_us=clock.now_us())


def _there(store: Store, ids: Sequence[int]) -> list[Memory]:
    """Those of the memories that are still there: some may be forgotten while this works."""
    try:
        return store.get(ids)
    except UnknownMemory:
        left = store.ids(after=ids[0] - 1, limit=ids[-1] - ids[0] + 1)
        return _there(store, sorted(set(ids).intersection(left))) if left else []
