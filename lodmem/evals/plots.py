"""Pictures of an evaluation as PNG files, drawn with matplotlib where it is installed (the extra `eval`).

It refuses to know what the lines mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

MISSING = "no plots: matplotlib is not installed (pip install 'lodmem[eval]')"
_MARKS = "osD^vP*X<>"


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines over common points of x; `lines[name]` has one y a point, in per cent. `logarithmic`: x doubles along the axis."""

    title: str
    x_name: str
    y_name: str
    x: Sequence[float]
    lines: Mapping[str, Sequence[float]]
    logarithmic: bool = False


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def draw(plot: Plot, path: Path) -> None:
    """Write one picture. Needs matplotlib. Raises OSError."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.2), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for number, (name, values) in enumerate(plot.lines.items()):
        axes.plot(
            plot.x, values, marker=_MARKS[number % len(_MARKS)], markersize=4, linewidth=2.0 if not number else 1.2, label=name
        )
    if plot.logarithmic:
        axes.set_xscale("log", base=2)
    axes.set_xticks(list(plot.x), [f"{x:g}" for x in plot.x])
    axes.minorticks_off()
    axes.set(title=plot.title, xlabel=plot.x_name, ylabel=plot.y_name)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(path)
