"""An array that grows by doubling, so that appending a memory costs the same however large the store is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Grow:
    """`view` is the filled part, shape (n, *width); valid until the next append."""

    def __init__(self, dtype: DTypeLike, width: tuple[int, ...] = (), fill: float = 0) -> None:
        self._fill = fill
        self._data: NDArray[Any] = np.full((16, *width), fill, dtype=dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def view(self) -> NDArray[Any]:
        return self._data[: self._length]

    def extend(self, values: NDArray[Any]) -> None:
        """Append rows."""
        needed = self._length + len(values)
        if needed > len(self._data):
            bigger = np.full((max(needed, 2 * len(self._data)), *self._data.shape[1:]), self._fill, dtype=self._data.dtype)
            bigger[: self._length] = self.view
            self._data = bigger
        self._data[self._length : needed] = values
        self._length = needed
