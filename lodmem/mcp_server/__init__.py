"""The engine as tools for language models: `lodmem mcp`, over standard input and output.

Parses, calls the engine, renders. It knows no store and no model, and it opens nothing itself: the caller hands in how.
Importing this package loads neither the protocol's SDK nor the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lodmem.engine import Engine

DEFAULT_BUDGET = 6000


def serve(open_engine: Callable[[], Engine], *, default_budget: int = DEFAULT_BUDGET, read_only: bool = False) -> None:
    """Serve one client on standard input and output until it hangs up; blocks.

    `open_engine` is called in a worker thread, after the first answer is out or when the first tool needs it; again only if it
    failed. The engine is closed before this returns. `default_budget` is in tokens. With `read_only` there are no writing
    tools, and searching leaves no trace. SIGTERM and SIGINT finish the calls under way, close the engine and end the process
    with exit code 0.

    Raises:
        BadParameter: the budget is out of range.
    """
    from lodmem.mcp_server.server import run

    run(open_engine, default_budget=default_budget, read_only=read_only)
