"""Our own rendering, recognised when it comes back as a text to be kept. Knows the form of its lines, not how they are made.

A text is an echo when nothing in it is anybody's own: every line is a landscape's first line, a group's header, a memory's line
(`#482 8 May 2026 3w: ...`), a note of the tools, indented (a memory's further lines) or blank. It may be quoted ("> "), fenced,
and led in by one short line that ends in a colon. A text that also holds other lines is somebody's own, whatever it quotes.
"""

from __future__ import annotations

import re

from lodmem.text.quote import GUARD

MAX_LEAD_IN = 80

_MEMORY = re.compile(
    r"#\d{1,18} (?:stored )?\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,4} "
    r"(?:in )?(?:now|\d{1,6}(?:m|h|d|w|mo|y))(?: \[[^\n]*\])?:(?= |$)",
    re.MULTILINE | re.ASCII,
)
_TOOL = re.compile(
    r"FULL$|SUMMARIES$|HEADLINES$|Cut here: this was too long for one answer\.$|Characters \d+ to \d+ of \d+ of #\d+[.;]"
    r"|No room for #\d"
)
_MARKS = re.compile(r"^(?:> ?|```\w*$)", re.MULTILINE)


def is_echo(text: str) -> bool:
    """Whether the text is our own rendering and nothing else."""
    if GUARD not in text and not ("#" in text and _MEMORY.search(text)):
        return False
    lines = [line for line in _MARKS.sub("", text).strip("\n").split("\n") if line.strip()]
    if lines and not _ours(lines[0]) and len(lines[0]) <= MAX_LEAD_IN and lines[0].rstrip().endswith(":"):
        del lines[0]
    # The first line that is left must be one that only we write: indented lines alone are anybody's.
    return bool(lines) and not lines[0][0].isspace() and all(map(_ours, lines))


def without_echo(text: str) -> str:
    """The text without the lines that are our own rendering, and a memory's further lines below them."""
    if GUARD not in text and not ("#" in text and _MEMORY.search(_MARKS.sub("", text))):
        return text
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        bare = _MARKS.sub("", line).rstrip("\r")
        inside = bool(bare.strip()) and (_ours(bare) if inside or not bare[0].isspace() else False)
        if not inside:
            kept.append(line)
    return "\n".join(kept)


def _ours(line: str) -> bool:
    line = line.rstrip("\r")
    return line[0] in " \t" or line.endswith(GUARD) or bool(_MEMORY.match(line) or _TOOL.match(line))
