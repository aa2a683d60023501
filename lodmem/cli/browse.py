"""Looking without a question: `window`, `recent`, `important`, `unseen`, `random`."""

from __future__ import annotations

from typing import Any

import click

from lodmem.cli.answer import answer
from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import browse_lens, engine_arguments, filter_options, option, show_options, stack, words

_offset = option("--offset", type=int, metavar="N", help="Skip so many: the next page.")
_browsing = stack([show_options, _offset, filter_options, browse_lens])


def _show(app: App, mode: str, scores: bool, render: bool, given: dict[str, Any], *when: str) -> None:
    with app.engine() as engine:
        found = getattr(engine, mode)(*when, **app.looking(), **engine_arguments(given))
        answer(app, found, scores=scores, render=render)


@click.command("window", cls=Verb)
@click.argument("when", nargs=-1, type=words)
@_browsing
@pass_app
def window(app: App, when: tuple[str, ...], scores: bool, render: bool, **given: Any) -> None:
    """Everything of a time, what was retrieved most in most detail.

    \b
    lodmem window last week
    lodmem window --since 2026-05-01 --until 2026-05-08
    """
    _show(app, "window", scores, render, given, *([" ".join(when)] if when else []))


@click.command("recent", cls=Verb)
@_browsing
@pass_app
def recent(app: App, scores: bool, render: bool, **given: Any) -> None:
    """The newest memories first."""
    _show(app, "recent", scores, render, given)


@click.command("important", cls=Verb)
@_browsing
@pass_app
def important(app: App, scores: bool, render: bool, **given: Any) -> None:
    """The most important memories first; importance fades by 5 % a day."""
    _show(app, "important", scores, render, given)


@click.command("unseen", cls=Verb)
@_browsing
@pass_app
def unseen(app: App, scores: bool, render: bool, **given: Any) -> None:
    """Headlines of what was never retrieved, newest first."""
    _show(app, "unseen", scores, render, given)


@click.command("random", cls=Verb)
@option("--seed", type=int, help="The same seed draws the same memories.")
@_browsing
@pass_app
def random(app: App, scores: bool, render: bool, **given: Any) -> None:
    """A draw that favours what has been ignored longest (20, or --limit)."""
    _show(app, "random", scores, render, given)
