"""A store file that was damaged anywhere: answers or an error that says so, and a file that is no store is never written to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from samples import TEXTS, fill, says_what_is_wrong

import lodmem
from lodmem.engine import Engine
from lodmem.errors import LodmemError, StoreError

Damage = tuple[str, float, bytes]


@pytest.fixture(scope="module")
def sound(folder: Path) -> bytes:
    """The bytes of a store that was used and closed."""
    path = folder / "sound.lod"
    with lodmem.open(path, embedder="none", background=False) as engine:
        fill(engine)
        engine.search("ferry")
        engine.promote(2, to="full")
        engine.supersede(1, 3)
        engine.forget(5)
    return path.read_bytes()


def damaged(data: bytes, damage: Damage) -> bytes:
    """`where`, 0..1, is a place among those that are not empty: most of a small store is."""
    how, where, what = damage
    spots = [n for n in range(0, len(data), 4) if any(data[n : n + 4])] or [0]
    at = spots[int(where * len(spots))]
    if how == "cut":
        return data[:at]
    if how == "zero":
        return data[:at] + bytes(len(what) * 64) + data[at + len(what) * 64 :]
    if how == "flip":
        return data[:at] + bytes(a ^ b for a, b in zip(data[at : at + len(what)], what, strict=False)) + data[at + len(what) :]
    return data[:at] + what + data[at + len(what) :]


damages = st.tuples(
    st.sampled_from(["cut", "zero", "flip", "put"]),
    st.floats(0, 1, exclude_max=True, allow_nan=False),
    st.binary(min_size=1, max_size=40),
)


def everything(engine: Engine) -> list[Callable[[], object]]:
    return [
        lambda: engine.search("ferry island", touch=True),
        lambda: engine.search("Prüfung", exclude=["cats"], as_of="2025-01-01", touch=False),
        lambda: engine.recent(touch=False),
        lambda: engine.expand(1, 2, 3, 4, 6, 7, touch=False),
        lambda: engine.explain(2, "Ada"),
        lambda: engine.stats(),
        lambda: engine.profiles(),
        lambda: engine.audit_log(),
        lambda: engine.check(),
        lambda: engine.remember("something new"),
        lambda: engine.promote(2, to="full"),
        lambda: engine.forget(4),
    ]


def use_all(engine: Engine) -> None:
    for step in everything(engine):
        try:
            step()
        except LodmemError as error:
            says_what_is_wrong(error)
    assert engine._recorder.flush(10), "the thread that counts uses has died"


def use(path: Path) -> None:
    with lodmem.open(path, embedder="none", background=False) as engine:
        use_all(engine)


@examples(40)
@given(st.lists(damages, min_size=1, max_size=3))
def test_a_damaged_store(folder: Path, sound: bytes, damage: Sequence[Damage]) -> None:
    data = sound
    for one in damage:
        data = damaged(data, one)
    path = folder / "damaged.lod"
    for old in folder.glob("damaged.lod*"):
        old.unlink()
    path.write_bytes(data)
    try:
        use(path)
    except StoreError as error:
        says_what_is_wrong(error)


HEADER = {"page size": 16, "format": 18, "pages": 28, "schema": 44, "encoding": 56, "version": 60, "owner": 68}


@pytest.mark.req("R16.7")
@pytest.mark.parametrize("value", [0, 1, 9, 255])
@pytest.mark.parametrize("field", HEADER)
def test_a_damaged_header(folder: Path, sound: bytes, field: str, value: int) -> None:
    """A file that is refused is left as it is."""
    path, at = folder / "header.lod", HEADER[field]
    what = bytes([0, 0, 0, value]) if field == "version" else bytes([value, value])
    data = sound[:at] + what + sound[at + len(what) :]
    path.write_bytes(data)
    refused = False
    try:
        use(path)
    except StoreError as error:
        says_what_is_wrong(error)
        refused = True
    assert not refused or path.read_bytes() == data
    for left in folder.glob("header.lod*"):
        left.unlink()


@examples(40)
@given(
    data=st.binary(max_size=3000),
    beginning=st.sampled_from([b"", b"SQLite format 3\0", b"SQLite format 3\0\x20\0\x02\x02\0\x40\x20\x20"]),
)
def test_a_file_that_is_no_store_is_never_written_to(folder: Path, data: bytes, beginning: bytes) -> None:
    path = folder / "foreign.lod"
    path.write_bytes(beginning + data)
    if not beginning + data:
        return
    try:
        use(path)
    except StoreError as error:
        says_what_is_wrong(error)
    assert path.read_bytes() == beginning + data


@examples(15)
@given(damage=damages)
def test_a_damaged_log(folder: Path, logged: tuple[bytes, bytes], damage: Damage) -> None:
    """The log of a process that was killed, damaged: what stood in the file before is there."""
    path = folder / "logged.lod"
    for old in folder.glob("logged.lod*"):
        old.unlink()
    path.write_bytes(logged[0])
    path.with_name(path.name + "-wal").write_bytes(damaged(logged[1], damage))
    with lodmem.open(path, embedder="none", background=False) as engine:
        assert engine.check() == []
        assert engine.expand(1, touch=False)[0].full == TEXTS[0]
        use_all(engine)


@pytest.fixture(scope="module")
def logged(folder: Path, sound: bytes) -> tuple[bytes, bytes]:
    """A store in use and its log, as they stand on the disk."""
    path = folder / "live.lod"
    path.write_bytes(sound)
    with lodmem.open(path, embedder="none", background=False) as engine:
        for n in range(4):
            engine.remember(f"number {n} stands in the log only")
        return path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()
