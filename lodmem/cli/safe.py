"""Text from memories made harmless for a terminal: nothing in it can move the cursor, recolour or reorder what is shown.

Knows characters only, neither colours nor layout.
"""

from __future__ import annotations

import re

# C0 and C1 controls, bidirectional marks and overrides, line separators, the byte order mark, interlinear and tag characters,
# lone surrogates. Zero-width joiners stay: emoji and several scripts need them.
_HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_BREAKS = re.compile(r"\r\n?|\u2028|\u2029|\x85")
_SPACES = re.compile(r"\s+")


def safe(text: str) -> str:
    """The text with every character that a terminal would act on made visible. Line breaks become \\n; tabs become spaces."""
    text = _BREAKS.sub("\n", text).expandtabs(4)
    return _HOSTILE.sub(_picture, text)


def safe_line(text: str) -> str:
    """The same on one line: runs of white space become one space."""
    return _HOSTILE.sub(_picture, _SPACES.sub(" ", text).strip())


def json_safe(document: str) -> str:
    """A JSON document with hostile characters as \\u escapes: the same document, harmless on a terminal."""
    return _HOSTILE.sub(_escape, document)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
