"""The items of a JSON array that is larger than memory, one at a time, whatever the file holds. It knows no format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from lodmem.ingest.importers.base import Meter
from lodmem.ingest.importers.files import shown
from lodmem.ingest.importers.lines import open_file
from lodmem.ingest.report import Problem

MAX_ITEM_BYTES = 32 * 1024 * 1024
MAX_VALUES = 1_000_000
MAX_DEPTH = 100
_CHUNK = 64 * 1024
_MARK = b"\xef\xbb\xbf"


class _TooLongError(Exception):
    """One text is longer than an item may be; the parser would hold all of it."""


class _Source:
    """A file that stops where the parser swallows more than an item may have without giving anything."""

    def __init__(self, file: BinaryIO, meter: Meter) -> None:
        self.file, self.meter, self.begun = file, meter, meter.done
        self.given = meter.done
        if file.read(len(_MARK)) != _MARK:
            file.seek(0)

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.meter.done += len(data)
        if self.meter.done - self.given > MAX_ITEM_BYTES:
            raise _TooLongError
        return data


@dataclass(slots=True)
class _Item:
    """An item as it is built. `why`: it is dropped, and the reason; then only the depth is kept."""

    depth: int = 0
    values: int = 0
    began: int = 0
    why: str = ""
    root: Any = None
    stack: list[Any] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def take(self, event: str, value: Any, done: int) -> bool:
        """Whether the item is complete with this event."""
        self.values += 1
        if not self.why:
            self._check(done)
        if event in ("start_map", "start_array"):
            self.depth += 1
            self._open({} if event == "start_map" else [])
        elif event in ("end_map", "end_array"):
            self.depth -= 1
            if not self.why:
                self.stack.pop()
                self.keys.pop()
        elif event == "map_key":
            if not self.why:
                self.keys[-1] = value
        elif not self.why:
            self._put(value)
        return self.depth == 0

    def _check(self, done: int) -> None:
        if self.depth > MAX_DEPTH:
            self.why = "nested too deeply"
        elif done - self.began > MAX_ITEM_BYTES or self.values > MAX_VALUES:
            self.why = f"larger than {MAX_ITEM_BYTES // 1024**2} MB or {MAX_VALUES:,} values"
        if self.why:
            self.root, self.stack, self.keys = None, [], []

    def _open(self, container: Any) -> None:
        if not self.why:
            self._put(container)
            self.stack.append(container)
            self.keys.append("")

    def _put(self, value: Any) -> None:
        if not self.stack:
            self.root = value
        elif isinstance(self.stack[-1], dict):
            self.stack[-1][self.keys[-1]] = value
        else:
            self.stack[-1].append(value)


def json_items(path: Path, meter: Meter) -> Iterator[tuple[int, Any] | Problem]:
    """Number from 1 and value of each item of the top array; of a file with an object at the top, that one.

    An item that is too large or too deep is a Problem and the next one follows; what is no JSON is a Problem and the last
    thing given. Raises UnknownPath, InputError.
    """
    import ijson

    name, number = shown(path), 0
    with open_file(path) as file:
        source = _Source(file, meter)
        try:
            events = ijson.basic_parse(source, use_float=True, buf_size=_CHUNK)
            in_array, item, first = False, _Item(began=source.begun), True
            for event, value in events:
                source.given = meter.done
                if first and event == "start_array":
                    in_array, first = True, False
                    continue
                first = False
                if in_array and item.depth == 0 and event == "end_array":
                    continue
                if item.take(event, value, meter.done):
                    number += 1
                    yield Problem(f"{name}: item {number}", item.why) if item.why else (number, item.root)
                    item = _Item(began=meter.done)
        except ijson.JSONError as error:
            said = str(error).strip().splitlines()
            yield Problem(
                f"{name}: after item {number}", f"not JSON, the rest cannot be read: {said[0] if said else 'damaged'}"
            )
        except _TooLongError:
            yield Problem(
                f"{name}: after item {number}", f"a text larger than {MAX_ITEM_BYTES // 1024**2} MB, not read further"
            )
