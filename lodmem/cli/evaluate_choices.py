"""Commands below `eval` for what is settled by measurement: what to embed, how many candidates, tiers, headlines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.evaluate_run import UNITS, cache_option, measure, out_option, pooled_option, run_options, work_option
from lodmem.cli.group import Verb
from lodmem.cli.options import option
from lodmem.model.profile import MAX_K, PRESETS


class _Count(click.ParamType[int]):
    """A number of candidates, or 'all'."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return MAX_K if value == "all" else click.IntRange(1, MAX_K).convert(value, param, ctx)


@click.command("embedding", cls=Verb)
@click.argument("path", metavar="FILE", type=click.Path())
@pooled_option
@option("--unit", type=click.Choice(UNITS), default="session", help="One memory a turn or a session. [default: session]")
@run_options
@pass_app
def embedding(app: App, path: str, pooled: bool, unit: str, **given: Any) -> None:
    """What to embed: headline, summary, the whole text as one vector, passages, or passages and summary.

    \b
    lodmem eval embedding locomo10.json
    """
    from lodmem.evals.embedding import evaluate_embedding
    from lodmem.evals.formats import load_any

    measure(app, given, lambda plan: evaluate_embedding(load_any(Path(path), pooled=pooled), plan, unit=unit))


@click.command("candidates", cls=Verb)
@click.argument("path", metavar="FILE", type=click.Path())
@pooled_option
@option("--k", "ks", multiple=True, type=_Count(), metavar="N", help="A number or 'all' (repeatable). [default: 50 to all]")
@option("--budget", type=click.IntRange(min=64), default=6000, metavar="TOKENS", help="Of each search. [default: 6000]")
@option("--alpha", type=click.FloatRange(0, 1), help="Weight of relevance against time. [default: the default profile's]")
@run_options
@pass_app
def candidates(app: App, path: str, pooled: bool, ks: tuple[int, ...], budget: int, alpha: float | None, **given: Any) -> None:
    """How many candidates: the evidence among k of them, what a budget shows of it, and CPU time a search.

    \b
    lodmem eval candidates longmemeval_s_cleaned.json --pooled
    """
    from lodmem.evals.choices import KS, evaluate_candidates
    from lodmem.evals.formats import load_any

    wanted = tuple(sorted(set(ks))) or KS
    measure(
        app,
        given,
        lambda plan: evaluate_candidates(load_any(Path(path), pooled=pooled), plan, ks=wanted, budget=budget, alpha=alpha),
    )


@click.command("tiers", cls=Verb)
@click.argument("path", metavar="FILE", type=click.Path())
@pooled_option
@option("--preset", "presets", multiple=True, type=click.Choice(list(PRESETS)), help="Repeatable. [default: all presets]")
@run_options
@pass_app
def tiers(app: App, path: str, pooled: bool, presets: tuple[str, ...], **given: Any) -> None:
    """Where the presets let candidates and evidence stand: the share at each tier, with no budget and real dates.

    \b
    lodmem eval tiers locomo10.json --pooled
    """
    from lodmem.evals.choices import evaluate_tiers
    from lodmem.evals.formats import load_any

    wanted = tuple(name for name in PRESETS if not presets or name in presets)
    measure(app, given, lambda plan: evaluate_tiers(load_any(Path(path), pooled=pooled), plan, profiles=wanted))


@click.command("picking", cls=Verb)
@click.argument("path", metavar="FILE", type=click.Path())
@pooled_option
@option("--facing/--stored", default=True, help="Headlines facing the question beside the stored ones (default), or not.")
@run_options
@pass_app
def picking(app: App, path: str, pooled: bool, facing: bool, **given: Any) -> None:
    """How often the right session is picked by its headline alone.

    \b
    lodmem eval picking locomo10.json
    """
    from lodmem.evals.formats import load_any
    from lodmem.evals.picking import evaluate_picking

    measure(app, given, lambda plan: evaluate_picking(load_any(Path(path), pooled=pooled), plan, facing=facing))


@click.command("map", cls=Verb)
@click.argument("path", metavar="FILE", type=click.Path())
@option("--memories", type=click.IntRange(min=40), default=6000, metavar="N", help="So many at most. [default: 6000]")
@cache_option
@work_option
@out_option
@pass_app
def mapping(app: App, path: str, memories: int, **given: Any) -> None:
    """How true the map is: do neighbours stay neighbours? Beside the two widest directions, and UMAP where it is installed.

    \b
    lodmem eval map locomo10.json
    """
    from lodmem.evals.formats import load_any
    from lodmem.evals.mapping import evaluate_map

    measure(app, given, lambda plan: evaluate_map(load_any(Path(path), pooled=True), plan, memories=memories))


CHOICES = (embedding, candidates, tiers, picking, mapping)
