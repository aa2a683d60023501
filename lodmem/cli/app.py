"""What every command is handed: the parsed global options, settings, and a way to an engine. Renders nothing.

The process environment is read at the top of the command line and arrives here as a mapping.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from zoneinfo import ZoneInfo

import click

from lodmem.cli.safe import json_safe, safe
from lodmem.config import VARIABLES, Settings, read_settings
from lodmem.errors import StoreMissing

if TYPE_CHECKING:
    from lodmem.engine import Engine


@dataclass(eq=False)
class App:
    """One run of the command line. `given`: settings from global options, by their name in Settings."""

    env: Mapping[str, str]
    given: dict[str, object] = field(default_factory=dict)
    as_json: bool = False
    quiet: bool = False
    no_color: bool = False

    @cached_property
    def settings(self) -> Settings:
        """Settings from options, then the environment. Raises BadParameter."""
        return read_settings(self.env, **self.given)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.settings.zone)

    @property
    def debug(self) -> bool:
        return self.env.get("LODMEM_DEBUG", "") not in ("", "0")

    def colored(self, stream: TextIO) -> bool:
        """Whether escape codes may be written: a capable terminal, and nobody asked for none."""
        plain = self.no_color or self.env.get("NO_COLOR") or self.env.get("TERM") == "dumb"
        return not plain and stream.isatty()

    @property
    def shows_progress(self) -> bool:
        return not self.quiet and sys.stderr.isatty()

    @contextmanager
    def engine(self, *, create: bool = False, reindexing: bool = False) -> Iterator[Engine]:
        """The engine of the settings, closed on the way out."""
        engine = self.open_engine(create=create, reindexing=reindexing)
        try:
            yield engine
        finally:
            engine.close()

    @contextmanager
    def scratch(self) -> Iterator[Engine]:
        """An engine on an empty store that is gone afterwards, by words only: for trying without keeping."""
        from tempfile import TemporaryDirectory

        from lodmem import wiring

        with TemporaryDirectory(prefix="lodmem-", ignore_cleanup_errors=True) as folder:
            settings = replace(self.settings, store=Path(folder) / "scratch.db", embedder="none")
            with wiring.open_engine(settings, background=False) as engine:
                yield engine

    def open_engine(
        self, *, create: bool = False, read_only: bool = False, background: bool = False, reindexing: bool = False
    ) -> Engine:
        """The engine of the settings; the caller closes it. Raises StoreMissing where nothing is there and create is False."""
        from lodmem import wiring

        try:
            return wiring.open_engine(
                self.settings, create=create, read_only=read_only, background=background, reindexing=reindexing
            )
        except StoreMissing as error:
            raise StoreMissing(error.message, hint="'lodmem remember' or 'lodmem ingest' makes it") from None

    def looking(self) -> dict[str, Any]:
        """The space to look in, where one was named, as an argument of the engine's looks. Nobody named one: everywhere."""
        named = self.given.get("space") or self.env.get(VARIABLES["space"])
        return {"space": self.settings.space} if named else {}

    def write(self, text: str) -> None:
        """Text to stdout as it is."""
        sys.stdout.write(text)

    def print(self, text: str) -> None:
        """One safe line or block to stdout."""
        self.write(safe(text) + "\n")

    def print_json(self, payload: object) -> None:
        """One JSON document to stdout, harmless on a terminal."""
        ascii_only = (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"
        self.write(json_safe(json.dumps(payload, indent=2, ensure_ascii=ascii_only, default=str)) + "\n")

    def note(self, text: str) -> None:
        """A remark on stderr, unless quiet."""
        if not self.quiet:
            sys.stderr.write(safe(text) + "\n")

    def warn(self, text: str) -> None:
        """A warning on stderr, quiet or not."""
        label = click.style("warning:", fg="yellow", bold=True) if self.colored(sys.stderr) else "warning:"
        sys.stderr.write(f"{label} {safe(text)}\n")


def pass_app(command: Callable[..., None]) -> Callable[..., None]:
    """Hand the App of this run to a command as its first argument."""

    @wraps(command)
    def call(*args: Any, **kwargs: Any) -> None:
        command(click.get_current_context().obj, *args, **kwargs)

    return call
