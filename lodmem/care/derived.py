"""What can be made anew from what is kept: how each such thing is checked, and how it is made again.

Whoever adds another derived thing (a file beside the store, say) hands in one more `Derived`; nothing here changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Stage: TypeAlias = Callable[[int, int | None, str], None]  # done, total (None: not known), what is being done


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """`check` gives problems in words, empty when all is well; `repair` what it did in words, empty when nothing had to be.

    Both may be called at any time while others work, and `repair` again after it was interrupted. `severe` False: a problem
    makes answers poorer, not wrong.
    """

    name: str
    check: Callable[[], Sequence[str]]
    repair: Callable[[Stage | None], Sequence[str]]
    severe: bool = True


@dataclass(frozen=True, slots=True)
class Trouble:
    """One problem of one derived thing."""

    name: str
    text: str
    severe: bool


def examine(things: Sequence[Derived]) -> list[Trouble]:
    """All problems, in the order of the things."""
    return [Trouble(thing.name, text, thing.severe) for thing in things for text in thing.check()]


def remake(things: Sequence[Derived], report: Stage | None) -> list[str]:
    """Repair all in order; what was done."""
    return [text for thing in things for text in thing.repair(report)]
