"""`search` and `explain`: looking over everything from a question, and why a memory stands where it stands."""

from __future__ import annotations

from typing import Any

import click

from lodmem.cli.answer import answer
from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import engine_arguments, filter_options, memory_id, option, search_lens, show_options, words
from lodmem.cli.progress import progress


@click.command("search", cls=Verb)
@click.argument("query", nargs=-1, type=words)
@show_options
@option("--fill", is_flag=True, help="Use the whole budget, above natural tiers too.")
@option("--facing/--no-facing", default=True, help="Draw summaries and headlines towards the question (default), or not.")
@filter_options
@search_lens
@pass_app
def search(app: App, query: tuple[str, ...], scores: bool, render: bool, **given: Any) -> None:
    """Look over everything from a question: each memory comes back in full, as a summary or as a headline.

    \b
    lodmem search "what did Ada decide?" --since "last month"
    lodmem search launch plan --exclude cats --budget 4000
    """
    with app.engine() as engine:
        found = engine.search(" ".join(query), **app.looking(), **engine_arguments(given))
        answer(app, found, scores=scores, render=render)
        if engine.is_indexing:
            with progress(app, "indexing") as report:
                engine.indexing(report)


@click.command("explain", cls=Verb)
@click.argument("memory", metavar="ID", type=memory_id)
@click.argument("query", nargs=-1, required=True, type=words)
@filter_options
@search_lens
@pass_app
def explain(app: App, memory: int, query: tuple[str, ...], **given: Any) -> None:
    """Why a memory stands where it stands for a question: the formula with its numbers. Counts as no retrieval.

    \b
    lodmem explain 482 "what did Ada decide?"
    """
    with app.engine() as engine:
        why = engine.explain(memory, " ".join(query), **app.looking(), **engine_arguments(given))
    if app.as_json:
        from lodmem.cli import as_json

        app.print_json(as_json.explanation(why))
    else:
        from lodmem.cli import output

        output.show_explanation(app, why)
