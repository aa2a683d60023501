"""An array that grows by doubling, so that appending a memory costs the same however large the store is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Grow:
    """`view` is the filled part, shape (n, *width); valid until the next append."""

    def __init__(self, dtype: DTypeLike, width: tuple[int, ...] = ()) -> None:
        self._data: NDArray[Any] = np.zeros((16, *width), dtype=dtype)
        self._length = 0

    @classmethod
    def over(cls, data: NDArray[Any], length: int) -> Grow:
        """Takes over an array whose first `length` rows are filled, such as one mapped from a file with room at its end."""
        grown = cls.__new__(cls)
        grown._data, grown._length = data, length
        return grown

    def __len__(self) -> int:
        return self._length

    @property
    def view(self) -> NDArray[Any]:
        return self._data[: self._length]

    def reserve(self, length: int) -> None:
        """Make room for that many rows in all, so that appending up to there copies nothing."""
        if length > len(self._data):
            bigger = np.zeros((length, *self._data.shape[1:]), dtype=self._data.dtype)
            bigger[: self._length] = self.view
            self._data = bigger

    def extend(self, values: NDArray[Any]) -> None:
        """Append rows."""
        needed = self._length + len(values)
        if needed > len(self._data):
            self.reserve(max(needed, 2 * len(self._data)))
        self._data[self._length : needed] = values
        self._length = needed
