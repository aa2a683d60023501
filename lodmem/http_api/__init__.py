"""The engine over HTTP: `lodmem serve`. Parses, calls the engine, renders; MCP and the memory plane's page are served too.

It knows no store and no model, and it opens nothing itself: the caller hands in an engine. Importing this package loads neither
the web framework nor the engine.
"""

from __future__ import annotations

from lodmem.http_api.settings import DEFAULT_PORT, Serving

__all__ = ["DEFAULT_PORT", "Serving"]
