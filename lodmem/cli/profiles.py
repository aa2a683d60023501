"""`profiles`: named sets of parameters, listed, shown, set, and given to agents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import VerbGroup
from lodmem.cli.options import engine_arguments, option, profile_values, words
from lodmem.errors import BadParameter, UnknownProfile
from lodmem.model.memory import Tier
from lodmem.model.profile import TUNABLE, Profile

_name = click.argument("name", type=words)


@click.group("profiles", cls=VerbGroup, invoke_without_command=True)
@click.pass_context
def profiles(ctx: click.Context) -> None:
    """Profiles say how an agent looks: weights, thresholds, budget, floors. Changing one touches no memory.

    \b
    lodmem profiles use research --agent scout
    lodmem profiles set mine --from precedent --alpha 0.7 --floor tag:rule=full
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(show_all)


@profiles.command("list")
@pass_app
def show_all(app: App) -> None:
    """All profiles, the agent's own marked."""
    with app.engine(create=True) as engine:
        known, current = engine.profiles(), engine.profile.name
    if app.as_json:
        app.print_json({"current": current, "profiles": {name: profile.to_dict() for name, profile in known.items()}})
        return
    from lodmem.cli import output

    rows = [["*" if name == current else "", name, *_values(profile)] for name, profile in sorted(known.items())]
    output.show_table(output.console(app), ("", "profile", *(name.rstrip("_") for name in TUNABLE)), rows)


@profiles.command("show")
@_name
@pass_app
def show(app: App, name: str) -> None:
    """One profile with all its rules."""
    with app.engine(create=True) as engine:
        profile = _get(engine.profiles(), name)
    _tell(app, profile)


@profiles.command("set")
@_name
@option("--from", "base", type=words, metavar="NAME", help="Start from this profile. Default: itself, or balanced.")
@option(
    "--floor",
    "floors",
    multiple=True,
    metavar="RULE=TIER",
    help="tag:NAME=full, kind:NAME=summary; =none removes (repeatable).",
)
@option(
    "--lock",
    "locked",
    multiple=True,
    type=click.Choice([name.rstrip("_") for name in TUNABLE]),
    help="Calls may not change it (repeatable).",
)
@option(
    "--unlock",
    "unlocked",
    multiple=True,
    type=click.Choice([name.rstrip("_") for name in TUNABLE]),
    help="They may again (repeatable).",
)
@option("--bound", "bounds", multiple=True, metavar="NAME=LOW:HIGH", help="Calls may move it within these (repeatable).")
@option("--no-budget", is_flag=True, help="No budget.")
@profile_values
@pass_app
def set_values(app: App, name: str, base: str | None, **given: Any) -> None:
    """Make a profile or change its values."""
    with app.engine(create=True) as engine:
        known = engine.profiles()
        start = _get(known, base) if base is not None else known.get(name) or known["balanced"]
        profile = _changed(start, name, given)
        engine.save_profile(profile)
    _tell(app, profile)


@profiles.command("use")
@_name
@pass_app
def use(app: App, name: str) -> None:
    """Give a profile to an agent: the one of --agent."""
    agent = app.settings.agent
    with app.engine(create=True) as engine:
        _get(engine.profiles(), name)
        engine.use_profile(name, agent=agent)
    if app.as_json:
        app.print_json({"agent": agent, "profile": name})
    else:
        app.print(f"agent {agent} looks with profile {name}")


def _get(known: dict[str, Profile], name: str) -> Profile:
    if name not in known:
        raise UnknownProfile(f"there is no profile {name!r}", hint="one of " + ", ".join(sorted(known)))
    return known[name]


def _changed(start: Profile, name: str, given: dict[str, Any]) -> Profile:
    floors = {**start.floors, **dict(map(_floor, given.pop("floors")))}
    bounds = {**start.bounds, **dict(map(_bound, given.pop("bounds")))}
    unlocked = set(given.pop("unlocked"))
    locked = [
        each
        for each in dict.fromkeys((*start.locked, *map(_parameter, given.pop("locked"))))
        if each.rstrip("_") not in unlocked
    ]
    changes = engine_arguments({key: value for key, value in given.items() if key != "no_budget"})
    if given["no_budget"]:
        changes["budget"] = None
    kept = {rule: tier for rule, tier in floors.items() if tier is not Tier.HORIZON}
    return replace(start, name=name, floors=kept, bounds=bounds, locked=tuple(locked), **changes)


def _parameter(shown: str) -> str:
    """A parameter's name in a profile: `lambda` is a keyword there."""
    return "lambda_" if shown == "lambda" else shown


def _floor(rule: str) -> tuple[str, Tier]:
    what, separator, tier = rule.rpartition("=")
    if not separator:
        raise BadParameter(f"{rule!r} is not RULE=TIER", hint="for example --floor tag:rule=full")
    return what, Tier.parse(tier)


def _bound(rule: str) -> tuple[str, tuple[float, float]]:
    name, _, values = rule.partition("=")
    low, separator, high = values.partition(":")
    try:
        pair = float(low), float(high)
    except ValueError:
        separator = ""
    if not separator or not pair[0] <= pair[1]:
        raise BadParameter(f"{rule!r} is not NAME=LOW:HIGH", hint="for example --bound alpha=0.3:0.9") from None
    return _parameter(name), pair


def _values(profile: Profile) -> list[str]:
    return [_shown(getattr(profile, name)) for name in TUNABLE]


def _shown(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _tell(app: App, profile: Profile) -> None:
    if app.as_json:
        app.print_json(profile.to_dict())
        return
    from lodmem.cli import output

    facts = {"profile": profile.name}
    facts |= {name.rstrip("_"): value for name, value in zip(TUNABLE, _values(profile), strict=True)}
    facts |= {f"floor {rule}": tier.label for rule, tier in profile.floors.items()}
    facts |= {f"bound {name.rstrip('_')}": f"{low:g} to {high:g}" for name, (low, high) in profile.bounds.items()}
    if profile.locked:
        facts["locked"] = ", ".join(name.rstrip("_") for name in profile.locked)
    output.show_facts(output.console(app), facts)
