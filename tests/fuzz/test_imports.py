"""Files of any bytes in every format there is an importer for: each part is kept or reported, and none is lost or halved."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from samples import says_what_is_wrong

import lodmem
from lodmem.engine import Engine
from lodmem.errors import InputError
from lodmem.ingest import importers

MARKS = [
    b"# ", b"## ", b"---\n", b"date: ", b"tags: ", b"title: ", b"\n", b"\r\n", b"\r", b"\0", b"```\n",
    b"\xff\xfe", b"\xef\xbb\xbf", b"- ", b"===\n",
    b"text ", b"2024-02-30", b"{", b"}", b"[", b'"', b'{"text": "a"}', b'{"text": ', b"\xe4\xbc\x9a",
    b"\xed\xa0\x80", b"    ", b"\\ud800",
]  # fmt: skip
anything = st.binary(max_size=80) | st.lists(st.sampled_from(MARKS), max_size=14).map(b"".join)

value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
FIELDS = [
    "text", "content", "full", "created_at", "expires_at", "valid_from", "valid_to", "kind", "priority",
    "importance", "tags", "space", "agent",
    "source", "session", "sequence", "meta",
]  # fmt: skip
GOOD: dict[str, object] = {"created_at": "2024-05-01", "importance": 0.3, "tags": ["a"], "source": "here"}
rows = st.tuples(st.dictionaries(st.sampled_from(FIELDS), value, max_size=2), st.integers(0, 99)).map(
    lambda drawn: {**GOOD, "text": f"text {drawn[1]}", **drawn[0]}
) | st.dictionaries(st.sampled_from(FIELDS), value, max_size=6)


@pytest.fixture
def empty(folder: Path) -> Iterator[Path]:
    """A folder of its own for one test, emptied by `put`."""
    place = folder / "imports"
    place.mkdir()
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="module")
def keeper(folder: Path) -> Iterator[Engine]:
    with lodmem.open(folder / "keeper.lod", embedder="none", background=False) as engine:
        yield engine


def put(place: Path, name: str, data: bytes) -> Path:
    for old in place.iterdir():
        old.unlink()
    (place / name).write_bytes(data)
    return place / name


def kept(engine: Engine, path: Path, importer: str) -> None:
    """All of it is dealt with, and once more changes nothing."""
    try:
        expected = importers.find(path, importer).count(path)
        before = engine.stats().memories
        report = engine.ingest(path, importer=importer)
    except InputError as error:
        says_what_is_wrong(error)
        return
    assert report.added + report.unchanged + len(report.problems) == expected
    assert engine.stats().memories == before + report.added
    again = engine.ingest(path, importer=importer)
    assert (again.added, again.unchanged) == (0, report.added + report.unchanged)


@examples(60)
@given(data=anything, name=st.sampled_from(["a.jsonl", "a.md", "2024-13-40 a.md", "a.txt", "2024-01-02.txt"]))
def test_any_bytes(keeper: Engine, empty: Path, data: bytes, name: str) -> None:
    path = put(empty, name, data)
    for importer in ("jsonl", "markdown", "text"):
        kept(keeper, path, importer)


@examples(60)
@given(st.lists(rows, min_size=1, max_size=4))
def test_any_rows(keeper: Engine, empty: Path, given_rows: list[object]) -> None:
    kept(keeper, put(empty, "rows.jsonl", b"\n".join(json.dumps(row).encode() for row in given_rows)), "jsonl")


commits = st.lists(st.tuples(anything, st.binary(min_size=1, max_size=12), st.integers(-10, 2**62)), min_size=1, max_size=6)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@examples(5)
@given(commits)
def test_any_history(keeper: Engine, folder: Path, history: list[tuple[bytes, bytes, int]]) -> None:
    place = folder / "history"
    if place.exists():
        shutil.rmtree(place)
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(place)], check=True)
    stream = b""
    for message, name, when in history:
        who = bytes(byte for byte in name if byte not in b"<>\n\0")
        stream += b"commit refs/heads/main\ncommitter %s <a@b> %d +0000\ndata %d\n%s\n" % (
            who,
            abs(when),
            len(message),
            message,
        )
        path = "".join(f"\\{byte:03o}" for byte in name if byte not in b"/\0") or "x"
        stream += b'M 100644 inline "f%s"\ndata 1\nx\n' % path.encode()
    done = subprocess.run(["git", "fast-import", "--quiet"], cwd=place, input=stream, capture_output=True, check=False)
    if done.returncode == 0:  # git itself refuses some
        kept(keeper, place, "git")


def test_what_was_imported_is_sound(keeper: Engine) -> None:
    assert keeper.check() == []
    for view in keeper.recent(touch=False).views:
        assert keeper.expand(view.id, touch=False)[0].full
