"""What an ingestion says about itself: how much came in, and what was passed over and why. Values only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was passed over. `where` names its place for a person: a file, a line, a commit."""

    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """`added` memories are new, `unchanged` were there already; `problems` in the order they were met."""

    importer: str
    added: int
    unchanged: int
    problems: tuple[Problem, ...]

    @property
    def seen(self) -> int:
        """Everything that was met: added, unchanged and passed over."""
        return self.added + self.unchanged + len(self.problems)
