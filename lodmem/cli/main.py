"""The command `lodmem`: the global options, the overview, and the one place where errors become words and exit codes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from lodmem.cli.app import App
from lodmem.cli.group import LazyGroup
from lodmem.cli.options import global_options
from lodmem.cli.safe import json_safe, safe, safe_line
from lodmem.errors import LodmemError

INTERRUPTED = 130
BROKEN_PIPE = 141
INTERNAL = 70

OVERVIEW = """\
lodmem keeps everything an agent experiences, and shows each memory at the
level of detail it deserves.

  lodmem remember "Ada moved the launch to June 3"   keep something
  lodmem ingest ~/notes                              keep notes, a git history
  lodmem search "when is the launch?"                look over everything

All commands: lodmem --help. Check the set-up: lodmem doctor. Connect an agent:
lodmem mcp.
"""

EPILOG = """\
\b
More variables:
  LODMEM_OPENAI_BASE_URL, LODMEM_OPENAI_API_KEY, LODMEM_OPENAI_MODEL
                         for --embedder openai-compatible
  LODMEM_OPENAI_C0, LODMEM_OPENAI_C1
                         its calibration (lodmem calibrate)
  LODMEM_LLM             a language model, e.g. openai:MODEL; more about it in
                         'lodmem llm --help'
  LODMEM_MAX_TEXT_BYTES  the largest text (default 16 MiB)
  LODMEM_DEBUG=1         show where an error arose

\b
Exit codes:
  0 done, 1 a problem was found or you said no, 2 input, 3 not found,
  4 store, 5 model, 70 a bug in lodmem, 130 interrupted, 141 closed pipe
"""


class Root(LazyGroup):
    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> NoReturn:
        """Run with `args` (default: the process's) and exit with the code of the outcome."""
        sys.exit(run(self, list(sys.argv[1:] if args is None else args), os.environ))


@click.group(
    cls=Root,
    params=global_options(),
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="lodmem", message="lodmem %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Memory for AI agents: everything is kept, and comes back at the level of detail it deserves.

    Options below work before and after the command; every command has its own --help.
    """
    if ctx.invoked_subcommand is None:
        sys.stdout.write(OVERVIEW)


def main() -> NoReturn:
    """Run the command line of this process."""
    cli.main()


def run(command: click.Command, argv: list[str], env: Mapping[str, str]) -> int:
    """Exit code of one run. Errors are told on stderr in two lines at most, or as JSON where --json was given."""
    app = App(env)
    _tolerant_streams()
    try:
        code = _complete(command, app) if "_LODMEM_COMPLETE" in env else _invoke(command, argv, app)
        sys.stdout.flush()
        return code
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("\n")
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return BROKEN_PIPE
    except (click.ClickException, LodmemError, OSError, Exception) as error:  # noqa: BLE001  the surface's top level
        if app.debug:
            import traceback

            traceback.print_exc()
        code, parts = _describe(error)
        _tell(app, parts, as_json=app.as_json or "--json" in argv)
        return code


def _invoke(command: click.Command, argv: list[str], app: App) -> int:
    try:
        with command.make_context("lodmem", argv, obj=app) as ctx:
            command.invoke(ctx)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    return 0


def _complete(command: click.Command, app: App) -> int:
    """Answer the shell's question for completions."""
    from click.shell_completion import shell_complete

    return shell_complete(command, {"obj": app}, "lodmem", "_LODMEM_COMPLETE", app.env["_LODMEM_COMPLETE"])


def _describe(error: BaseException) -> tuple[int, dict[str, str]]:
    if isinstance(error, LodmemError):
        return error.exit_code, {"code": error.code, "message": error.message, "hint": error.hint}
    if isinstance(error, click.ClickException):
        ctx = getattr(error, "ctx", None)
        hint = f"see '{ctx.command_path} --help'" if ctx is not None else "see 'lodmem --help'"
        return error.exit_code, {"code": "usage", "message": error.format_message(), "hint": hint}
    if isinstance(error, OSError):
        return 1, {"code": "os", "message": str(error), "hint": ""}
    hint = "this is a bug in lodmem; LODMEM_DEBUG=1 shows where"
    return INTERNAL, {"code": "internal", "message": f"unexpected {type(error).__name__}: {error}", "hint": hint}


def _tell(app: App, parts: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        sys.stderr.write(json_safe(json.dumps({"error": parts}, ensure_ascii=False)) + "\n")
        return
    colored = app.colored(sys.stderr)
    label = click.style("error:", fg="red", bold=True) if colored else "error:"
    sys.stderr.write(f"{label} {safe_line(parts['message'])}\n")
    if parts["hint"]:
        label = click.style("hint:", fg="cyan") if colored else "hint:"
        sys.stderr.write(f"{label} {safe(parts['hint'])}\n")


def _tolerant_streams() -> None:
    """A terminal that is not UTF-8 shows a substitute instead of failing in the middle of an answer."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _silence_stdout() -> None:
    """Keep the interpreter's own flush at exit from complaining about the closed pipe."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
