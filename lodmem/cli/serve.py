"""`mcp`: hand the engine's opener to the MCP server. Imports little before it: clients wait for the first answer."""

from __future__ import annotations

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import option


@click.command("mcp", cls=Verb)
@option("--budget", type=int, metavar="TOKENS", help="Most tokens of an answer, unless a call says otherwise. [default: 6000]")
@option("--read-only", is_flag=True, help="No writing tools; looking leaves no trace.")
@pass_app
def mcp(app: App, budget: int | None, read_only: bool) -> None:
    """Serve one agent over MCP on standard input and output, until it hangs up.

    \b
    claude mcp add lodmem -- lodmem mcp
    codex mcp add lodmem -- lodmem mcp
    """
    from lodmem.mcp_server import DEFAULT_BUDGET, serve

    # Settings that cannot be used are told now, on stderr, not to the client at its first call.
    _ = app.settings
    serve(
        lambda: app.open_engine(create=not read_only, read_only=read_only, background=True),
        default_budget=DEFAULT_BUDGET if budget is None else budget,
        read_only=read_only,
    )
