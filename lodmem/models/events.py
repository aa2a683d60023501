"""Server-sent events, out of bytes that are cut anywhere. It knows lines and fields, and refuses to know what the data mean.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"
_BEGINNINGS = (b":", b"data:", b"event:", b"id:", b"retry:")


@dataclass(frozen=True, slots=True)
class Event:
    """`name` is '' where the server gave none."""

    name: str
    data: str


def looks_like_events(head: bytes) -> bool | None:
    """Whether a body that begins so holds events, whatever its headers say; None: too little of it is there."""
    if _BOM.startswith(head):
        return None
    head = head.removeprefix(_BOM).lstrip()
    if any(len(head) < len(field) and field.startswith(head) for field in _BEGINNINGS):
        return None
    return head.startswith(_BEGINNINGS)


class Events:
    """Takes bytes in and gives the events that are complete. One of more than `max_bytes` bytes is refused."""

    def __init__(self, *, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._line = bytearray()
        self._name, self._data, self._size = "", list[str](), 0
        self._at_start, self._after_cr = True, False

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in this piece. Raises ValueError for one that is too large."""
        if not piece:
            return
        if self._after_cr:
            piece = piece.removeprefix(b"\n")
        self._after_cr = piece.endswith(b"\r")
        first, *others = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._line += first
        for line in others:
            yield from self._ended()
            self._line += line
        self._bounded()

    def rest(self) -> Iterator[Event]:
        """The last event, where the stream ended without the empty line after it. Raises ValueError as `feed`."""
        yield from self._ended()
        yield from self._ended()

    def _ended(self) -> Iterator[Event]:
        """A line is complete; an empty one completes an event."""
        self._bounded()
        line = bytes(self._line)
        self._line.clear()
        if self._at_start:
            line, self._at_start = line.removeprefix(_BOM), False
        if not line:
            if self._data:
                yield Event(self._name, "\n".join(self._data))
            self._name, self._data, self._size = "", [], 0
            return
        name, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
            self._size += len(line)

    def _bounded(self) -> None:
        if self._size + len(self._line) > self._max_bytes:
            raise ValueError(f"an event of more than {self._max_bytes} bytes")
