"""A markdown text cut into sections, each understandable alone. Pure: text in, sections out; nothing is lost.

It knows headings, fenced code and front matter, and refuses to know the rest of markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

KNOWN = ("date", "created", "tags", "title")
_LONGEST = 200

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
# A line that can be the text over an underline: not a list, quote, table, code or rule.
_PARAGRAPH = re.compile(r" {0,3}(?![-+*>|#`~=_]|\d+[.)]|\s).*")
_SCALAR = re.compile(r"([A-Za-z_][\w-]*):(?:[ \t]+(.*))?")
_YAML = re.compile(r"[A-Za-z_][\w-]*:.*|\s+.*|- .*|#.*|")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")


@dataclass(slots=True)
class Section:
    """`path`: the headings above and its own; `line`: where it begins in the file, from 1. `text` opens with the path."""

    path: tuple[str, ...]
    line: int
    text: str


@dataclass(slots=True)
class _Piece:
    path: tuple[str, ...]
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def body(self) -> str:
        return "\n".join(self.lines).strip("\n")

    @property
    def empty(self) -> bool:
        return not self.body.strip()


def front_matter(text: str) -> tuple[dict[str, list[str]], str, int]:
    """What a leading YAML block says under the KNOWN keys, the text without that, and how many lines shorter it is.

    Only `key: value`, `key: [a, b]` and a dashed list of tags are read; every other line stays in the text.
    """
    lines = text.split("\n")
    stop = next((n for n, line in enumerate(lines[1:_LONGEST], 1) if line.rstrip() in ("---", "...")), 0)
    if lines[0].rstrip() != "---" or not all(_YAML.fullmatch(line.rstrip()) for line in lines[1:stop]) or stop < 2:
        return {}, text, 0
    known: dict[str, list[str]] = {}
    kept: list[str] = []
    key = ""
    for line in lines[1:stop]:
        item, scalar = _ITEM.fullmatch(line.rstrip()), _SCALAR.fullmatch(line.rstrip())
        if key == "tags" and item:
            known[key].append(_unquoted(item[1]))
        elif scalar and scalar[1].lower() in KNOWN and scalar[1].lower() not in known:
            key = scalar[1].lower()
            known[key] = _values(scalar[2] or "")
        elif line.strip():
            key = ""
            kept.append(line)
    rest = ([*kept, ""] if kept else []) + lines[stop + 1 :]
    return known, "\n".join(rest), len(lines) - len(rest)


def sections(text: str, title: str = "", first_line: int = 1) -> list[Section]:
    """The sections of a markdown text in order. `title` stands above all of them unless it is their first heading.

    Text before the first heading is a section of its own. A section without text of its own is joined to the next one: where
    its heading is not above that one anyway, it is put in front. Headings at the end with nothing below are a section, so
    that text written there later changes no earlier one. Line ends become plain newlines.
    """
    pieces = list(_pieces(text.replace("\r\n", "\n"), first_line))
    top = (title,) if title and not any(piece.path[:1] == (title,) for piece in pieces) else ()
    out: list[Section] = []
    waiting: list[_Piece] = []
    for piece in pieces:
        waiting.append(piece)
        if not piece.empty:
            out.append(_joined(waiting, top))
            waiting = []
    left = [piece for piece in waiting if piece.path]
    return [*out, _joined(left, top)] if left else out


def _joined(pieces: list[_Piece], top: tuple[str, ...]) -> Section:
    last = pieces[-1]
    passed = [piece for piece in pieces[:-1] if piece.path and piece.path != last.path[: len(piece.path)]]
    heads = [" > ".join((*top, *piece.path)) for piece in (*passed, last)]
    parts = [part for part in (*heads, last.body) if part.strip()]
    return Section((*top, *last.path), (passed[0] if passed else last).line, "\n\n".join(parts))


def _pieces(text: str, first_line: int) -> Iterator[_Piece]:
    path: list[tuple[int, str]] = []
    piece = _Piece((), first_line)
    fence = ""
    for number, line in enumerate(text.split("\n"), first_line):
        if fence:
            piece.lines.append(line)
            closing = _FENCE.fullmatch(line)
            if closing and closing[1].startswith(fence) and not closing[2].strip():
                fence = ""
            continue
        opening = _FENCE.fullmatch(line)
        if opening and not (opening[1][0] == "`" and "`" in opening[2]):
            fence = opening[1]
        level, heading, above = _heading(line, piece.lines)
        if level:
            if above:
                piece.lines.pop()
            yield piece
            path = [(depth, name) for depth, name in path if depth < level] + [(level, heading)]
            piece = _Piece(tuple(name for _, name in path), number - above)
        else:
            piece.lines.append(line)
    yield piece


def _heading(line: str, before: list[str]) -> tuple[int, str, int]:
    """Level, text and how many lines above belong to it; level 0 where the line is no heading."""
    if (match := _HEADING.fullmatch(line)) and match[2].strip("# \t"):
        return len(match[1]), match[2].strip(), 0
    underline = _UNDERLINE.fullmatch(line)
    alone = before and _PARAGRAPH.fullmatch(before[-1]) and (len(before) == 1 or not before[-2].strip())
    if underline and alone:
        return 1 if underline[1][0] == "=" else 2, before[-1].strip(), 1
    return 0, "", 0


def _values(text: str) -> list[str]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [value for part in text[1:-1].split(",") if (value := _unquoted(part))]
    value = _unquoted(text)
    return [value] if value else []


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
