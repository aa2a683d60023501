"""Disks that a test can read, break or switch off: SQLite file systems (VFS) that stand between a store and the real one.

`with Tape().mounted() as tape:` every connection that this process opens in the block goes through it.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

REAL = apsw.vfs_names()[0]
SECTOR = 512
PAGES_TO_CHECKPOINT = 40
_numbers = count()


@dataclass(frozen=True, slots=True)
class Call:
    """One call to the disk: open (a file was made), write, truncate, sync, delete, read; or a `note` of the test.

    `at`: offset of a write, size of a truncation, 1 for a deletion that is durable at its end.
    """

    kind: str
    file: str
    at: int = 0
    data: bytes = b""


class Disk(apsw.VFS):
    """Hands every call on to the real disk. `before` sees it and may raise, `after` sees it when it changed something."""

    def __init__(self) -> None:
        self.label = f"faulty-{next(_numbers)}"
        super().__init__(self.label, base=REAL)

    def before(self, call: Call) -> None: ...

    def after(self, call: Call) -> None: ...

    @contextmanager
    def mounted(self) -> Iterator[Self]:
        apsw.set_default_vfs(self.label)
        try:
            yield self
        finally:
            apsw.set_default_vfs(REAL)

    def do(self, call: Call, work: Callable[[], None]) -> None:
        self.before(call)
        work()
        self.after(call)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name if isinstance(name, str) or name is None else name.filename()
        new = path is not None and not os.path.exists(path)
        file = _File(self, name, flags, os.path.basename(path or ""))
        if new:
            self.after(Call("open", file.label))
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        call = Call("delete", os.path.basename(filename), int(syncdir))
        self.do(call, lambda: super(Disk, self).xDelete(filename, syncdir))

    def excepthook(self, kind: type[BaseException], error: BaseException, trace: TracebackType) -> None:
        """Planted errors are no news."""


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int], label: str) -> None:
        self.disk, self.label = disk, label
        super().__init__(REAL, name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self.disk.before(Call("read", self.label, offset))
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self.disk.do(Call("write", self.label, offset, bytes(data)), lambda: super(_File, self).xWrite(data, offset))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self.disk.do(Call("truncate", self.label, newsize), lambda: super(_File, self).xTruncate(newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        self.disk.do(Call("sync", self.label), lambda: super(_File, self).xSync(flags))

    def excepthook(self, kind: type[BaseException], error: BaseException, trace: TracebackType) -> None:
        """Planted errors are no news."""


class Tape(Disk):
    """Writes down everything that happens, in order, with the test's own notes in between."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def after(self, call: Call) -> None:
        self.calls.append(call)

    def note(self, text: str) -> None:
        self.calls.append(Call("note", text))


class Failing(Disk):
    """From the n-th call of a kind on (counted from 1) each fails with an SQLite code, or only that one; until `repair`.

    `file`: only calls on the file of that name.
    """

    def __init__(self, kind: str, nth: int, code: int, *, once: bool = False, file: str | None = None) -> None:
        super().__init__()
        self.kind, self.nth, self.code, self.once, self.file = kind, nth, code, once, file
        self.seen = self.failed = 0
        self.whole = False

    def before(self, call: Call) -> None:
        if self.whole or call.kind != self.kind or self.file not in (None, call.file):
            return
        self.seen += 1
        if self.seen == self.nth or (self.seen > self.nth and not self.once):
            self.failed += 1
            raise apsw.exception_for(self.code)

    def repair(self) -> None:
        self.whole = True


class Deadly(Disk):
    """Kills this process before its n-th call."""

    def __init__(self, nth: int) -> None:
        super().__init__()
        self.left = nth

    def before(self, call: Call) -> None:
        self.left -= 1
        if self.left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)


def checkpoints_often() -> AbstractContextManager[None]:
    """New connections move the log into the file every few commits, so that a short test sees it."""
    return _checkpoints(PAGES_TO_CHECKPOINT)


def checkpoints_when_asked() -> AbstractContextManager[None]:
    """New connections never do it by themselves. SQLite keeps to itself what fails then, but what is planted here shows."""
    return _checkpoints(0)


@contextmanager
def _checkpoints(pages: int) -> Iterator[None]:
    def set_it(conn: apsw.Connection) -> None:
        conn.wal_autocheckpoint(pages)

    apsw.connection_hooks.append(set_it)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(set_it)


# -- what a disk holds after the power failed --------------------------------------------------------------------------


@dataclass(slots=True)
class _Inode:
    safe: bytearray
    waiting: list[Call] = field(default_factory=list)


class Platter:
    """What a tape put on a disk: contents of files and the folder's entries, each with the changes that no sync covers yet.

    A sync covers its file, and the first one of a new file the folder too, which is what SQLite does.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self.folder = {name: _Inode(bytearray(data)) for name, data in files.items()}
        self.moves: list[tuple[str, _Inode | None]] = []

    def play(self, call: Call) -> None:
        live = self._live(len(self.moves))
        if call.kind == "open":
            self.moves.append((call.file, _Inode(bytearray())))
        elif call.kind == "delete":
            self.moves.append((call.file, None))
            if call.at:
                self._settle()
        elif call.kind == "sync":
            inode = live[call.file]
            inode.safe = _played(inode.safe, inode.waiting)
            inode.waiting = []
            if any(new is inode for _, new in self.moves):
                self._settle()
        elif call.kind != "note":
            live[call.file].waiting.append(call)

    def _live(self, moves: int) -> dict[str, _Inode]:
        folder: dict[str, _Inode | None] = {**self.folder, **dict(self.moves[:moves])}
        return {name: inode for name, inode in folder.items() if inode is not None}

    def _settle(self) -> None:
        self.folder, self.moves = self._live(len(self.moves)), []

    def lose_power(self, how: str, seed: int) -> dict[str, bytes]:
        """The files as they are found afterwards. Of what no sync covers: `none` is there, `all` but for the end of the last
        write, or `some`: any of it, and of each write any sectors."""
        draw = random.Random(seed)
        if how == "none":
            return {name: bytes(inode.safe) for name, inode in self.folder.items()}
        moves = len(self.moves) if how == "all" else draw.randint(0, len(self.moves))
        return {name: bytes(_survived(inode, how, draw)) for name, inode in self._live(moves).items()}


def _survived(inode: _Inode, how: str, draw: random.Random) -> bytearray:
    waiting = inode.waiting
    if how == "some":
        waiting = [piece for call in waiting if draw.random() < 0.6 for piece in _sectors(call, draw)]
    elif waiting and waiting[-1].kind == "write":
        last = waiting[-1]
        waiting = [*waiting[:-1], Call("write", last.file, last.at, last.data[: draw.randrange(len(last.data))])]
    return _played(inode.safe, waiting)


def _sectors(call: Call, draw: random.Random) -> Iterator[Call]:
    if call.kind != "write" or draw.random() < 0.5:
        yield call
        return
    start = call.at
    while start < call.at + len(call.data):
        stop = min((start // SECTOR + 1) * SECTOR, call.at + len(call.data))
        if draw.random() < 0.7:
            yield Call("write", call.file, start, call.data[start - call.at : stop - call.at])
        start = stop


def _played(safe: bytearray, calls: list[Call]) -> bytearray:
    data = bytearray(safe)
    for call in calls:
        if call.kind == "truncate":
            del data[call.at :]
            data.extend(bytes(call.at - len(data)))
        elif call.data:
            data.extend(bytes(max(0, call.at - len(data))))
            data[call.at : call.at + len(call.data)] = call.data
    return data


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
