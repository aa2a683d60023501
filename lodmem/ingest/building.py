"""Levels, passages and terms of many memories: made when they are asked for, or begun before (`beside`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from lodmem.ingest.pipeline import Admitted, make, put_together, raw
from lodmem.model.memory import Prepared
from lodmem.ports import TokenCounter

Built = Callable[[], list[Prepared]]


class Builder(Protocol):
    """Makes memories ready for a store. `ahead`: how many batches may be begun before the first of them is asked for."""

    @property
    def ahead(self) -> int: ...

    def begin(self, admitted: Sequence[Admitted], *, now_us: int) -> Built:
        """Begin with a batch; the call of what it returns waits for it."""
        ...


class Here:
    """Makes them when they are asked for, in the thread that asks."""

    ahead = 0

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def begin(self, admitted: Sequence[Admitted], *, now_us: int) -> Built:
        """Only note what is to be made."""
        return partial(self._make, admitted, now_us)

    def _make(self, admitted: Sequence[Admitted], now_us: int) -> list[Prepared]:
        return [put_together(one, make(raw(one, now_us), self._counter)) for one in admitted]
