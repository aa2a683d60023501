"""What changes the store's content: `remember`, `forget`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.conflicts import told as conflict_told
from lodmem.cli.group import Verb
from lodmem.cli.options import KINDS, PRIORITIES, engine_arguments, memory_id, option, words
from lodmem.cli.progress import progress
from lodmem.cli.safe import safe_line
from lodmem.errors import BadEncoding, BadParameter, EmptyText, InputError, ModelError, UnknownPath
from lodmem.model.memory import Added, Source
from lodmem.text.secrets import told

if TYPE_CHECKING:
    from lodmem.engine import Engine

SHOWN_PROBLEMS = 10
AUTO = "auto"


def importance(value: str) -> float | str:
    """A number, or AUTO."""
    if value == AUTO:
        return AUTO
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither a number from 0 to 1 nor 'auto'") from None


no_wait_option = option("--no-wait", is_flag=True, help="Leave embedding to the next run or a running server.")
tags_option = option("--tag", "tags", multiple=True, type=words, metavar="TAG", help="A tag (repeatable).")


@click.command("remember", cls=Verb)
@click.argument("text", nargs=-1, type=words)
@option("--file", "path", type=click.Path(), metavar="FILE", help="Take the text from a file, byte for byte.")
@option("--at", "created_at", metavar="WHEN", help="When it was said or written. Default: no time of its own, so now.")
@option("--kind", type=click.Choice(KINDS), help="Default: episodic.")
@tags_option
@option("--importance", type=importance, metavar="NUMBER|auto", help="0 to 1, default 0.5; auto: judged from the text.")
@option("--priority", type=click.Choice(PRIORITIES), help="Default: medium.")
@option("--expires", "expires_at", metavar="WHEN", help="When it may be archived.")
@option("--valid-from", metavar="WHEN", help="From when the fact holds.")
@option("--valid-to", metavar="WHEN", help="Until when the fact holds.")
@option("--source", "uri", type=words, metavar="URI", help="Where it comes from. With --file: the file, if not given.")
@option("--session", type=words, metavar="NAME", help="Which conversation or part of the source.")
@option("--sequence", type=int, metavar="N", help="Its place there.")
@option("--meta", multiple=True, type=words, metavar="KEY=VALUE", help="Anything else to keep with it (repeatable).")
@no_wait_option
@pass_app
def remember(
    app: App,
    text: tuple[str, ...],
    path: str | None,
    uri: str | None,
    session: str | None,
    sequence: int | None,
    meta: tuple[str, ...],
    no_wait: bool,
    **given: Any,
) -> None:
    """Keep a text for good. It comes from arguments, from --file, or from standard input ('-').

    \b
    lodmem remember "Ada moved the launch to June 3" --tag launch
    git log -1 | lodmem remember --kind episodic
    """
    content = _content(app, text, path)
    arguments = _arguments(given)
    if uri is None and path is not None and path != "-":
        uri = Path(path).resolve().as_uri()
    if uri is not None:
        arguments["source"] = Source(uri, session or "", sequence or 0)
    elif session is not None or sequence is not None:
        raise BadParameter("--session and --sequence need --source", hint="say which source they belong to")
    if meta:
        arguments["meta"] = dict(map(_pair, meta))
    with app.engine(create=True) as engine:
        try:
            added = engine.remember(content, **arguments)
        except BadEncoding as error:
            raise BadEncoding(error.message, hint="convert it first, e.g. iconv -f latin1 -t utf-8 FILE") from None
        if app.as_json:
            app.print_json({"id": added.id, "created": added.created, "masked": list(added.masked)})
        elif app.quiet:
            app.print(f"#{added.id}")
        else:
            app.print(f"kept as #{added.id}" if added.created else f"already there as #{added.id}")
            if added.masked:
                app.print(told(added.masked))
        sys.stdout.flush()
        if not no_wait:
            settle(app, engine)
            _tell_conflicts(app, engine, added)


def _tell_conflicts(app: App, engine: Engine, added: Added) -> None:
    """What was found about a memory that is new: one of two that contradict each other may be hidden by now."""
    if added.created and not app.as_json:
        for dispute in engine.conflicts(added.id, state=None, limit=SHOWN_PROBLEMS):
            app.note(safe_line(conflict_told(dispute.conflict, added.id)))


def settle(app: App, engine: Engine) -> None:
    """Embed what waits. A model that fails costs nothing that was kept: it is found by its words until it works again."""
    with progress(app, "embedding") as report:
        try:
            engine.drain(report)
        except ModelError as error:
            app.warn(f"kept, but not embedded yet: {error}; it is found by its words meanwhile")


def _arguments(given: dict[str, Any]) -> dict[str, Any]:
    arguments = engine_arguments(given)
    if arguments.get("importance") == AUTO:
        arguments["importance"] = None
    return arguments


def _content(app: App, text: tuple[str, ...], path: str | None) -> str | bytes:
    if path is not None and text:
        raise BadParameter("both a text and --file were given", hint="give one of them")
    limit = app.settings.max_text_bytes
    if path is not None and path != "-":
        return _read(Path(path), limit)
    if text and text != ("-",):
        return " ".join(text)
    if not text and path is None and sys.stdin.isatty():
        raise EmptyText("nothing to remember", hint='lodmem remember "some text", or pipe a text in')
    return sys.stdin.buffer.read(limit + 1)


def _read(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        raise UnknownPath(f"there is no file {path}", hint="check the path") from None
    except OSError as error:
        hint = "use 'lodmem ingest' for folders" if path.is_dir() else ""
        raise InputError(f"{path} cannot be read: {error.strerror or error}", hint=hint) from None


def _pair(item: str) -> tuple[str, str]:
    key, separator, value = item.partition("=")
    if not separator or not key:
        raise BadParameter(f"{item!r} is not KEY=VALUE", hint="for example --meta channel=mail")
    return key, value


@click.command("forget", cls=Verb)
@click.argument("ids", metavar="ID...", nargs=-1, required=True, type=memory_id)
@option("-y", "--yes", is_flag=True, help="Do not ask.")
@pass_app
def forget(app: App, ids: tuple[int, ...], yes: bool) -> None:
    """Really delete memories: every level, vector and index entry, and the patterns that came from them alone. There is no way
    back.

    \b
    lodmem forget 482 17
    """
    with app.engine() as engine:
        memories = engine.expand(*dict.fromkeys(ids), touch=False)
        lost = engine.lost_with(*ids)
        lines = [f"#{memory.id}  {safe_line(memory.headline)}" for memory in memories]
        lines += [f"#{pattern.id}  {safe_line(pattern.text)} (a pattern that stands on it)" for pattern in lost]
        if not yes:
            if app.as_json or not sys.stdin.isatty():
                raise BadParameter("nobody can be asked", hint="--yes forgets without asking")
            question = f"Forget {'it' if len(lines) == 1 else f'these {len(lines)}'} for good?"
            if not click.confirm("\n".join([*lines, question]), err=True):
                app.note("nothing was forgotten")
                raise click.exceptions.Exit(1)
        count = engine.forget(*(memory.id for memory in memories))
        settle(app, engine)
    if app.as_json:
        app.print_json({"forgotten": count, "ids": [*(memory.id for memory in memories), *(pattern.id for pattern in lost)]})
        return
    app.print(f"forgotten: {count}")
    if yes and not app.quiet:
        for line in lines:
            app.print(line)
