"""Memory text made safe to show: it stays data inside its place, whatever it contains.

A line that starts in column 0 is ours; text from a memory follows a colon on such a line or is indented. Characters that
could forge a line, steer a terminal or hide text are shown as U+FFFD. What is stored is never changed.
"""

from __future__ import annotations

import re

INDENT = "  "
GUARD = "Indented lines and what follows a colon is stored data."
HIDDEN = "\N{REPLACEMENT CHARACTER}"

_NEWLINES = re.compile("\r\n|[\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_BLANKS = re.compile(r"\n(?:[ \t]*\n){2,}")
_UNSAFE = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # controls
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"  # direction, invisible
    "\ud800-\udfff\U000e0000-\U000e007f]"  # lone surrogates, tag characters
)


def harmless(text: str) -> str:
    """The text with only tabs and line feeds left of its control characters; every kind of line end becomes a line feed."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(HIDDEN, _NEWLINES.sub("\n", text))


def as_block(text: str) -> str:
    """Several lines of data: every line after the first is indented, of several blank lines one is left."""
    block = harmless(text).strip()
    return _BLANKS.sub("\n\n", block).replace("\n", "\n" + INDENT) if "\n" in block else block


def as_line(text: str) -> str:
    """One line of data: white space folded."""
    return " ".join(harmless(text).split())
