"""Strings as small numbers: spaces, agents, sources, tags."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """`names[i]` is the string of number i; numbers are given in the order of first sight."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = list(names)
        self._numbers = {name: i for i, name in enumerate(self.names)}

    def number(self, name: str) -> int:
        known = self._numbers.get(name)
        if known is None:
            known = self._numbers[name] = len(self.names)
            self.names.append(name)
        return known

    def find(self, name: str) -> int | None:
        return self._numbers.get(name)
