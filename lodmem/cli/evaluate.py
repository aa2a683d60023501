"""`eval`: the product measured on public data, through its own search."""

from __future__ import annotations

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import VerbGroup
from lodmem.cli.options import option


@click.group("eval", cls=VerbGroup)
def evaluate() -> None:
    """Measure on public data: how often does search find the evidence?"""


@evaluate.command("locomo")
@click.argument("path", metavar="FILE", type=click.Path())
@option("--limit", type=int, metavar="N", help="The first N questions of each conversation only.")
@option("--cache", type=click.Path(), metavar="FOLDER", help="Keep embeddings here. Default: the user's cache directory.")
@pass_app
def locomo(app: App, path: str, limit: int | None, cache: str | None) -> None:
    """Evidence recall at 5, 10, 20 and 50 on LoCoMo conversations, each looked at on its own, at alpha 1.

    \b
    lodmem eval locomo locomo10.json
    """
    raise NotImplementedError
