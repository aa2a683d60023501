"""Arrays that are used again from question to question: making one of a million rows costs as much as filling it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Scratch:
    """Named arrays, each lent to one user at a time, as everything that looks through the columns holds their lock."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}

    def zeros(self, name: str, count: int, dtype: DTypeLike) -> NDArray[Any]:
        """Zeros. The borrower puts back to zero what it changed, before anybody asks again."""
        return self._lent(name, count, dtype)

    def filled(self, name: str, count: int, dtype: DTypeLike, value: float) -> NDArray[Any]:
        """An array of one value. It is somebody else's at the next call with this name."""
        array = self._lent(name, count, dtype)
        array.fill(value)
        return array

    def _lent(self, name: str, count: int, dtype: DTypeLike) -> NDArray[Any]:
        known = self._arrays.get(name)
        if known is None or len(known) < count:
            known = self._arrays[name] = np.zeros(count + count // 8, dtype=dtype)
        return known[:count]
