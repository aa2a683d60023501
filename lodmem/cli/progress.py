"""A progress bar on stderr for work that takes a while, where somebody watches; nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from lodmem.cli.app import App
from lodmem.cli.safe import safe_line
from lodmem.model.memory import to_datetime

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from lodmem.ports import Wait

Waiting = Callable[[], "Wait | None"]

# Work on so few pieces is over before a bar can be read.
FEW = 3


class Report(Protocol):
    """Told how far the work is; total None: not known; `stage` renames the bar."""

    def __call__(self, done: int, total: int | None = None, stage: str = "", /) -> None: ...


@contextmanager
def progress(app: App, title: str, *, share: bool = False, waiting: Waiting | None = None) -> Iterator[Report | None]:
    """What to call as the work goes on, or None where nobody watches. `share`: percent are shown, not how many of how many.
    `waiting`: what it waits for just now, which is shown below."""
    if not app.shows_progress:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    done = TaskProgressColumn() if share else MofNCompleteColumn()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), done, TimeRemainingColumn())
    with _screen(app, columns, waiting) as bar:
        task = bar.add_task(title, total=None, visible=False)

        def report(done: int, total: int | None = None, stage: str = "", /) -> None:
            bar.update(
                task,
                completed=done,
                total=total,
                description=safe_line(stage) or title,
                visible=total is None or total > FEW,
            )

        yield report


class TaskReport(Protocol):
    """Told how far one of several tasks is."""

    def __call__(self, task: str, done: int, total: int, /) -> None: ...


@contextmanager
def bars(app: App, names: Mapping[str, str], *, waiting: Waiting | None = None) -> Iterator[TaskReport | None]:
    """A bar for each task, from its first news on; None where nobody watches. `names`: tasks in words; `waiting` as above."""
    if not app.shows_progress:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with _screen(app, columns, waiting) as bar:
        shown = {}

        def report(task: str, done: int, total: int, /) -> None:
            if task not in shown:
                shown[task] = bar.add_task(safe_line(names.get(task, task)), total=total)
            bar.update(shown[task], completed=done, total=total)

        yield report


def _screen(app: App, columns: tuple[ProgressColumn, ...], waiting: Waiting | None) -> Progress:
    """Bars on stderr that leave nothing behind, and below them what is waited for."""
    from rich.console import Console, RenderableType
    from rich.progress import Progress
    from rich.text import Text

    class Screen(Progress):
        def get_renderables(self) -> Iterator[RenderableType]:
            yield from super().get_renderables()
            if waiting is not None and (wait := waiting()):
                until = to_datetime(wait.until_us).astimezone(app.zone)
                yield Text(f"until {until:%H:%M:%S} {safe_line(wait.why)}")

    console = Console(file=sys.stderr, no_color=not app.colored(sys.stderr), _environ=app.env)
    return Screen(*columns, console=console, transient=True)
