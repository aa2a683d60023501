"""The map as lines of text: dots of braille for what lies below, a sign a cell for what a query lifts, names over regions.

Every tier has a sign and a colour of its own, so that the picture reads without colour, too. Knows no terminal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from lodmem.cli.output import COUNTED, counted
from lodmem.cli.safe import safe_line
from lodmem.cli.seen import TIERS, Seen
from lodmem.model.memory import Tier

MOST_NAMES, MOST_ROWS = 12, 8
LEAST_NAME = 4
_NAMED_FROM = 40  # columns: below this there is no room for names
_BRAILLE = 0x2800
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_SIGNS = {Tier.FULL: "●", Tier.SUMMARY: "○", Tier.HEADLINE: "•"}
_ASCII = {Tier.FULL: "#", Tier.SUMMARY: "o", Tier.HEADLINE: ":"}
# Cyan, where pages have blue: single signs of blue are hard to see on black.
_STYLE = {Tier.FULL: "bold green", Tier.SUMMARY: "bold cyan", Tier.HEADLINE: "magenta", Tier.HORIZON: "dim"}
_QUERY, _ASCII_QUERY = "✕", "X"
_QUERY_STYLE, _NAME_STYLE, _GROUND_STYLE = "bold red", "bold", "dim"


@dataclass(slots=True)
class _Canvas:
    """Signs and styles by line and column."""

    signs: list[list[str]]
    styles: list[list[str]]
    taken: np.ndarray

    def put(self, line: int, column: int, sign: str, style: str) -> None:
        self.signs[line][column], self.styles[line][column] = sign, style

    def lines(self) -> Iterator[Text]:
        for signs, styles in zip(self.signs, self.styles, strict=True):
            text = Text()
            for sign, style in zip(signs, styles, strict=True):
                text.append(sign, style)
            text.rstrip()
            yield text


def picture(view: Seen, width: int, height: int, *, ascii_only: bool = False) -> list[Text]:
    """`height` lines of at most `width` columns. The map's y grows upwards."""
    canvas = _Canvas(
        [[" "] * width for _ in range(height)],
        [[""] * width for _ in range(height)],
        np.zeros((height, width), np.bool_),
    )
    line, column = _cells(view.map.x, view.map.y, width, height)
    _draw_ground(canvas, view, line, column, ascii_only=ascii_only)
    signs = _ASCII if ascii_only else _SIGNS
    for tier in reversed(TIERS[:-1]):
        rows = view.tiers == int(tier)
        for at in sorted(set(zip(line[rows].tolist(), column[rows].tolist(), strict=True))):
            canvas.put(*at, signs[tier], _STYLE[tier])
            canvas.taken[at] = canvas.taken[at] or tier is not Tier.HEADLINE
    if view.place is not None:
        there = _cells(np.array([view.place[0]]), np.array([view.place[1]]), width, height)
        at = int(there[0][0]), int(there[1][0])
        canvas.put(*at, _ASCII_QUERY if ascii_only else _QUERY, _QUERY_STYLE)
        canvas.taken[at] = True
    if width >= _NAMED_FROM:
        _write_names(canvas, view, width, height, ascii_only=ascii_only)
    return list(canvas.lines())


def _cells(
    x: np.ndarray, y: np.ndarray, width: int, height: int, *, dots: tuple[int, int] = (1, 1)
) -> tuple[np.ndarray, np.ndarray]:
    """Line and column of places, with so many dots to a cell down and across."""
    down, across = height * dots[0], width * dots[1]
    return (
        np.clip(((1 - y) / 2 * down).astype(np.int64), 0, down - 1),
        np.clip(((x + 1) / 2 * across).astype(np.int64), 0, across - 1),
    )


def _draw_ground(canvas: _Canvas, view: Seen, line: np.ndarray, column: np.ndarray, *, ascii_only: bool) -> None:
    height, width = canvas.taken.shape
    if ascii_only:
        for at in set(zip(line.tolist(), column.tolist(), strict=True)):
            canvas.put(*at, ".", _GROUND_STYLE)
        return
    down, across = _cells(view.map.x, view.map.y, width, height, dots=(4, 2))
    cells = np.zeros((height, width), np.int64)
    np.bitwise_or.at(cells, (down // 4, across // 2), _DOTS[down % 4, across % 2])
    for at in zip(*np.nonzero(cells), strict=True):
        canvas.put(int(at[0]), int(at[1]), chr(_BRAILLE + int(cells[at])), _GROUND_STYLE)


def _write_names(canvas: _Canvas, view: Seen, width: int, height: int, *, ascii_only: bool) -> None:
    """Names of the regions that show most, where they cover neither each other nor what stands high."""
    written = 0
    for cluster, _ in view.regions():
        name = _fitting(cluster.label, width // 4, ascii_only=ascii_only)
        size = cell_len(name)
        if size < LEAST_NAME or written == MOST_NAMES:
            continue
        line, column = (int(one[0]) for one in _cells(np.array([cluster.x]), np.array([cluster.y]), width, height))
        spot = _free(canvas.taken, line, max(0, min(column - size // 2, width - size)), size)
        if spot is None:
            continue
        line, column = spot
        canvas.taken[line, max(0, column - 1) : column + size + 1] = True
        for number, sign in enumerate(_columns(name)):
            canvas.put(line, column + number, sign, _NAME_STYLE)
        written += 1


def _free(taken: np.ndarray, line: int, column: int, size: int) -> tuple[int, int] | None:
    """The nearest line that has room, up to three above or below; shifted a little if need be."""
    height, width = taken.shape
    for shift in (0, -size // 3, size // 3, -size // 2, size // 2):
        for step in (0, -1, 1, -2, 2, -3, 3):
            at, start = line + step, column + shift
            if 0 <= at < height and start >= 0 and start + size <= width and not taken[at, start : start + size].any():
                return at, start
    return None


def _columns(name: str) -> Iterator[str]:
    """One string a column; a wide character takes two, the second of them empty."""
    for char in name:
        wide = cell_len(char)
        if wide:
            yield char
            yield from [""] * (wide - 1)


def _fitting(label: str, width: int, *, ascii_only: bool) -> str:
    """The label within `width` columns: whole, else its first words."""
    label = safe_line(label)
    if ascii_only:
        label = label.encode("ascii", "replace").decode()
    if cell_len(label) <= width:
        return label
    first = label.partition(",")[0]
    return first if cell_len(first) <= width else set_cell_size(first, max(width, 1)).rstrip()


def _sign(tier: Tier, *, ascii_only: bool) -> str:
    if tier is Tier.HORIZON:
        return "." if ascii_only else "⣤"
    return (_ASCII if ascii_only else _SIGNS)[tier]


def legend(view: Seen, width: int, *, ascii_only: bool = False) -> Iterator[Text]:
    """What the signs mean, with counts of what is on the map; lines of at most `width` columns."""
    parts = [
        Text.assemble((_sign(tier, ascii_only=ascii_only), _STYLE[tier]), " ", counted(count, *COUNTED[tier]))
        for tier, count in view.counts().items()
    ]
    if view.place is not None:
        parts.append(Text.assemble((_ASCII_QUERY if ascii_only else _QUERY, _QUERY_STYLE), " the query"))
    line = Text()
    for part in parts:
        if line and line.cell_len + 3 + part.cell_len > width:
            yield line
            line = Text()
        line.append("   " if line else "").append(part)
    yield line


def regions(view: Seen, width: int, *, ascii_only: bool = False) -> Iterator[Text]:
    """The regions that show most, and how many memories each has at each tier."""
    titles = [tier.label for tier in TIERS]
    widths = [max(len(title), 6) for title in titles]
    room = width - sum(widths) - 2 * len(widths)
    if room < LEAST_NAME * 2:  # too narrow for a title over each column
        titles, widths = [_sign(tier, ascii_only=ascii_only) for tier in TIERS], [4] * len(TIERS)
        room = max(LEAST_NAME * 2, width - sum(widths) - 2 * len(widths))
    found = [(cluster, counts) for cluster, counts in view.regions() if cluster.label and any(list(counts.values())[:-1])]
    names = [_fitting(cluster.label, room, ascii_only=ascii_only) for cluster, _ in found[:MOST_ROWS]]
    room = max([LEAST_NAME * 2, *map(cell_len, names)])
    if found:
        head = Text("region".ljust(room), "dim")
        for title, size in zip(titles, widths, strict=True):
            head.append("  " + title.rjust(size), "dim")
        yield head
    for name, (_, counts) in zip(names, found, strict=False):
        line = Text(set_cell_size(name, room))
        for (tier, count), size in zip(counts.items(), widths, strict=True):
            line.append("  " + (f"{count:,}" if count else "-").rjust(size), _STYLE[tier] if count else "dim")
        yield line
    if len(found) > MOST_ROWS:
        yield Text(f"and {len(found) - MOST_ROWS} more regions", "dim")
