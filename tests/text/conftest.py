"""A token counter for the text tests: deterministic, additive over any white space, independent of the shipped tokenizer."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from lodmem.ports import TokenCounter

_TOKEN = re.compile(r"[^\W\u3041-\u9fff]{1,6}|[^\w\s]|[\u3041-\u9fff]")


class PieceCounter:
    """Counts pieces of at most six word characters, punctuation marks, and CJK characters."""

    def count(self, text: str) -> int:
        return len(_TOKEN.findall(text))

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


@pytest.fixture(scope="session")
def counter() -> TokenCounter:
    return PieceCounter()
