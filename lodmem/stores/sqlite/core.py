"""What every part of the store has: its place, the one writer, the readers."""

from __future__ import annotations

from lodmem.stores.sqlite.connection import Place, Readers, Writer


class Core:
    """Reads happen in `_readers.snapshot()`, writes in `_writer.transaction()`."""

    _place: Place
    _writer: Writer
    _readers: Readers
