"""Time and the count of tokens, and types that several ports use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Progress = Callable[[int, int], None]  # done, total


class Clock(Protocol):
    """The only source of time."""

    def now_us(self) -> int:
        """Microseconds since 1970 UTC, never before an earlier answer of the same clock."""
        ...


class TokenCounter(Protocol):
    """Counts tokens the way budgets are counted. Additive over lines and words: count(a + '\\n' + b) and count(a + ' ' + b) are
    count(a) + count(b)."""

    def count(self, text: str) -> int: ...

    def counts(self, texts: Sequence[str]) -> list[int]: ...
