"""A progress bar on stderr for work that takes a while, where somebody watches; nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lodmem.cli.app import App

Report = Callable[[int, int | None], None]
SOON = 3


@contextmanager
def progress(app: App, title: str) -> Iterator[Report | None]:
    """A function to call with (done, total); total None: not known. None where nobody watches.

    The bar appears with the first report, unless so little is to do that it would only flicker.
    """
    if not app.shows_progress:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    screen = Console(file=sys.stderr, no_color=not app.colored(sys.stderr), _environ=app.env)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True, disable=False) as bar:
        task = bar.add_task(title, total=None, visible=False)

        def report(done: int, total: int | None = None) -> None:
            bar.update(task, completed=done, total=total, visible=total is None or total > SOON)

        yield report
