"""`serve`: the engine, the memory plane and MCP over HTTP, until it is told to stop."""

from __future__ import annotations

import sys

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import option


@click.command("serve", cls=Verb)
@option("--host", metavar="ADDRESS", help="Where to listen. Beyond this machine it needs a token. [default: 127.0.0.1]")
@option("--port", type=click.IntRange(0, 65535), help="0: any that is free. [default: 7364, or the next one that is free]")
@option("--read-only", is_flag=True, help="Nothing can be changed; looking leaves no trace.")
@option("--need-token", is_flag=True, help="Ask for a token on this machine too.")
@option("--allow-host", "names", multiple=True, metavar="NAME", help="Another name that the server goes by, say of a proxy.")
@option("--no-open", is_flag=True, help="Do not open a browser.")
@option("--log", "loud", is_flag=True, help="One line on stderr for each request.")
@pass_app
def serve(
    app: App,
    host: str | None,
    port: int | None,
    read_only: bool,
    need_token: bool,
    names: tuple[str, ...],
    no_open: bool,
    loud: bool,
) -> None:
    """Serve the memory plane, the HTTP API (/docs) and MCP (/mcp) until interrupted.

    \b
    lodmem serve
    lodmem serve --host 0.0.0.0    (after: lodmem token add NAME)
    claude mcp add --transport http lodmem http://127.0.0.1:7364/mcp
    """
    from lodmem.http_api import Serving
    from lodmem.http_api.serving import open_browser
    from lodmem.http_api.serving import serve as run

    given = {"host": host, "port": port}
    serving = Serving(
        **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]  # of two types
        names=tuple(name.lower() for name in names),
        read_only=read_only,
        needs_token=need_token,
    )

    def ready(url: str, taken: int | None) -> None:
        if taken is not None:
            app.note(f"port {taken} is taken: this is the next one that is free")
        if app.as_json:
            app.print_json({"url": url})
        else:
            app.print(url)
        sys.stdout.flush()
        if not no_open and app.shows_progress:
            open_browser(url, app.env)
        app.note("MCP: /mcp, API: /docs; Ctrl+C stops")

    engine = app.open_engine(create=not read_only, read_only=read_only, background=True)
    try:
        run(engine, serving, ready=ready, loud=loud)
    finally:
        engine.close()
