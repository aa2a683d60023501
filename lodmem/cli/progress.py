"""A progress bar on stderr for work that takes a while, where somebody watches; nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from lodmem.cli.app import App
from lodmem.cli.safe import safe_line

# Work on so few pieces is over before a bar can be read.
FEW = 3


class Report(Protocol):
    """Told how far the work is; total None: not known; `stage` renames the bar."""

    def __call__(self, done: int, total: int | None = None, stage: str = "", /) -> None: ...


@contextmanager
def progress(app: App, title: str, *, share: bool = False) -> Iterator[Report | None]:
    """What to call as the work goes on, or None where nobody watches. `share`: percent are shown, not how many of how many."""
    if not app.shows_progress:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    screen = Console(file=sys.stderr, no_color=not app.colored(sys.stderr), _environ=app.env)
    done = TaskProgressColumn() if share else MofNCompleteColumn()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), done, TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
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
def bars(app: App, names: Mapping[str, str]) -> Iterator[TaskReport | None]:
    """A bar for each task, from its first news on; None where nobody watches. `names`: tasks in words."""
    if not app.shows_progress:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    screen = Console(file=sys.stderr, no_color=not app.colored(sys.stderr), _environ=app.env)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        shown = {}

        def report(task: str, done: int, total: int, /) -> None:
            if task not in shown:
                shown[task] = bar.add_task(safe_line(names.get(task, task)), total=total)
            bar.update(shown[task], completed=done, total=total)

        yield report
