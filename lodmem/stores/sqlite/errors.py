"""Turns what SQLite reports into the errors of lodmem.errors, in one place.

It knows only what a file system, a damaged file or another process can cause. Anything else is a mistake in this program and
passes as it is.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from lodmem.errors import (
    BadEncoding,
    LodmemError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StorePathError,
    StoreReadOnly,
    TooLarge,
)

FULL_HINT = "free some space and try again; nothing that was acknowledged is lost"
CORRUPT_HINT = "the file is left as it is; restore a backup, or move it away to start a new store"
READ_ONLY_HINT = "make the file and its folder writable, or open the store with read_only=True and only look"
_CLASSES: tuple[tuple[type[apsw.Error], type[LodmemError], str, str], ...] = (
    (apsw.BusyError, StoreBusy, "another process holds the store", "try again in a moment, or end the other process"),
    (apsw.LockedError, StoreBusy, "another connection holds the store", "try again in a moment"),
    (apsw.FullError, StoreFull, "no space left on the disk", FULL_HINT),
    (apsw.NotADBError, StoreCorrupt, "not a store, or damaged at its beginning", CORRUPT_HINT),
    (apsw.CorruptError, StoreCorrupt, "the file is damaged", CORRUPT_HINT),
    (apsw.ReadOnlyError, StoreReadOnly, "the store cannot be written", READ_ONLY_HINT),
    (apsw.PermissionsError, StoreReadOnly, "no permission", READ_ONLY_HINT),
    (apsw.CantOpenError, StorePathError, "the file cannot be opened", "check the path and its permissions"),
    (apsw.ConnectionClosedError, StoreClosed, "the store is closed", "open it again"),
    (apsw.TooBigError, TooLarge, "a text is larger than SQLite can hold", "split it"),
    (apsw.IOError, StoreError, "the disk reports an error", "check the disk and the system log"),
)


def from_system(error: OSError, path: Path) -> StoreError:
    """The lodmem error for what the operating system says about a path."""
    if error.errno == errno.ENOSPC:
        return StoreFull(f"{path}: no space left on the disk", hint=FULL_HINT)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StoreReadOnly(f"{path}: no permission", hint=READ_ONLY_HINT)
    return StorePathError(f"{path} cannot be used: {error.strerror}", hint="check the path")


def translate(error: apsw.Error, path: Path) -> Exception:
    """The lodmem error for what SQLite reported about the store at `path`, or `error` itself where it has none."""
    # SQLite reports a disk too full for its shared memory file as an I/O error.
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        return StoreFull(f"{path}: no space left on the disk", hint=FULL_HINT)
    for driver, ours, text, hint in _CLASSES:
        if isinstance(error, driver):
            return ours(f"{path}: {text}", hint=hint)
    return error


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Runs its block with driver errors turned into ours."""
    try:
        yield
    except apsw.Error as error:
        ours = translate(error, path)
        if ours is error:
            raise
        raise ours from error
    except UnicodeEncodeError as error:
        raise BadEncoding(
            "a text holds half of a surrogate pair, which no encoding can store",
            hint="decode the input with errors='replace'",
        ) from error


# What a file whose pages are sound and whose contents are not ends in: text that is not UTF-8, NULL for a number, a missing
# table, a kind that is none.
NONSENSE: tuple[type[Exception], ...] = (
    apsw.SQLError, apsw.ConstraintError, apsw.MismatchError, AttributeError, OverflowError, LookupError, TypeError, ValueError,
)  # fmt: skip


@contextmanager
def understood(path: Path) -> Iterator[None]:
    """Runs its block, which makes values of what the file holds; what makes no sense is StoreCorrupt and names its cause."""
    try:
        yield
    except UnicodeEncodeError:
        raise
    except NONSENSE as error:
        text = f"{path}: it holds something that makes no sense ({type(error).__name__}: {error})"
        raise StoreCorrupt(text, hint=CORRUPT_HINT) from error
