"""The file of arrays: whole or not there, damage found, room to grow, blots that stay."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lodmem.scan import sidefile
from lodmem.scan.grow import Grow
from lodmem.scan.sidefile import CHUNK, Blotter, Unusable

FACTS = {"store": "s", "change": 7}


def arrays() -> dict[str, np.ndarray]:
    return {
        "numbers": np.arange(10, dtype=np.int64),
        "rows": np.arange(24, dtype=np.float32).reshape(8, 3),
        "none": np.zeros((0, 4), dtype=np.int8),
        **sidefile.strings("names", ["tea", "", "東京"]),
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "store-columns"
    sidefile.write(made, FACTS, arrays())
    return made


def test_what_was_written_is_mapped(path: Path) -> None:
    saved = sidefile.load(path)
    assert saved.facts == FACTS
    for name, array in arrays().items():
        assert np.array_equal(saved.filled(name), array)
        assert saved.filled(name).dtype == array.dtype
    assert sidefile.texts("names", saved) == ["tea", "", "東京"]
    assert sidefile.check(path) == []


def test_only_its_owner_reads_it_and_no_draft_is_left(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_process_appends_and_rewrites_for_itself_alone(path: Path) -> None:
    before = path.read_bytes()
    saved = sidefile.load(path)
    grown = Grow.over(saved.arrays["rows"], saved.lengths["rows"])
    room = saved.arrays["rows"]
    grown.view[0] = -1.0
    grown.extend(np.full((5, 3), 9.0, dtype=np.float32))
    assert np.shares_memory(grown.view, room)
    grown.extend(np.full((len(room), 3), 8.0, dtype=np.float32))
    assert grown.view[0].tolist() == [-1.0] * 3
    assert grown.view[12].tolist() == [9.0] * 3
    assert grown.view[13].tolist() == [8.0] * 3
    assert path.read_bytes() == before
    assert sidefile.load(path).filled("rows")[0].tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("kept", [0, 10, 5_000, -1])
def test_a_file_that_was_cut_is_not_used(path: Path, kept: int) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: kept if kept >= 0 else len(data) - 1])
    with pytest.raises(Unusable):
        sidefile.load(path)
    assert len(sidefile.check(path)) == 1


def test_a_flipped_byte_is_found(path: Path) -> None:
    data = bytearray(path.read_bytes())
    at = data.index(np.arange(24, dtype=np.float32).tobytes())
    data[at + 5] ^= 1
    path.write_bytes(data)
    assert sidefile.check(path) == [f"{path.name}: rows is damaged"]


def test_another_kind_of_file_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"SQLite format 3\0" + bytes(5_000))
    with pytest.raises(Unusable):
        sidefile.load(tmp_path / "x")
    with pytest.raises(Unusable):
        sidefile.load(tmp_path / "missing")
    assert sidefile.check(tmp_path / "missing") == []


def test_a_failed_write_leaves_what_was_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        sidefile.write(path, FACTS, arrays())
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_blots_are_zeros_that_the_sums_know(tmp_path: Path) -> None:
    path = tmp_path / "x"
    big = np.ones((CHUNK // 512 + 100, 512), dtype=np.uint8)
    sidefile.write(path, FACTS, {"big": big, **arrays()})
    row = CHUNK // 512
    with Blotter(path) as blotter:
        assert np.array_equal(blotter.read("rows"), arrays()["rows"])
        blotter.blot("big", np.array([0, row]))
        blotter.blot("rows", np.array([7]))
    assert sidefile.check(path) == []
    saved = sidefile.load(path)
    assert np.flatnonzero(~saved.filled("big").any(axis=1)).tolist() == [0, row]
    assert saved.filled("rows")[7].tolist() == [0.0] * 3
    assert saved.facts == FACTS


def test_drafts_of_the_killed_go_after_a_while(path: Path) -> None:
    draft = path.with_name(f"{path.name}.1-ab.tmp")
    draft.write_bytes(b"half")
    sidefile.clear(path, drafts_only=True)
    assert draft.exists()
    os.utime(draft, (0, 0))
    sidefile.clear(path, drafts_only=True)
    assert not draft.exists()
    assert path.exists()
    sidefile.clear(path)
    assert not path.exists()


WRITER = """
import sys, numpy as np
from pathlib import Path
from lodmem.scan import sidefile
mark = int(sys.argv[2])
for turn in range(20):
    sidefile.write(Path(sys.argv[1]), {"mark": mark}, {"a": np.full(200_000, mark, dtype=np.int64)})
"""


def test_two_processes_that_write_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(mark)]) for mark in (1, 2)]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            saved = sidefile.load(path)
            assert (saved.filled("a") == saved.facts["mark"]).all()
            seen += 1
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen
    assert sidefile.check(path) == []
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
