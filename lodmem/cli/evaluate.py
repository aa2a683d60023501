"""`eval`: the product measured on public data, through its own search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.evaluate_choices import CHOICES
from lodmem.cli.evaluate_run import (
    UNITS,
    alpha_option,
    cache_option,
    folder,
    measure,
    out_option,
    pooled_option,
    run_options,
    work_option,
)
from lodmem.cli.group import VerbGroup
from lodmem.cli.options import option


@click.group("eval", cls=VerbGroup)
def evaluate() -> None:
    """Measure on public data: how often does search find the evidence, and what does a landscape show of it?

    Each command says where its public file comes from when the file is not there.
    """


@evaluate.command("locomo")
@click.argument("path", metavar="FILE", type=click.Path())
@alpha_option
@run_options
@pass_app
def locomo(app: App, path: str, alpha: float, **given: Any) -> None:
    """Ranks of the evidence in LoCoMo, within each conversation, with simple methods beside.

    \b
    lodmem eval locomo locomo10.json
    """
    from lodmem.evals.run import evaluate_locomo

    measure(app, given, lambda plan: evaluate_locomo(Path(path), plan, alpha=alpha))


@evaluate.command("longmemeval")
@click.argument("path", metavar="FILE", type=click.Path())
@pooled_option
@alpha_option
@run_options
@pass_app
def longmemeval(app: App, path: str, pooled: bool, alpha: float, **given: Any) -> None:
    """Ranks of the evidence sessions and turns in LongMemEval, in each haystack or in all at once.

    \b
    lodmem eval longmemeval longmemeval_s_cleaned.json --pooled --work ~/stores
    """
    from lodmem.evals.run import evaluate_longmemeval

    measure(app, given, lambda plan: evaluate_longmemeval(Path(path), plan, pooled=pooled, alpha=alpha))


@evaluate.command("ablation")
@click.argument("path", metavar="FILE", type=click.Path())
@pooled_option
@run_options
@pass_app
def ablation(app: App, path: str, pooled: bool, **given: Any) -> None:
    """What each part of relevance is worth, on LoCoMo, LongMemEval or BEAM.

    \b
    lodmem eval ablation locomo10.json --half check
    """
    from lodmem.evals.ablation import evaluate_ablation
    from lodmem.evals.formats import load_any

    measure(app, given, lambda plan: evaluate_ablation(load_any(Path(path), pooled=pooled), plan))


@evaluate.command("beam")
@click.argument("path", metavar="FILE", type=click.Path())
@alpha_option
@run_options
@pass_app
def beam(app: App, path: str, alpha: float, **given: Any) -> None:
    """Ranks of the evidence messages in BEAM, within each chat. FILE may be its folder of chats.

    \b
    lodmem eval beam chats/100K
    """
    from lodmem.evals.run import evaluate_beam

    measure(app, given, lambda plan: evaluate_beam(Path(path), plan, alpha=alpha))


@evaluate.command("updates")
@click.argument("path", metavar="FILE", type=click.Path())
@pooled_option
@option("--alpha", "alphas", multiple=True, type=click.FloatRange(0, 1), help="Ask at this alpha (repeatable).")
@run_options
@pass_app
def updates(app: App, path: str, pooled: bool, alphas: tuple[float, ...], **given: Any) -> None:
    """How often a new fact stands above the one it replaced, in BEAM or LongMemEval, at several alphas.

    \b
    lodmem eval updates longmemeval_s_cleaned.json
    """
    from lodmem.evals.formats import load_any
    from lodmem.evals.updates import ALPHAS, evaluate_updates

    measure(app, given, lambda plan: evaluate_updates(load_any(Path(path), pooled=pooled), plan, alphas=alphas or ALPHAS))


@evaluate.command("conflicts")
@click.argument("path", metavar="FILE", type=click.Path())
@pooled_option
@option("--labels", type=click.Path(), metavar="FILE", help="Which pairs are conflicts, given by a person.")
@option("--limit", type=click.IntRange(min=1), metavar="N", help="So many conversations, chats or haystacks only.")
@work_option
@out_option
@pass_app
def conflicts(app: App, path: str, pooled: bool, labels: str | None, **given: Any) -> None:
    """What is taken for a conflict in a data set, and how much of it is none, by labels or what the data set tells.

    \b
    lodmem eval conflicts beam.json --embedder none --labels labels.json
    """
    from lodmem.evals.conflicts import evaluate_conflicts, load_labels
    from lodmem.evals.formats import load_any

    known = {} if labels is None else load_labels(Path(labels))
    measure(app, given, lambda plan: evaluate_conflicts(load_any(Path(path), pooled=pooled), plan, known))


@evaluate.command("budget")
@click.argument("path", metavar="FILE", type=click.Path())
@pooled_option
@option("--unit", "units", multiple=True, type=click.Choice(UNITS), help="One memory a turn or a session. [default: both]")
@option(
    "--budget", "budgets", multiple=True, type=click.IntRange(min=64), metavar="TOKENS", help="Repeatable. [default: 1k to 32k]"
)
@option("--fill/--no-fill", default=True, help="Use the whole budget (default), or natural tiers at most.")
@option("--facing/--stored", default=True, help="Texts drawn towards the question (default), or as stored.")
@run_options
@pass_app
def budget(
    app: App,
    path: str,
    pooled: bool,
    units: tuple[str, ...],
    budgets: tuple[int, ...],
    fill: bool,
    facing: bool,
    **given: Any,
) -> None:
    """The claim: at equal tokens, does a landscape show more of the evidence than whole texts in order of relevance?

    \b
    lodmem eval budget locomo10.json --unit session
    """
    from lodmem.evals.budget import BUDGETS, Spending, evaluate_budget
    from lodmem.evals.formats import load_any

    wanted = Spending(
        budgets=tuple(sorted(set(budgets))) or BUDGETS,
        units=tuple(unit for unit in UNITS if not units or unit in units),
        fill=fill,
        facing=facing,
    )
    measure(app, given, lambda plan: evaluate_budget(load_any(Path(path), pooled=pooled), plan, wanted))


@evaluate.command("precision")
@click.argument("path", metavar="FOLDER", type=click.Path())
@alpha_option
@cache_option
@out_option
@pass_app
def precision(app: App, path: str, alpha: float, **given: Any) -> None:
    """Exactly the right beliefs, by user and scope, none that was superseded: PrecisionMemBench.

    \b
    lodmem eval precision precisionMemBench
    """
    from lodmem.evals.precision import evaluate_precision

    measure(app, given, lambda plan: evaluate_precision(Path(path), plan, alpha=alpha))


@evaluate.command("exclusion")
@option("--locomo", "locomo_file", type=click.Path(), metavar="FILE", help="The LoCoMo file.")
@option("--longmemeval", "longmemeval_file", type=click.Path(), metavar="FILE", help="The LongMemEval file.")
@cache_option
@work_option
@out_option
@pass_app
def exclusion(app: App, locomo_file: str | None, longmemeval_file: str | None, **given: Any) -> None:
    """What an exclusion drops, leaks and loses, on 40 topics whose every memory was labelled by hand.

    \b
    lodmem eval exclusion --locomo locomo10.json
    """
    from lodmem.evals.exclusion import evaluate_exclusion

    first, second = folder(locomo_file), folder(longmemeval_file)
    measure(app, given, lambda plan: evaluate_exclusion(plan, locomo_file=first, longmemeval_file=second))


@evaluate.command("promotion")
@click.argument("path", metavar="FILE", type=click.Path())
@option("--queries", type=click.IntRange(min=1), default=2000, metavar="N", help="Searches in the year. [default: 2000]")
@option("--budget", type=click.IntRange(min=64), default=6000, metavar="TOKENS", help="Of each search. [default: 6000]")
@option("--promote-at", type=click.FloatRange(0, 1), help="Count a memory as retrieved from this S. Default: the profile's.")
@option("--seed", type=click.IntRange(min=0), default=0, help="For what is asked when. [default: 0]")
@cache_option
@option("--work", type=click.Path(), metavar="FOLDER", help="Keep the store there as it is at the end of the year.")
@out_option
@pass_app
def promotion(app: App, path: str, queries: int, budget: int, promote_at: float | None, **given: Any) -> None:
    """A year of use in a store: does what is used stay sharp, does the rest sink, does anything stick for ever?

    \b
    lodmem eval promotion locomo10.json
    """
    from lodmem.evals.formats import load_any
    from lodmem.evals.promotion import evaluate_promotion

    measure(
        app,
        given,
        lambda plan: evaluate_promotion(load_any(Path(path)), plan, queries=queries, budget=budget, promote_at=promote_at),
    )


for _choice in CHOICES:
    evaluate.add_command(_choice)
