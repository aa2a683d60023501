"""The engine, opened when it is first needed. Knows when to open and close it, not what it does."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from lodmem.errors import LodmemError, StoreClosed

if TYPE_CHECKING:
    from lodmem.engine import Engine

logger = logging.getLogger(__name__)


class LazyEngine:
    """Opens the engine once, whichever thread asks first; the others wait for it. A failed opening is tried again."""

    def __init__(self, open_engine: Callable[[], Engine]) -> None:
        self._open = open_engine
        self._lock = Lock()
        self._engine: Engine | None = None
        self._closed = False

    def get(self) -> Engine:
        """The open engine. Raises StoreClosed after `close`, and whatever opening it raises."""
        with self._lock:
            if self._closed:
                raise StoreClosed("the server is shutting down", hint="start it again")
            if self._engine is None:
                self._engine = self._open()
            return self._engine

    def warm(self) -> None:
        """Open the engine, load model and columns ahead of the first call. A failure is only logged: that call meets it."""
        try:
            self.get().warm()
        except StoreClosed:
            return
        except LodmemError as error:
            logger.warning("not ready yet: %s", error)

    def close(self) -> None:
        """Close the engine if it was opened. Idempotent."""
        with self._lock:
            self._closed = True
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()
