"""An embedder that remembers on disk what it has embedded, so that a second evaluation costs no model time.

Vectors lie in one SQLite file keyed by SHA-256 of model key and text. It refuses to know which data set the texts are from.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import apsw
import numpy as np
import platformdirs

from lodmem.errors import StoreBusy, StoreCorrupt, StoreFull, StorePathError
from lodmem.ports import Embedder, EmbedderIdentity, Floats

FILE_NAME = "embeddings.sqlite"
_COMMIT_EVERY = 64
_ASK_AT_ONCE = 500
_BUSY_MS = 60_000


def default_cache_dir() -> Path:
    """The platform's cache directory for lodmem; may not exist yet."""
    return Path(platformdirs.user_cache_dir("lodmem", appauthor=False))


class CachingEmbedder:
    """Embedder that answers from `directory` what it can and asks `inner` for the rest.

    Thread-safe; processes may share a file. What was embedded is kept every 64 texts: a killed run loses at most that.
    `hits` and `misses` count texts.
    Raises StorePathError when the directory cannot hold a file, StoreCorrupt when the file is damaged, StoreBusy, StoreFull.
    """

    def __init__(self, inner: Embedder, directory: Path) -> None:
        self._inner = inner
        self._path = directory / FILE_NAME
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        with _translated(self._path):
            directory.mkdir(parents=True, exist_ok=True)
            self._db = _open(self._path)

    def __enter__(self) -> CachingEmbedder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    def embed(self, texts: Sequence[str]) -> Floats:
        """Rows of `inner`, one a text, in order. Raises what `inner` raises."""
        identity = self._inner.identity
        keys = [_key(identity.key, text) for text in texts]
        known = self._read(set(keys), identity.dims)
        wanted = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        self.hits += len(texts) - len(wanted)
        self.misses += len(wanted)
        missing = list(wanted)
        for start in range(0, len(missing), _COMMIT_EVERY):
            part = missing[start : start + _COMMIT_EVERY]
            rows = self._inner.embed([wanted[key] for key in part])
            known.update(zip(part, rows, strict=True))
            self._write(part, rows)
        if not texts:
            return np.empty((0, identity.dims), np.float32)
        return np.stack([known[key] for key in keys])

    def close(self) -> None:
        """Close the file; `inner` stays as it is. Idempotent."""
        with self._lock:
            self._db.close()

    def _read(self, keys: set[bytes], dims: int) -> dict[bytes, Floats]:
        found: dict[bytes, Floats] = {}
        ordered = sorted(keys)
        with _translated(self._path), self._lock:
            for start in range(0, len(ordered), _ASK_AT_ONCE):
                part = ordered[start : start + _ASK_AT_ONCE]
                marks = ",".join("?" * len(part))
                for key, row in self._db.execute(f"SELECT key, row FROM vector WHERE key IN ({marks})", part):
                    if len(row) == 4 * dims:
                        found[key] = np.frombuffer(row, "<f4").astype(np.float32)
        return found

    def _write(self, keys: Sequence[bytes], rows: Floats) -> None:
        with _translated(self._path), self._lock, self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO vector(key, row) VALUES (?, ?)",
                [(key, row.astype("<f4").tobytes()) for key, row in zip(keys, rows, strict=True)],
            )


def _open(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.set_busy_timeout(_BUSY_MS)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, row BLOB NOT NULL)")
    return db


def _key(model_key: str, text: str) -> bytes:
    return hashlib.sha256(model_key.encode() + b"\0" + text.encode("utf-8", "surrogatepass")).digest()


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Errors of the file as ours, each with what to do."""
    try:
        yield
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise StoreCorrupt(f"the embedding cache {path} is damaged", hint="delete it; it is made again") from error
    except apsw.BusyError as error:
        raise StoreBusy(f"another process holds the embedding cache {path}", hint="try again") from error
    except apsw.FullError as error:
        raise StoreFull(f"no room for the embedding cache {path}", hint="name another directory with --cache") from error
    except (OSError, apsw.Error) as error:
        raise StorePathError(
            f"the embedding cache cannot be kept in {path.parent}: {error}", hint="name another directory with --cache"
        ) from error
