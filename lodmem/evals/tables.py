"""A table of text, shown on a terminal or written as markdown. It refuses to know what the cells mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.table import Table


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of as many cells as `head`; the first column is text, the others are numbers. `strong`: the last row is the sum."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    strong: bool = False


def on_terminal(grid: Grid, caption: str = "") -> Table:
    """The grid for rich."""
    table = Table(title=grid.title, caption=caption or None)
    for number, head in enumerate(grid.head):
        table.add_column(head, justify="right" if number else "left")
    for number, row in enumerate(grid.rows, start=1):
        last = grid.strong and number == len(grid.rows)
        if last:
            table.add_section()
        table.add_row(*row, style="bold" if last else None)
    return table


def as_markdown(grid: Grid) -> str:
    """The grid as a heading and a pipe table, ending in a line end."""
    lines = [f"## {grid.title}", "", _line(grid.head), _line(["---", *["---:"] * (len(grid.head) - 1)])]
    rows = list(grid.rows)
    if grid.strong and rows:
        rows[-1] = tuple(f"**{cell}**" for cell in rows[-1])
    return "\n".join([*lines, *map(_line, rows)]) + "\n"


def page(title: str, notes: Iterable[str], parts: Sequence[str]) -> str:
    """A markdown page: title, notes as a list, then the parts."""
    return "\n".join([f"# {title}", "", *(f"- {note}" for note in notes), "", *parts])


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
