"""Command classes: a group that imports a command's module only when that command runs, and help pages in sections.

Knows the names and one-line helps of the commands, nothing of what they do.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple, cast

import click

from lodmem.cli.options import GlobalOption, Opt, global_options


class Entry(NamedTuple):
    """One command: where it lives and how the overview names it."""

    name: str
    module: str
    attribute: str
    help: str
    section: str


COMMANDS = (
    Entry("remember", "write", "remember", "Keep a text for good.", "Write"),
    Entry("ingest", "ingest", "ingest", "Keep what a file, folder or repository holds.", "Write"),
    Entry("distill", "distill", "distill", "Turn episodes into patterns.", "Write"),
    Entry("forget", "write", "forget", "Really delete memories.", "Write"),
    Entry("search", "look", "search", "Look over everything from a question.", "Look"),
    Entry("window", "browse", "window", "Everything of a time: 'last week', March.", "Look"),
    Entry("recent", "browse", "recent", "The newest first.", "Look"),
    Entry("important", "browse", "important", "The most important first.", "Look"),
    Entry("knowledge", "distill", "knowledge", "What is known: the best patterns.", "Look"),
    Entry("unseen", "browse", "unseen", "What was never retrieved.", "Look"),
    Entry("random", "browse", "random", "A draw from what has been ignored.", "Look"),
    Entry("look", "terminal_map", "look", "The map of it all in the terminal.", "Look"),
    Entry("explain", "look", "explain", "Why a memory stands where it stands.", "Look"),
    Entry("expand", "hold", "expand", "The full text of memories.", "Resolution"),
    Entry("promote", "hold", "promote", "Show a memory at a higher tier from now on.", "Resolution"),
    Entry("demote", "hold", "demote", "Take a promotion back.", "Resolution"),
    Entry("profiles", "profiles", "profiles", "Named sets of parameters.", "Resolution"),
    Entry("tune", "tune", "tune", "Fit a profile to what was useful.", "Resolution"),
    Entry("stats", "care", "stats", "What the store holds.", "Care"),
    Entry("doctor", "doctor", "doctor", "Check that everything works.", "Care"),
    Entry("backup", "keep", "backup", "Copy the store while it is in use.", "Care"),
    Entry("restore", "keep", "restore", "Put a backup in the store's place.", "Care"),
    Entry("export", "exchange", "export", "Write everything to an open file.", "Care"),
    Entry("import", "exchange", "load", "Take in what export wrote.", "Care"),
    Entry("work", "work", "work", "Do what waits in the queue, now.", "Care"),
    Entry("queue", "work", "queue", "Background work: state, and what was given up.", "Care"),
    Entry("gate", "gate", "gate", "What was there already, and how alike.", "Care"),
    Entry("conflicts", "conflicts", "conflicts", "What contradicts what, and which side stands.", "Care"),
    Entry("relevel", "language", "relevel", "Summaries and headlines by a language model.", "Care"),
    Entry("reindex", "care", "reindex", "Make the embeddings anew.", "Care"),
    Entry("map", "map", "make", "Give every memory its place on the map.", "Care"),
    Entry("calibrate", "tune", "calibrate", "Measure an embedding model's constants.", "Care"),
    Entry("llm", "language", "llm", "Language models: state, use, spend cap.", "Care"),
    Entry("mcp", "serve", "mcp", "Serve an agent over MCP (stdio).", "Connect"),
    Entry("serve", "http", "serve", "The memory plane, an HTTP API, MCP.", "Connect"),
    Entry("token", "token", "token", "Who is let in over HTTP.", "Connect"),
    Entry("eval", "evaluate", "evaluate", "Measure on public data.", "Connect"),
    Entry("completion", "shell", "completion", "Completion script for your shell.", "Connect"),
    Entry("version", "shell", "version", "Versions of lodmem and its parts.", "Connect"),
)

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Sections:
    """Help pages whose options stand in named sections, closed by one line about the global ones."""

    params: list[click.Parameter]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in cast("click.Command", self).get_params(ctx):
            record = None if isinstance(param, (click.Argument, GlobalOption)) else param.get_help_record(ctx)
            if record is not None:
                section = param.section if isinstance(param, Opt) else "Options"
                sections.setdefault(section, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        self.format_more(ctx, formatter)

    def format_more(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write_text(
            "Also: --json, --quiet, --no-color, --store, --agent, --space, --profile, --embedder, --zone; see lodmem --help."
        )


class Verb(_Sections, click.Command):
    """A command that understands the global options too."""

    def __init__(self, name: str | None, *, params: list[click.Parameter] | None = None, **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", _CONTEXT)
        super().__init__(name, params=[*(params or []), *global_options()], **kwargs)


def suggest(ctx: click.Context, name: str, known: list[str]) -> click.UsageError:
    """The error for an unknown command, naming the nearest one."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return click.UsageError(f"there is no command {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""), ctx=ctx)


class VerbGroup(_Sections, click.Group):
    """A command with commands below it, such as `profiles`."""

    command_class = Verb

    def __init__(self, name: str | None = None, *, params: list[click.Parameter] | None = None, **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", _CONTEXT)
        super().__init__(name, params=[*(params or []), *global_options()], **kwargs)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise suggest(ctx, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_more(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        super().format_more(ctx, formatter)


class LazyGroup(click.Group):
    """The command `lodmem` itself."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for entry in COMMANDS:
            if entry.name == cmd_name:
                return cast("click.Command", getattr(import_module(f"lodmem.cli.{entry.module}"), entry.attribute))
        return None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            raise suggest(ctx, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section in dict.fromkeys(entry.section for entry in COMMANDS):
            with formatter.section(section):
                formatter.write_dl([(entry.name, entry.help) for entry in COMMANDS if entry.section == section], col_max=11)
