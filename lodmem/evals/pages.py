"""Writes a report into a folder: report.md with tables, report.json, pictures. It refuses to know what was measured."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Protocol

from lodmem.errors import StorePathError
from lodmem.evals.plots import MISSING, Plot, can_draw, draw
from lodmem.evals.tables import Grid, as_markdown, page

PAGE, VALUES = "report.md", "report.json"


class Printable(Protocol):
    """What every report offers."""

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        ...

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready."""
        ...

    def grids(self) -> list[Grid]:
        """Tables in order."""
        ...

    def plots(self) -> list[Plot]:
        """Pictures in order."""
        ...

    def notes(self) -> list[str]:
        """How it was run, a line each."""
        ...


def write(report: Printable, folder: Path) -> list[Path]:
    """Write the report into a folder; the files written, the page first. Raises StorePathError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        plots = report.plots() if can_draw() else []
        pictures = [folder / f"{_name(plot.title)}.png" for plot in plots]
        for plot, path in zip(plots, pictures, strict=True):
            draw(plot, path)
        notes = [*report.notes(), *([] if can_draw() else [MISSING])]
        shown = [f"![{plot.title}]({path.name})\n" for plot, path in zip(plots, pictures, strict=True)]
        text = page(f"Evaluation: {report.dataset}", notes, [*map(as_markdown, report.grids()), *shown])
        (folder / PAGE).write_text(text, encoding="utf-8")
        values = json.dumps(report.to_dict(), indent=2, ensure_ascii=False)
        (folder / VALUES).write_text(values + "\n", encoding="utf-8")
    except OSError as error:
        raise StorePathError(
            f"the report cannot be written to {folder}: {error.strerror or error}", hint="name another with --out"
        ) from error
    return [folder / PAGE, folder / VALUES, *pictures]


def _name(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")
