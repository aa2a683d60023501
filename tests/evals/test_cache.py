from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.errors import ModelUnavailable, StoreCorrupt, StorePathError
from lodmem.evals.cache import FILE_NAME, CachingEmbedder, default_cache_dir
from lodmem.ports import Embedder, EmbedderIdentity, Floats


class Letters:
    """A small deterministic embedder: counts of letters, at unit length. It keeps what it was asked."""

    def __init__(self, revision: str = "1", dims: int = 26, pause: float = 0.0) -> None:
        self.identity = EmbedderIdentity(name="letters", revision=revision, dims=dims)
        self.asked: list[str] = []
        self._pause = pause

    def embed(self, texts: Sequence[str]) -> Floats:
        self.asked += texts
        time.sleep(self._pause)
        rows = np.ones((len(texts), self.identity.dims), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text:
                row[ord(letter) % self.identity.dims] += 1
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_embeds_a_text_once(tmp_path: Path) -> None:
    inner = Letters()
    with CachingEmbedder(inner, tmp_path / "made" / "here") as cached:
        embedder: Embedder = cached
        first = embedder.embed(["ash", "birch", "ash"])
        again = embedder.embed(["birch", "cedar", "ash"])
        assert (cached.hits, cached.misses) == (3, 3)
    assert inner.asked == ["ash", "birch", "cedar"]
    assert np.array_equal(first, Letters().embed(["ash", "birch", "ash"]))
    assert np.array_equal(again, Letters().embed(["birch", "cedar", "ash"]))
    assert again.dtype == np.float32


def test_outlives_the_process(tmp_path: Path) -> None:
    with CachingEmbedder(Letters(), tmp_path) as cached:
        cached.embed(["ash"])
    inner = Letters()
    with CachingEmbedder(inner, tmp_path) as cached:
        assert np.array_equal(cached.embed(["ash"]), Letters().embed(["ash"]))
    assert inner.asked == []


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    for inner in (Letters("1"), Letters("2"), Letters("1", dims=7)):
        with CachingEmbedder(inner, tmp_path) as cached:
            assert cached.embed(["ash"]).shape == (1, inner.identity.dims)
        assert inner.asked == ["ash"]


@given(st.lists(st.text(max_size=5), max_size=9), st.lists(st.text(max_size=5), max_size=9))
def test_equals_the_embedder_it_wraps(tmp_path_factory: pytest.TempPathFactory, before: list[str], texts: list[str]) -> None:
    with CachingEmbedder(Letters(), tmp_path_factory.mktemp("cache")) as cached:
        cached.embed(before)
        assert np.array_equal(cached.embed(texts), Letters().embed(texts))
        assert cached.identity == Letters().identity


def test_a_failure_keeps_what_was_done(tmp_path: Path) -> None:
    class Failing(Letters):
        def embed(self, texts: Sequence[str]) -> Floats:
            if len(self.asked) >= 128:
                raise ModelUnavailable("gone")
            return super().embed(texts)

    with CachingEmbedder(Failing(), tmp_path) as cached, pytest.raises(ModelUnavailable):
        cached.embed([f"tree {number}" for number in range(300)])
    inner = Letters()
    with CachingEmbedder(inner, tmp_path) as cached:
        cached.embed([f"tree {number}" for number in range(300)])
        assert (cached.hits, cached.misses) == (128, 172)


def _embed_slowly(folder: Path) -> None:
    CachingEmbedder(Letters(pause=0.02), folder).embed([f"tree {number}" for number in range(64 * 400)])


def test_a_killed_run_keeps_what_was_done(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_embed_slowly, args=(tmp_path,))
    process.start()
    deadline = time.monotonic() + 60
    while _rows(tmp_path) < 192 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.join()
    with CachingEmbedder(Letters(), tmp_path) as cached:
        assert np.array_equal(cached.embed(["tree 0", "tree 150"]), Letters().embed(["tree 0", "tree 150"]))
        assert (cached.hits, cached.misses) == (2, 0)


def _rows(folder: Path) -> int:
    if not (folder / FILE_NAME).exists():
        return 0
    db = apsw.Connection(str(folder / FILE_NAME))
    try:
        return int(next(iter(db.execute("SELECT count(*) FROM vector")))[0])
    except (apsw.SQLError, apsw.BusyError):
        return 0
    finally:
        db.close()


def test_threads_share_one_cache(tmp_path: Path) -> None:
    texts = [f"tree {number}" for number in range(90)]
    results: list[Floats] = []
    with CachingEmbedder(Letters(), tmp_path) as cached:
        threads = [threading.Thread(target=lambda: results.append(cached.embed(texts))) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(results) == 5
    assert all(np.array_equal(found, Letters().embed(texts)) for found in results)


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database " * 1000)
    with pytest.raises(StoreCorrupt) as caught:
        CachingEmbedder(Letters(), tmp_path)
    assert "delete it" in caught.value.hint


def test_a_row_of_the_wrong_length_is_embedded_again(tmp_path: Path) -> None:
    with CachingEmbedder(Letters(), tmp_path) as cached:
        cached.embed(["ash"])
    db = apsw.Connection(str(tmp_path / FILE_NAME))
    db.execute("UPDATE vector SET row = x'00'")
    db.close()
    with CachingEmbedder(Letters(), tmp_path) as cached:
        assert np.array_equal(cached.embed(["ash"]), Letters().embed(["ash"]))


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorePathError) as caught:
        CachingEmbedder(Letters(), tmp_path / "file")
    assert "--cache" in caught.value.hint


def test_the_default_folder_is_the_users_cache() -> None:
    assert default_cache_dir().name.lower() in ("lodmem", "cache")
