"""Options that several commands share, each written once. Values keep the names of the engine's own arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
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


class Words(click.ParamType):
    """Text for memories and queries. Arguments that are not UTF-8 are refused as such."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise BadEncoding("an argument is not valid UTF-8", hint="set the terminal to UTF-8, or use --file")
        return text


class MemoryId(click.ParamType):
    """An id as people read it: 482 or #482."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        digits = str(value).removeprefix("#")
        if not digits.isascii() or not digits.isdecimal() or not 0 < len(digits) <= 18:
            self.fail(f"{value!r} is not a memory's id; write 482 or #482", param, ctx)
        return int(digits)


WORDS = Words()
MEMORY_ID = MemoryId()


def option(*names: str, section: str = "Options", **attributes: Any) -> Callable[[F], F]:
    """A click option in a section of the help page."""
    return click.option(*names, cls=Opt, section=section, **attributes)


def stack(decorators: Iterable[Callable[[Any], Any]]) -> Callable[[F], F]:
    """One decorator that applies several, so that help lists them in the order written."""
    chain = tuple(decorators)

    def apply(function: F) -> F:
        return functools.reduce(lambda inner, decorate: decorate(inner), reversed(chain), function)

    return apply


def _many(convert: Callable[[str], object]) -> Callable[[click.Context, click.Parameter, Any], tuple[object, ...]]:
    return lambda ctx, param, values: tuple(convert(value) for value in values or ())


# -- global options: understood before and after the command ----------------------------------------------------------


def _remember_setting(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value is not None and param.name:
        ctx.obj.given[param.name] = value


def _remember_switch(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value and param.name:
        setattr(ctx.obj, param.name, True)


def _complete_profile(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in PRESETS if name.startswith(incomplete)]


def store_help() -> str:
    """Help of --store with the path this user's store has by default."""
    from pathlib import Path

    path = default_store()
    home = Path.home()
    shown = f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)
    return f"The store's file. [{VARIABLES['store']}; default {shown}]"


def global_options(*, hidden: bool) -> list[click.Option]:
    """Fresh global options, `hidden` from the help page or not."""

    def setting(name: str, text: str, **attributes: Any) -> click.Option:
        return click.Option(
            [name], help=text, hidden=hidden, expose_value=False, callback=_remember_setting, default=None, **attributes
        )

    def switch(names: list[str], text: str) -> click.Option:
        return click.Option(names, help=text, is_flag=True, hidden=hidden, expose_value=False, callback=_remember_switch)

    return [
        setting("--store", "" if hidden else store_help(), metavar="PATH", type=click.Path()),
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
        option("--until", section=_FILTERS, metavar="WHEN", help="Created before then."),
        option("--as-of", section=_FILTERS, metavar="WHEN", help="What was known and true then."),
        option(
            "--kind",
            "kinds",
            section=_FILTERS,
            multiple=True,
            type=click.Choice(KINDS),
            callback=_many(Kind),
            help="Of this kind (repeatable).",
        ),
        option(
            "--tag",
            "tags",
            section=_FILTERS,
            multiple=True,
            type=WORDS,
            metavar="TAG",
            help="With this tag (repeatable: all of them).",
        ),
        option(
            "--status",
            section=_FILTERS,
            multiple=True,
            type=click.Choice(STATUSES),
            callback=_many(Status),
            help="In this state (repeatable). Superseded, quarantined and archived ones come only when named.",
        ),
        option(
            "--by",
            "agents",
            section=_FILTERS,
            multiple=True,
            type=WORDS,
            metavar="AGENT",
            help="Written by this agent (repeatable).",
        ),
        option("--expired", section=_FILTERS, is_flag=True, help="Expired ones too."),
        option("--source", section=_FILTERS, type=WORDS, metavar="URI", help="From a source that starts so."),
        option("--retrieved/--unretrieved", section=_FILTERS, default=None, help="Retrieved before, or never."),
        option(
            "--last-tier",
            section=_FILTERS,
            multiple=True,
            type=click.Choice(TIERS),
            callback=_many(Tier.parse),
            help="Last shown at this tier (repeatable).",
        ),
        option(
            "--exclude",
            section=_FILTERS,
            multiple=True,
            type=WORDS,
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
