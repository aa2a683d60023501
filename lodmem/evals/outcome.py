"""What was found for one question: where each system ranked the evidence. It refuses to know how that is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lodmem.evals.kept import Line
from lodmem.evals.places import Places

TURN, SESSION = "turn", "session"
OFFICIAL = "official "
VIEWS = (TURN, SESSION, OFFICIAL + TURN, OFFICIAL + SESSION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """`ranks[system][view]` gives the rank of each gold name (from 1; None: not ranked). A view without evidence is absent.

    Views: turn, session, and both of user turns alone as 'official turn' and 'official session'.
    """

    question: str
    case: str
    category: str
    ranks: Mapping[str, Mapping[str, Places]]

    @classmethod
    def read(cls, line: Line) -> Outcome:
        """The outcome of a kept line."""
        return cls(question=line["question"], case=line["case"], category=line["category"], ranks=line["ranks"])

    def of(self, system: str, view: str) -> list[int | None] | None:
        """Ranks of the evidence, None where this view has none, or the system did not run."""
        found = self.ranks.get(system, {}).get(view)
        return None if found is None else list(found.values())
