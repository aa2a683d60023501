"""Options that several commands share, each written once. Values keep the names of the engine's own arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from lodmem.config import EMBEDDERS, VARIABLES, default_store
from lodmem.errors import BadEncoding
from lodmem.model.memory import Kind, Priority, Status, Tier
from lodmem.model.profile import PRESETS

F = TypeVar("F", bound=Callable[..., Any])

KINDS = [kind.value for kind in Kind]
STATUSES = [status.value for status in Status]
PRIORITIES = [priority.value for priority in Priority]
TIERS = [tier.label for tier in sorted(Tier, reverse=True) if tier is not Tier.HORIZON]


class Opt(click.Option):
    """An option that stands in a named section of the help page."""

    def __init__(self, *args: Any, section: str = "Options", **kwargs: Any) -> None:
        self.section = section
        super().__init__(*args, **kwargs)


def words(value: str) -> str:
    """Text for memories and queries. Raises BadEncoding for an argument that was not UTF-8."""
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise BadEncoding("an argument is not valid UTF-8", hint="set the terminal to UTF-8, or use --file")
    return value


def memory_id(value: str) -> int:
    """An id as people read it: 482 or #482."""
    digits = value.removeprefix("#")
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 18:
        raise click.BadParameter(f"{value!r} is not a memory's id; write 482 or #482")
    return int(digits)


def option(*names: str, section: str = "Options", **attributes: Any) -> Callable[[F], F]:
    """A click option in a section of the help page."""
    return click.option(*names, cls=Opt, section=section, **attributes)


def stack(decorators: Iterable[Callable[[Any], Any]]) -> Callable[[F], F]:
    """One decorator that applies several, so that help lists them in the order written."""
    chain = tuple(decorators)

    def apply(function: F) -> F:
        return functools.reduce(lambda inner, decorate: decorate(inner), reversed(chain), function)

    return apply


# -- global options: understood before and after the command ----------------------------------------------------------


def _remember_setting(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value is not None and param.name:
        ctx.obj.given[param.name] = value


def _remember_switch(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value and param.name:
        setattr(ctx.obj, param.name, True)


def _complete_profile(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in PRESETS if name.startswith(incomplete)]


class GlobalOption(click.Option):
    """An option that every command understands; only the help page of `lodmem` itself lists it."""


class StoreOption(GlobalOption):
    """--store, whose help names the path that this user's store has by default."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        return record and (record[0], record[1].format(default=_shown(default_store())))


def _shown(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def global_options() -> list[click.Parameter]:
    """The global options, made afresh."""

    def setting(name: str, text: str, kind: type[GlobalOption] = GlobalOption, **attributes: Any) -> GlobalOption:
        return kind([name], help=text, expose_value=False, callback=_remember_setting, default=None, **attributes)

    def switch(names: list[str], text: str) -> GlobalOption:
        return GlobalOption(names, help=text, is_flag=True, expose_value=False, callback=_remember_switch)

    return [
        setting(
            "--store",
            f"The store's file. [{VARIABLES['store']}; default {{default}}]",
            StoreOption,
            metavar="PATH",
            type=click.Path(),
        ),
        setting("--agent", f"Who writes and looks. [{VARIABLES['agent']}; default 'default']", metavar="NAME"),
        setting(
            "--space",
            f"Where to write, and to look: it and below. [{VARIABLES['space']}; default: write to 'main', look everywhere]",
            metavar="PATH",
        ),
        setting(
            "--profile",
            f"How to look: a named set of parameters. [{VARIABLES['profile']}; default the agent's]",
            metavar="NAME",
            shell_complete=_complete_profile,
        ),
        setting("--embedder", f"What gives meaning. [{VARIABLES['embedder']}; default auto]", type=click.Choice(EMBEDDERS)),
        setting("--zone", f"IANA time zone of dates. [{VARIABLES['zone']}; default this machine's]", metavar="ZONE"),
        switch(["--json", "as_json"], "Print one JSON object, errors too."),
        switch(["--no-color"], "No colours. NO_COLOR does the same."),
        switch(["-q", "--quiet"], "The result only: no remarks, no progress."),
    ]


# -- what is looked at ------------------------------------------------------------------------------------------------

_FILTERS = "Which memories"

filter_options = stack(
    [
        option("--since", section=_FILTERS, metavar="WHEN", help="Created then or later: 2026-05-01, 'last week', 'March'."),
        option("--until", section=_FILTERS, metavar="WHEN", help="Created by then; a day or month named is included."),
        option("--as-of", section=_FILTERS, metavar="WHEN", help="What was known and true by then."),
        option(
            "--kind",
            "kinds",
            section=_FILTERS,
            multiple=True,
            type=click.Choice(KINDS),
            help="Of this kind (repeatable).",
        ),
        option(
            "--tag",
            "tags",
            section=_FILTERS,
            multiple=True,
            type=words,
            metavar="TAG",
            help="With this tag (repeatable: all of them).",
        ),
        option(
            "--status",
            section=_FILTERS,
            multiple=True,
            type=click.Choice(STATUSES),
            help="In this state (repeatable). Superseded, quarantined and archived ones come only when named.",
        ),
        option(
            "--by",
            "agents",
            section=_FILTERS,
            multiple=True,
            type=words,
            metavar="AGENT",
            help="Written by this agent (repeatable).",
        ),
        option("--expired", section=_FILTERS, is_flag=True, help="Expired ones too."),
        option("--source", section=_FILTERS, type=words, metavar="URI", help="From a source that starts so."),
        option("--retrieved/--unretrieved", section=_FILTERS, default=None, help="Retrieved before, or never."),
        option(
            "--last-tier",
            section=_FILTERS,
            multiple=True,
            type=click.Choice(TIERS),
            help="Last shown at this tier (repeatable).",
        ),
        option(
            "--exclude",
            section=_FILTERS,
            multiple=True,
            type=words,
            metavar="TERM",
            help="Leave out what is about this (repeatable).",
        ),
    ]
)

# -- how it is looked at ----------------------------------------------------------------------------------------------

_LENS = "Resolution (default: the profile's)"

_alpha = option("--alpha", section=_LENS, type=float, help="Weight of relevance against time, 0 to 1.")
_lambda = option("--lambda", "lambda_", section=_LENS, type=float, help="Decay a day.")
_thetas = [
    option("--theta1", section=_LENS, type=float, help="Shown in full from this score on."),
    option("--theta2", section=_LENS, type=float, help="Shown as a summary from this score on."),
    option("--theta3", section=_LENS, type=float, help="Shown as a headline from this score on."),
]
_k = option("--k", section=_LENS, type=int, help="How many candidates are looked at.")
_budget = option("--budget", section=_LENS, type=int, metavar="TOKENS", help="Most tokens of the whole answer.")
_promote_at = option("--promote-at", section=_LENS, type=float, help="Relevance from which a memory counts as retrieved.")
_relevance = option(
    "--relevance", section=_LENS, type=click.Choice(["fused", "cosine"]), help="Words and meaning, or meaning alone."
)

search_lens = stack([_alpha, _lambda, *_thetas, _k, _budget, _promote_at, _relevance])
browse_lens = stack([_lambda, *_thetas, _budget])
profile_values = stack([_alpha, _lambda, *_thetas, _k, _budget, _promote_at, _relevance])

# -- how it is shown --------------------------------------------------------------------------------------------------

show_options = stack(
    [
        option("--limit", type=int, metavar="N", help="At most so many memories."),
        option("--touch/--no-touch", default=True, help="Count this as use (default), or only look."),
        option("--scores", is_flag=True, help="Show relevance S, decay D and the score LOD."),
        option("--render", "--llm", "render", is_flag=True, help="Print the text made for a language model."),
    ]
)


def engine_arguments(given: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that were given, as arguments of the engine."""
    arguments = {name: value for name, value in given.items() if value is not None and value != ()}
    if arguments.pop("expired", False):
        arguments["expired"] = None
    return arguments
