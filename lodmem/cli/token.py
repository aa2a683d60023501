"""`token`: who is let in when the server is reached from elsewhere."""

from __future__ import annotations

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import VerbGroup
from lodmem.cli.options import option, words
from lodmem.model.memory import to_datetime


@click.group("token", cls=VerbGroup, invoke_without_command=True)
@click.pass_context
def token(ctx: click.Context) -> None:
    """Tokens let agents in over HTTP, each as itself. The store keeps no token, only what tells whether one is right.

    \b
    lodmem token add laptop
    lodmem token add scout --as scout --within acme/research
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(show_all)


@token.command("add")
@click.argument("name", type=words)
@option("--as", "agent", type=words, metavar="AGENT", help="Whose hands these are. [default: the agent of the settings]")
@option("--within", type=words, metavar="SPACE", help="It reaches this space and those below it alone. [default: everything]")
@pass_app
def add(app: App, name: str, agent: str | None, within: str | None) -> None:
    """Make a token and show it, this once, on stdout."""
    with app.engine(create=True) as engine:
        text = engine.add_token(name, agent=agent, space=within)
    if app.as_json:
        app.print_json({"name": name, "token": text})
    else:
        app.print(text)
        app.note("Keep it: it is shown this once. Send it as 'Authorization: Bearer TOKEN'.")


@token.command("list")
@pass_app
def show_all(app: App) -> None:
    """Names of all tokens, and what each reaches."""
    with app.engine(create=True) as engine:
        known = engine.tokens()
    if app.as_json:
        facts = [
            {"name": t.name, "agent": t.agent, "space": t.space, "created_at": to_datetime(t.created_us).isoformat()}
            for t in known
        ]
        app.print_json({"tokens": facts})
        return
    from lodmem.cli import output

    rows = [
        [t.name, t.agent, t.space or "everything", f"{to_datetime(t.created_us).astimezone(app.zone):%Y-%m-%d}"] for t in known
    ]
    output.show_table(output.console(app), ("token", "agent", "reaches", "made"), rows)


@token.command("revoke")
@click.argument("name", type=words)
@pass_app
def revoke(app: App, name: str) -> None:
    """Let a token open nothing any more, at once, in running servers too."""
    with app.engine() as engine:
        engine.revoke_token(name)
    if app.as_json:
        app.print_json({"revoked": name})
    else:
        app.print(f"token {name} opens nothing any more")
