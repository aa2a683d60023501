"""Answers about words, remembered in bounded number. Texts repeat their words; what a word is does not depend on its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")

ROOM = 1 << 15


class Remembered(dict[str, Answer]):
    """`remembered[word]` is `make(word)`, made once. When there is no room for another word, all are forgotten.

    A plain dict, because a cache that keeps an order writes to memory at every hit, and hits are what this is for. Threads at
    worst make an answer twice.
    """

    def __init__(self, make: Callable[[str], Answer], room: int = ROOM) -> None:
        super().__init__()
        self._make, self._room = make, room

    def __missing__(self, word: str) -> Answer:
        if len(self) >= self._room:
            self.clear()
        answer = self[word] = self._make(word)
        return answer
