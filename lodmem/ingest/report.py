"""What an ingestion says about itself: how much came in, of what, and what was passed over and why. Values only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from lodmem.model.memory import Draft

# Of a file that is nothing but problems only so many are told one by one.
MAX_PROBLEMS = 20_000
FIRST = 5
_FIRST_CHARS = 100
_SPEAKERS = frozenset({"user", "assistant", "task", "helper"})


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was passed over. `where` names its place for a person: a file, a line, a commit."""

    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


@dataclass(slots=True)
class Overview:
    """What the drafts of an ingestion are: how many of which kind, the first few, and the days they span.

    The kind is who spoke, where the source says so, `actions` for what an agent did, else the kind of memory.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    first: list[tuple[int | None, str]] = field(default_factory=list)
    earliest_us: int | None = None
    latest_us: int | None = None
    undated: int = 0

    @property
    def wants_text(self) -> bool:
        """Whether the next draft is one of the first, whose text is shown."""
        return len(self.first) < FIRST

    def see(self, draft: Draft) -> None:
        """Count one more."""
        speaker = draft.meta.get("speaker")
        kind = "actions" if "actions" in draft.meta else speaker if speaker in _SPEAKERS else draft.kind.value
        self.kinds[str(kind)] += 1
        if self.wants_text:
            self.first.append((draft.created_us, " ".join(draft.full[: 4 * _FIRST_CHARS].split())[:_FIRST_CHARS]))
        when = draft.created_us
        if when is None:
            self.undated += 1
            return
        self.earliest_us = when if self.earliest_us is None else min(when, self.earliest_us)
        self.latest_us = when if self.latest_us is None else max(when, self.latest_us)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """`added` memories are new, `unchanged` were there already; `problems` in the order they were met, at most MAX_PROBLEMS.

    `more_problems`: how many came after those. `passed`: what the importer leaves out on purpose, by kind. `masked`: how many
    secrets were masked, by kind.
    """

    importer: str
    added: int
    unchanged: int
    problems: tuple[Problem, ...]
    more_problems: int = 0
    passed: Mapping[str, int] = field(default_factory=dict)
    masked: Mapping[str, int] = field(default_factory=dict)
    overview: Overview = field(default_factory=Overview, compare=False)

    @property
    def problem_count(self) -> int:
        """All problems, those that are not listed too."""
        return len(self.problems) + self.more_problems

    @property
    def seen(self) -> int:
        """Everything that was met: added, unchanged and passed over."""
        return self.added + self.unchanged + self.problem_count
