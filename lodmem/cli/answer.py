"""How a landscape leaves the command line: JSON, the text for a language model, or the page for people."""

from __future__ import annotations

import sys

from lodmem.cli.app import App
from lodmem.cli.safe import safe
from lodmem.model.landscape import Landscape


def answer(app: App, found: Landscape, *, scores: bool, render: bool) -> None:
    """Write the landscape in the form that was asked for. JSON holds the rendering too where both were asked for."""
    if app.as_json:
        from lodmem.cli import as_json

        payload = as_json.landscape(found)
        app.print_json(payload | {"rendering": found.rendering} if render else payload)
    elif render:
        text = found.rendering
        app.write(safe(text) if sys.stdout.isatty() else text)
        if not text.endswith("\n"):
            app.write("\n")
    else:
        from lodmem.cli import output

        output.show_landscape(app, found, scores=scores)
