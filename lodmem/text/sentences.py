"""Sentences as character spans, over any input: prose, chat, lists, code, tables, logs. Knows no meaning and no language.

A line end is a boundary, except where prose was wrapped to a width: the line does not end a sentence, the next word would not
have fit, and neither line is a list entry, a heading, a table row, a log line, code or another speaker's turn. Inside such a
logical line `sentencex` decides; what it leaves longer than 600 characters is cut at a clause, else at a space.
"""

from __future__ import annotations

import re

from sentencex import segment

MAX_SENTENCE = 600

_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_FENCE = re.compile(r"\s*(?:```|~~~)")
# What opens a line of its own: list entries, headings, quotes, tables, front matter, code, logs, diffs, a speaker.
_OPENER = re.compile(
    r"""\s*(?:[-*+•‣◦▪·–—]\s | \d{1,3}[.)]\s | [a-zA-Z][.)]\s | \#{1,6}\s | > | \| | [-=*_~]{3,} | [{}()\[\]<@\\$;] | at\s | //
        | \d{4}-\d\d | \d\d?:\d\d | \[? (?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b
        | [\w.'-]+(?:[ ][\w.'-]+){0,2}:(?:\s|$) )""",
    re.VERBOSE,
)
_CODE = re.compile(r"[=(){}\[\]<>;\\|]")
_CODE_END = frozenset("{};:\\|=")
_ENDS = frozenset(".!?…。！？;:")
_ALNUM = re.compile(r"[^\W_]")
_SPACED_ENDS = frozenset(".!?")
_STOPPERS = re.compile(r"[.!?…。！？।۔؟]")
_CLAUSE = re.compile(r"[,;:—–、，；：)\]}|](?=\s)|[、，；：。]")
_SCRIPTS = (
    (re.compile("[\u3041-\u30ff]"), "ja"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
    (re.compile("[\uac00-\ud7a3]"), "ko"),
    (re.compile("[\u0400-\u052f]"), "ru"),
    (re.compile("[\u0600-\u06ff]"), "ar"),
    (re.compile("[\u0900-\u097f]"), "hi"),
    (re.compile("[\u0370-\u03ff]"), "el"),
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans [start, stop) in characters, in order, without overlap, none longer than 600, none with white space at an end.

    Every character that is not white space lies in one of them.
    """
    spans: list[tuple[int, int]] = []
    for start, stop in _logical_lines(text):
        piece = text[start:stop]
        if not _STOPPERS.search(piece, 0, len(piece) - 1):
            _append(text, start, stop, spans)
            continue
        parts = segment(_language(piece), piece.translate(_BREAKS) if _BREAK.search(piece) else piece)
        if sum(map(len, parts)) != len(piece):
            _append(text, start, stop, spans)
            continue
        for length in _joined(parts):
            _append(text, start, start + length, spans)
            start += length
    return spans


def _joined(parts: list[str]) -> list[int]:
    """Lengths of the parts, those put together that are no sentences: `a.b.C` at its full stops, a closing quote, a smiley."""
    lengths: list[int] = []
    open_end = False
    for part in parts:
        if lengths and (open_end or not _ALNUM.search(part)):
            lengths[-1] += len(part)
        else:
            lengths.append(len(part))
        open_end = part[-1] in _SPACED_ENDS or _TITLE.search(part) is not None
    return lengths


# Before a name, no end of a sentence, and not in the list that `segment` has.
_TITLE = re.compile(r"(?<!\w)(?:Ms|Mx|Messrs)\.\s*\Z")
_BREAKS = str.maketrans(dict.fromkeys("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", " "))


def _language(text: str) -> str:
    if text.isascii():
        return "en"
    return next((language for pattern, language in _SCRIPTS if pattern.search(text)), "en")


def _logical_lines(text: str) -> list[tuple[int, int]]:
    """Spans of lines, wrapped prose lines joined to one."""
    if not _BREAK.search(text):
        return [(0, len(text))] if text and not text.isspace() else []
    lines = [(match.start(), match.end()) for match in _LINE.finditer(text) if not match[0].isspace()]
    joined: list[tuple[int, int]] = []
    fenced = False
    previous = ""
    width = 0
    for number, (start, stop) in enumerate(lines):
        line = text[start:stop].rstrip()
        fence = bool(_FENCE.match(line))
        near = bool(previous) and _one_break(text, lines[number - 1][1], start)
        if not near:
            width = _block_width(text, lines, number)
        if near and not fenced and not fence and _wrapped(previous, line, width):
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
        fenced ^= fence
        previous = line
    return joined


def _one_break(text: str, start: int, stop: int) -> bool:
    return stop - start == 1 or text[start:stop] == "\r\n"


def _block_width(text: str, lines: list[tuple[int, int]], first: int) -> int:
    """Length of the longest of the lines that follow one another directly; at most 200 of them are looked at."""
    width = 0
    for number in range(first, min(first + 200, len(lines))):
        if number > first and not _one_break(text, lines[number - 1][1], lines[number][0]):
            break
        width = max(width, lines[number][1] - lines[number][0])
    return width


def _wrapped(previous: str, line: str, width: int) -> bool:
    """Whether `line` goes on with the sentence of the line above, in a paragraph wrapped at about `width` characters."""
    if not 40 <= len(previous) <= 200 or previous[-1] in _ENDS or previous[-1] in _CODE_END or _OPENER.match(line):
        return False
    body = line.lstrip()
    indent = len(line) - len(body)
    own = len(previous) - len(previous.lstrip())
    if not own <= indent <= own + 4 or "\t" in line[:indent] or previous.count(" ") < 5 or len(_CODE.findall(previous)) > 2:
        return False
    first_word = body.split(None, 1)[0]
    return len(previous) + 1 + len(first_word) > width and (first_word[0].isalnum() or first_word[0] in "\"'“‘(`")


def _append(text: str, start: int, stop: int, spans: list[tuple[int, int]]) -> None:
    """Add [start, stop) without white space at its ends, in pieces of at most MAX_SENTENCE."""
    while start < stop and text[start].isspace():
        start += 1
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    while stop - start > MAX_SENTENCE:
        cut = _cut(text, start, start + MAX_SENTENCE)
        end = cut
        while text[end - 1].isspace():
            end -= 1
        spans.append((start, end))
        start = cut
        while text[start].isspace():
            start += 1
    if start < stop:
        spans.append((start, stop))


def _cut(text: str, start: int, stop: int) -> int:
    """Where to cut: after the last clause mark of the second half, else at its last space, else at `stop`."""
    middle = (start + stop) // 2
    cut = 0
    for match in _CLAUSE.finditer(text, middle, stop):
        cut = match.end()
    if cut:
        return cut
    space = max(text.rfind(" ", middle, stop), text.rfind("\t", middle, stop))
    return space if space > middle else stop
