"""`look`: the map in a terminal, for a query: which regions stand at which tier, and where the query drops in."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import engine_arguments, filter_options, search_lens, words
from lodmem.cli.progress import progress
from lodmem.errors import StoreReadOnly

if TYPE_CHECKING:
    from rich.console import Console

    from lodmem.cli.seen import Seen

WIDEST, NARROWEST = 160, 24
TALLEST, LOWEST = 40, 8
BELOW = 12  # lines that are not map


@click.command("look", cls=Verb)
@click.argument("query", nargs=-1, required=True, type=words)
@filter_options
@search_lens
@pass_app
def look(app: App, query: tuple[str, ...], **given: Any) -> None:
    """The map in the terminal: what a query shows in full, as summaries and headlines, and where that lies.

    Promotes nothing. Makes the map where there is none yet.

    \b
    lodmem look "what did Ada decide?"
    """
    from lodmem.cli.seen import seen

    asked = " ".join(query)
    with app.engine() as engine:
        if engine.map_state().head is None:
            with progress(app, "placing") as bar, suppress(StoreReadOnly):
                engine.make_map(bar)
        found = engine.search(asked, touch=False, **app.looking(), **engine_arguments(given))
        view = seen(engine.map_positions(), found, engine.place_question(asked), engine.map_state().growth.waiting)
    if app.as_json:
        app.print_json(view.plain())
        return
    from lodmem.cli import output

    _show(app, output.console(app), view)


def _show(app: App, screen: Console, view: Seen) -> None:
    from rich.text import Text

    from lodmem.cli import drawing

    if not len(view.map):
        screen.print("there is nothing on the map yet")
        return
    size = shutil.get_terminal_size((80, 32))
    width = max(NARROWEST, min(WIDEST, size.columns if not sys.stdout.isatty() else screen.width) - 1)
    height = max(LOWEST, min(TALLEST, size.lines - BELOW, width // 3))
    plain = (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"
    for line in drawing.picture(view, width, height, ascii_only=plain):
        screen.print(line, soft_wrap=True)
    for line in drawing.legend(view, width, ascii_only=plain):
        screen.print(line, soft_wrap=True)
    screen.print()
    for line in drawing.regions(view, width, ascii_only=plain):
        screen.print(line, soft_wrap=True)
    if not app.quiet:
        for note in view.notes():
            screen.print(Text(note, "dim"), soft_wrap=True)
