"""Tells how far an evaluation is: done pieces become calls of one progress callback."""

from __future__ import annotations

from collections.abc import Callable

# (what is being done, pieces done, pieces in all)
Progress = Callable[[str, int, int], None]


class Meter:
    """Counts pieces that follow one another; `total` is all there will be."""

    def __init__(self, tell: Progress | None, total: int) -> None:
        self._tell = tell or _silent
        self._total = total
        self._base = 0

    def at(self, what: str, done: int) -> None:
        """`done` pieces of the work at hand are done."""
        self._tell(what, self._base + done, self._total)

    def finish(self, what: str, size: int) -> None:
        """The work at hand, of `size` pieces, is over."""
        self._base += size
        self.at(what, 0)


def _silent(what: str, done: int, total: int) -> None:
    pass
