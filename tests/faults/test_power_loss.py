"""The power fails after any call to the disk: the store opens, is sound, and has every acknowledged write."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from contract_kit import NOW, SMALL, add, embedding, entry, prepared, turns
from disk import Call, Platter, Tape, checkpoints_often, write_files
from soak import SOAK

from lodmem.model.memory import Tier
from lodmem.stores.sqlite.store import SqliteStore

EVERY = 6 if SOAK else 29
TASKS = ("embed",)
WAYS = ("none", "all", "some")


@dataclass
class Acknowledged:
    """What a process was told is durable, in the order of the notes on the tape."""

    texts: dict[int, str] = field(default_factory=dict)
    uses: int = 0
    floor: bool = False
    leaving: bool = False
    gone: bool = False


def a_day(path: Path, tape: Tape) -> dict[str, tuple[str, object]]:
    """Every kind of write, several checkpoints, an end and a beginning. Returns what each note on the tape says."""
    notes: dict[str, tuple[str, object]] = {}

    def note(kind: str, value: object = None) -> None:
        notes[str(len(notes))] = (kind, value)
        tape.note(str(len(notes) - 1))

    with SqliteStore.open(path, now_us=NOW) as store:
        store.activate_model(SMALL, audit=entry())
        for n in range(6):
            text = f"single {n} " + "word " * n
            (memory_id,) = add(store, prepared(text), tasks=TASKS)
            note("text", {memory_id: text})
            store.put_vectors(SMALL.key, [embedding(memory_id)])
            store.record_use(now_us=NOW + n, retrieved=[1], shown={1: Tier.FULL})
            note("use")
        batch = turns(12)
        note("text", dict(zip(add(store, *batch, tasks=TASKS), (b.draft.full for b in batch), strict=True)))
        store.set_floor([2], Tier.SUMMARY, for_agent="", audit=entry())
        note("floor")
        note("leaving", 3)
        store.forget([3], now_us=NOW, audit=entry())
        note("gone", 3)
        long = "a long text " * 3000
        note("text", {add(store, prepared(long), tasks=TASKS)[0]: long})
    with SqliteStore.open(path, now_us=NOW) as store:
        for n in range(4):
            note("text", {add(store, prepared(f"later {n}"), tasks=TASKS)[0]: f"later {n}"})
    return notes


def heard(acknowledged: Acknowledged, kind: str, value: object) -> None:
    if isinstance(value, dict):
        acknowledged.texts.update(value)
    acknowledged.uses += kind == "use"
    acknowledged.floor |= kind == "floor"
    acknowledged.leaving |= kind == "leaving"
    acknowledged.gone |= kind == "gone"


def is_whole(path: Path, acknowledged: Acknowledged) -> None:
    with SqliteStore.open(path, now_us=NOW) as store:
        assert store.check() == []
        have = {row.id for row in store.rows()}
        must = set(acknowledged.texts)
        if acknowledged.leaving:  # on its way out it may be there or not, and once out it stays out
            assert not (acknowledged.gone and 3 in have)
            must.discard(3)
        assert must <= have
        assert {m.id: m.full for m in store.get(sorted(must))} == {i: acknowledged.texts[i] for i in must}
        if acknowledged.uses:
            assert store.usage([1])[0].retrieval_count >= acknowledged.uses
        if acknowledged.floor:
            assert store.get([2])[0].floor is Tier.SUMMARY
        (new,) = add(store, prepared("life goes on"))
        assert new > max(have, default=0)
        assert new > max(acknowledged.texts, default=0)


def test_the_simulated_disk_forgets_what_is_not_synced() -> None:
    platter = Platter({"a": b"old"})
    for call in (Call("write", "a", 0, b"new"), Call("sync", "a"), Call("write", "a", 3, b"er"), Call("truncate", "a", 4)):
        platter.play(call)
    assert platter.lose_power("none", 0) == {"a": b"new"}
    assert platter.lose_power("all", 0) == {"a": b"newe"}
    assert {platter.lose_power("some", seed)["a"] for seed in range(60)} == {b"new", b"new\0", b"newe", b"newer"}
    for call in (Call("open", "b"), Call("write", "b", 0, b"log"), Call("delete", "a")):
        platter.play(call)
    assert platter.lose_power("none", 0) == {"a": b"new"}
    platter.play(Call("sync", "b"))
    assert platter.lose_power("none", 0) == {"b": b"log"}


@pytest.mark.req("R16.3")
@pytest.mark.parametrize("how", WAYS)
def test_the_power_fails(folder: Path, how: str, record_property: pytest.RecordProperty) -> None:
    tape = Tape()
    (folder / "live").mkdir()
    with checkpoints_often(), tape.mounted():
        notes = a_day(folder / "live" / "store.lod", tape)
    kinds = [call.kind for call in tape.calls]
    assert kinds.count("sync") > 20
    assert [c.file for c in tape.calls if c.kind == "sync"].count("store.lod") >= 3, "too few checkpoints to fail in"
    platter, acknowledged, failures = Platter({"store.lod": b""}), Acknowledged(), 0
    for n, call in enumerate(tape.calls):
        platter.play(call)
        if call.kind == "note":
            heard(acknowledged, *notes[call.file])
        if n % EVERY == WAYS.index(how) % EVERY or (call.kind in ("sync", "truncate", "delete") and n % 5 == WAYS.index(how)):
            after = folder / f"after {n}"
            write_files(after, platter.lose_power(how, seed=n))
            try:
                is_whole(after / "store.lod", acknowledged)
            except Exception as error:
                error.add_note(f"the power failed after call {n}: {call.kind} {call.file} at {call.at}")
                raise
            failures += 1
            shutil.rmtree(after)
    record_property(f"power losses survived ({how})", failures)
    assert failures >= 30


def test_the_power_fails_while_the_store_is_made(folder: Path) -> None:
    tape = Tape()
    (folder / "live").mkdir()
    with tape.mounted():
        SqliteStore.open(folder / "live" / "store.lod", now_us=NOW).close()
    platter = Platter({"store.lod": b""})
    for n, call in enumerate(tape.calls):
        platter.play(call)
        # The first page is written before there is a log: its every way to be torn counts.
        for seed in range(24 if n < 10 and call.file == "store.lod" else 1 if n < 10 or n % 25 == 0 else 0):
            after = folder / "after"
            write_files(after, platter.lose_power(WAYS[1 + seed % 2], seed))
            is_whole(after / "store.lod", Acknowledged())
            shutil.rmtree(after)
