"""Random stores, made through the store port, and what is compared of two exports."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from lodmem.engine import Engine
from lodmem.ingest.pipeline import prepare
from lodmem.model.audit import AuditEntry
from lodmem.model.distilled import URI, NewPattern, Outcome, Step
from lodmem.model.gate import NearCopy
from lodmem.model.memory import Draft, Kind, Levels, Priority, Source, Status, Tier, to_us
from lodmem.model.profile import Profile
from lodmem.models.tokenizer import WordPieceCounter
from lodmem.ports import Store
from tests.conftest import START

NOW = to_us(START)
COUNTER = WordPieceCounter()
# What an import itself adds to the log.
OWN = ("import", "model")

_printable = st.text(
    st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Zs", "Zl", "Zp", "Co", "Cn")), min_size=1, max_size=8
)
_texts = st.one_of(
    st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=60).filter(str.strip),
    st.lists(st.sampled_from(["rye", "bread", "harbour", "kiln", "oven", "plum"]), min_size=60, max_size=300).map(" ".join),
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _printable,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_printable, inner, max_size=3),
    max_leaves=5,
)
_times = st.none() | st.integers(-(10**15), 10**16)
_ids = st.integers(1, 12)


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    source = st.builds(Source, _printable, st.sampled_from(["", "s"]), st.integers(-(2**63), 2**63 - 1) | st.integers(0, 3))
    return Draft(
        full=draw(_texts),
        space=draw(st.sampled_from(["main", "a/b", "ü"])),
        agent=draw(_printable),
        kind=draw(st.sampled_from(Kind)),
        created_us=draw(_times),
        valid_from_us=draw(_times),
        source=draw(st.none() | source | st.builds(Source, st.just("chat"), st.just("s"), st.integers(0, 3))),
        importance=draw(st.floats(0, 1)),
        priority=draw(st.sampled_from(Priority)),
        expires_us=draw(_times),
        tags=tuple(draw(st.lists(_printable, max_size=3))),
        meta=draw(st.dictionaries(_printable, _json, max_size=3)),
    )


def audit(verb: str = "test", **detail: object) -> AuditEntry:
    return AuditEntry(at_us=NOW, space="main", agent="tester", verb=verb, detail=detail)


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, tuple[Any, ...]]:
    """One thing that happens to a store after its memories were written."""
    return draw(
        st.one_of(
            st.tuples(st.just("use"), st.tuples(_ids, st.sampled_from(Tier), st.integers(0, 10**9))),
            st.tuples(st.just("floor"), st.tuples(_ids, st.sampled_from(Tier), st.sampled_from(["", "ada", "bo"]))),
            st.tuples(st.just("supersede"), st.tuples(_ids, _ids, _times)),
            st.tuples(st.just("status"), st.tuples(_ids, st.sampled_from(Status))),
            st.tuples(st.just("levels"), st.tuples(_ids, _printable)),
            st.tuples(st.just("forget"), st.tuples(_ids)),
            st.tuples(st.just("profile"), st.tuples(st.sampled_from(["mine", "digest"]), st.floats(0, 1))),
            st.tuples(st.just("agent"), st.tuples(_printable, st.sampled_from(["seed", "balanced"]))),
            st.tuples(st.just("search"), st.tuples(_printable, _ids)),
            st.tuples(st.just("distil"), st.tuples(_ids, _printable, st.sampled_from(Outcome))),
            st.tuples(st.just("copy"), st.tuples(_ids, _ids, st.floats(0.95, 1))),
            st.tuples(st.just("calibrate"), st.tuples(st.floats(-1, 0), st.floats(0.1, 1))),
        )
    )


def fill(store: Store, written: list[Draft], happened: list[tuple[str, tuple[Any, ...]]]) -> None:
    store.add([prepare(draft, COUNTER, now_us=NOW) for draft in written], now_us=NOW)
    for verb, what in happened:
        there = set(store.ids(limit=99))
        if isinstance(what[0], int) and (
            what[0] not in there or (verb == "supersede" and (what[1] not in there or what[0] == what[1]))
        ):
            continue
        _happen(store, verb, what)


def _happen(store: Store, verb: str, what: tuple[Any, ...]) -> None:
    match verb:
        case "use":
            store.record_use(
                now_us=NOW + what[2], retrieved=[what[0]], shown={what[0]: what[1]}, audit=audit("expand", ids=[what[0]])
            )
        case "floor":
            store.set_floor([what[0]], what[1], for_agent=what[2], audit=audit("promote"))
        case "supersede":
            store.set_status(what[0], Status.SUPERSEDED, superseded_by=what[1], valid_to_us=what[2], audit=audit("supersede"))
        case "status":
            store.set_status(what[0], what[1], superseded_by=None, valid_to_us=None, audit=audit("status"))
        case "levels":
            store.set_levels(what[0], Levels(what[1], what[1] + "!", "a-model", 9, 8, 7), audit=audit("levels"))
        case "forget":
            store.forget([what[0]], now_us=NOW + 5, audit=audit("forget", ids=[what[0]]))
        case "profile":
            store.save_profile(replace(Profile(name=what[0]), alpha=what[1]), audit=audit("profile"))
        case "agent":
            store.set_agent_profile(what[0], what[1], audit=audit("use_profile"))
        case "search":
            store.audit(audit("search", query=what[0], ids=[what[1]], mode="search"))
        case "distil" | "copy":
            _derive(store, verb, what)
        case "calibrate" if store.active_model():
            store.set_calibration((what[0], what[1]), audit=audit("calibrate"))


def _derive(store: Store, verb: str, what: tuple[Any, ...]) -> None:
    if verb == "copy":
        store.put_decisions([], [NearCopy(memory=what[0], of=what[1], similarity=what[2])])
        return
    draft = Draft(full=f"{what[1]} keeps happening", kind=Kind.SEMANTIC, source=Source(URI, what[1]))
    new = NewPattern(prepared=prepare(draft, COUNTER, now_us=NOW), episodes=(what[0],), status=Status.QUARANTINED)
    step = Step(outcomes={what[0]: what[2]}, new=(new,), again=(), counts={}, audit=audit("distill"))
    store.put_distilled(0, step, now_us=NOW)


def exported(engine: Engine, *, vectors: bool = False) -> bytes:
    out = io.BytesIO()
    engine.export(out, vectors=vectors)
    return out.getvalue()


def compared(export: bytes) -> list[dict[str, Any]]:
    """The lines of an export, but for what an import adds to the log."""
    rows = [json.loads(line) for line in export.splitlines()]
    return [row for row in rows if not (row["type"] == "audit" and row["verb"] in OWN)]
