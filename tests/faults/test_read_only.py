"""A store on a file system that takes no write: every look works, and every write says why not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.errors import StoreReadOnly
from lodmem.model.memory import Tier


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """A block in which the kernel refuses every write below the folder, to root too."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting needs root on Linux")
    if subprocess.run(["mount", "--bind", str(folder), str(folder)], capture_output=True, check=False).returncode:
        pytest.skip("this machine allows no mount")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def looks(engine: Engine) -> None:
    for touch in (False, True):
        assert engine.search("ferry", touch=touch).views[0].text.startswith("The ferry")
    assert len(engine.recent().views) == len(engine.unseen().views) == 2
    assert engine.search("island", exclude=["ferry"]).views[0].id == 2
    assert engine.expand(1)[0].full == "The ferry leaves at nine."
    assert engine.explain(1, "ferry").tier is not Tier.HORIZON
    assert engine.stats().memories == 2
    assert engine.check() == []


def refuses(engine: Engine) -> None:
    writes: tuple[Callable[[], object], ...] = (
        lambda: engine.remember("new"),
        lambda: engine.promote(1, to="full"),
        lambda: engine.forget(1),
        lambda: engine.supersede(1, 2),
        lambda: engine.use_profile("research"),
    )
    for write in writes:
        with pytest.raises(StoreReadOnly) as caught:
            write()
        assert caught.value.hint


@pytest.mark.req("R16.7")
@pytest.mark.parametrize("asked", [False, True], ids=["found so", "asked for"])
def test_a_read_only_file_system(folder: Path, asked: bool) -> None:
    path = folder / "store.lod"
    with lodmem.open(path, embedder="none") as engine:
        engine.remember("The ferry leaves at nine.")
        engine.remember("The island has two harbours.")
    before = path.read_bytes()
    with read_only(folder), lodmem.open(path, embedder="none", read_only=asked) as engine:
        looks(engine)
        refuses(engine)
    assert path.read_bytes() == before
    assert [file.name for file in folder.iterdir()] == ["store.lod"]


def test_nothing_is_made_where_nothing_can_be(folder: Path) -> None:
    with read_only(folder):
        for path in (folder / "store.lod", folder / "new" / "store.lod"):
            with pytest.raises(StoreReadOnly) as caught:
                lodmem.open(path, embedder="none")
            assert caught.value.hint
