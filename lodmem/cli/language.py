"""`llm` and `relevel`: which language models are configured, what they did and may still spend; levels written by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb, VerbGroup
from lodmem.cli.options import memory_id, option
from lodmem.cli.progress import progress
from lodmem.model.memory import to_datetime
from lodmem.model.spend import MILLION, Spent

if TYPE_CHECKING:
    from lodmem.care.language import Account, Left

LEVELS = {"summary": "summaries", "headline": "headlines"}


@click.group("llm", cls=VerbGroup, invoke_without_command=True)
@click.pass_context
def llm(ctx: click.Context) -> None:
    """Language models: which one is configured, what it did and used, and what it may still spend.

    None is configured unless you say so, and everything works without one. Every call is counted in the store, by whatever
    process it was made, and none is made that could pass the cap.

    \b
    LODMEM_LLM=anthropic:claude-3-5-haiku-latest lodmem llm
    LODMEM_LLM=openai:gpt-4o-mini lodmem llm test

    \b
    Variables:
      LODMEM_LLM             none, openai:MODEL, anthropic:MODEL or
                             litellm:PROVIDER/MODEL (with the extra litellm)
      LODMEM_LLM_URL         the server, where it is not the maker's own, such as
                             http://localhost:11434/v1
      LODMEM_LLM_API_KEY     the key; for the maker's own server OPENAI_API_KEY
                             or ANTHROPIC_API_KEY will do
      LODMEM_LLM_SUMMARY, LODMEM_LLM_HEADLINE
                             another model of that server for one task
      LODMEM_LLM_TASKS       what else it is asked, at one call a memory each:
                             class, importance, conflict
      LODMEM_LLM_CAP         tokens a day, a run, a store: day=200000,run=50000;
                             default day=500000; none: no cap
      LODMEM_LLM_CAP_COST    the same in money: day=0.50
      LODMEM_LLM_PRICES      of a million tokens: MODEL=IN/OUT, ...
      LODMEM_LLM_RPM, LODMEM_LLM_TPM
                             requests, tokens a minute; more wait for their turn;
                             default none
      LODMEM_LLM_TIMEOUT     seconds that it may be silent (default 120); one that
                             goes on speaking has ten times as many
      LODMEM_LLM_STREAM      off: ask for whole answers, which have to be there
                             within the time-out
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(show)


@llm.command("show")
@pass_app
def show(app: App) -> None:
    """Models, calls, tokens and what is left of the cap (the default)."""
    there = Path(app.settings.store).exists()  # looking makes no store
    with app.engine(reindexing=True) if there else app.scratch() as engine:
        account = engine.llm_account()
    if app.as_json:
        app.print_json(_json(account))
    else:
        _page(app, account)


@llm.command("test")
@option("--task", type=click.Choice(list(LEVELS)), help="The model of this task. Default: the main one.")
@pass_app
def try_it(app: App, task: str | None) -> None:
    """Make one tiny call and say how it went. It is counted like any other."""
    with app.engine(create=True, reindexing=True) as engine, progress(app, "asking", waiting=engine.llm_waiting):
        answer = engine.llm_try(task or "")
    if app.as_json:
        app.print_json(asdict(answer))
        return
    from lodmem.cli.safe import safe_line

    app.print(f"{answer.model} answers: {safe_line(answer.text.strip())[:80]}")
    app.note(f"{answer.tokens_in + answer.tokens_out:,} tokens")


@click.command("relevel", cls=Verb)
@click.argument("ids", metavar="[ID]...", nargs=-1, type=memory_id)
@option("--all", "everything", is_flag=True, help="All memories that have no levels by a language model yet.")
@option("--again", is_flag=True, help="With --all: those too that have them, or whose texts did not pass.")
@pass_app
def relevel(app: App, ids: tuple[int, ...], everything: bool, again: bool) -> None:
    """Have summaries and headlines written by the language model: two calls a memory, within the spend cap.

    Each text is checked before it takes the place of what was there: its length, and that it holds no name and no number that
    the memory does not. Without ID and --all it works off what waits: what was written since, or left by an earlier run.

    \b
    lodmem relevel 482 483
    lodmem relevel --all
    LODMEM_LLM_CAP=run=50000 lodmem relevel
    """
    if (ids and everything) or (again and not everything):
        raise click.UsageError("name memories, or --all; --again goes with --all")
    with (
        app.engine(reindexing=True) as engine,
        progress(app, "writing levels", waiting=engine.llm_waiting) as report,
    ):
        done = engine.relevel(None if everything else ids, again=again, progress=report)
    if app.as_json:
        # asdict cannot copy a Counter.
        counts = {"written": dict(done.written), "kept": dict(done.kept)}
        rest = {"short": done.short, "left": done.left, "stopped": done.stopped}
        app.print_json({"memories": done.memories, **counts, **rest})
        return
    written = ", ".join(f"{done.written[level]:,} {name}" for level, name in LEVELS.items())
    app.print(f"{done.memories:,} memories: {written} written")
    for reason, count in sorted(done.kept.items()):
        app.print(f"  {count:,} stayed as they were: {reason}")
    if done.short:
        app.print(f"  {done.short:,} are short and stand for themselves")
    if done.stopped:
        app.warn(done.stopped)
    if done.left:
        app.note(f"{done.left:,} wait; 'lodmem relevel' goes on")


def _page(app: App, account: Account) -> None:
    from lodmem.cli import output

    facts = {"models": _models(account)}
    for model in dict.fromkeys(account.models.values()):
        facts[f"state of {model}"] = _state(app, account, model)
    for left in account.left:
        facts[f"cap a {left.ceiling.period}"] = _cap(left)
    if account.models and not account.left:
        facts["cap"] = "none"
    if account.minute:
        facts["limit a minute"] = _minute(account.minute)
    facts["today"] = _sum(account.today)
    if account.waiting:
        facts["waiting"] = f"{account.waiting:,} memories for their levels: 'lodmem relevel'"
    screen = output.console(app)
    output.show_facts(screen, facts)
    if account.all:
        screen.print()
        today = {(each.model, each.task): each for each in account.today}
        rows = [_row(each, today.get((each.model, each.task))) for each in account.all]
        output.show_table(
            screen, ("model", "task", "calls", "failed", "in", "out", "cost", "calls today", "tokens today"), rows
        )


def _models(account: Account) -> str:
    if not account.models:
        return "none: everything is done without one"
    main = account.models[""]
    others = [f"{task}: {name}" for task, name in account.models.items() if task and name != main]
    return ", ".join([main, *others])


def _state(app: App, account: Account, model: str) -> str:
    if model in account.resting:
        return f"left in peace after failures until {to_datetime(account.resting[model]).astimezone(app.zone):%H:%M:%S}"
    last = account.last.get(model)
    return "never asked" if last is None else f"ready; the last call: {last.value.replace('_', ' ')}"


def _cap(left: Left) -> str:
    parts = []
    if left.ceiling.tokens is not None:
        rest = max(0, left.ceiling.tokens - left.tokens)
        parts.append(f"{left.ceiling.tokens:,} tokens, {left.tokens:,} used, {rest:,} left")
    if left.ceiling.cost is not None:
        rest = max(0, left.ceiling.cost - left.cost)
        parts.append(f"{_money(left.ceiling.cost)} of money, {_money(left.cost)} used, {_money(rest)} left")
    return "; ".join(parts)


def _minute(minute: Left) -> str:
    parts = []
    if minute.ceiling.calls is not None:
        parts.append(f"{minute.ceiling.calls:,} requests, {minute.calls:,} made")
    if minute.ceiling.tokens is not None:
        parts.append(f"{minute.ceiling.tokens:,} tokens, {minute.tokens:,} used")
    return "; ".join(parts)


def _sum(spent: Sequence[Spent]) -> str:
    calls = sum(each.calls for each in spent)
    cost = sum(each.cost for each in spent)
    return f"{calls:,} calls, {sum(each.tokens for each in spent):,} tokens" + (f", cost {_money(cost)}" if cost else "")


def _row(each: Spent, today: Spent | None) -> list[str]:
    numbers = (each.calls, each.failed, each.tokens_in, each.tokens_out)
    cost = _money(each.cost) if each.cost else ""
    now = (today.calls, today.tokens) if today else (0, 0)
    return [each.model, each.task, *(f"{n:,}" for n in numbers), cost, *(f"{n:,}" for n in now)]


def _money(millionths: int) -> str:
    return f"{millionths / MILLION:.4f}"


def _json(account: Account) -> dict[str, Any]:
    def spent(each: Spent) -> dict[str, Any]:
        return asdict(each) | {"cost": each.cost / MILLION}

    def cap(left: Left) -> dict[str, Any]:
        cost = left.ceiling.cost
        return {
            "period": left.ceiling.period,
            "tokens": left.ceiling.tokens,
            "tokens_used": left.tokens,
            "cost": None if cost is None else cost / MILLION,
            "cost_used": left.cost / MILLION,
        }

    def rate(minute: Left) -> dict[str, Any]:
        made = {"requests": minute.ceiling.calls, "requests_made": minute.calls}
        return made | {"tokens": minute.ceiling.tokens, "tokens_used": minute.tokens}

    return {
        "models": {task or "default": name for task, name in account.models.items()},
        "state": {
            name: {
                "last": account.last.get(name),
                "resting_until": to_datetime(account.resting[name]).isoformat() if name in account.resting else None,
            }
            for name in dict.fromkeys(account.models.values())
        },
        "cap": [cap(left) for left in account.left],
        "minute": rate(account.minute) if account.minute else None,
        "today": [spent(each) for each in account.today],
        "all": [spent(each) for each in account.all],
        "waiting": account.waiting,
    }
