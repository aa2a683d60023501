"""The full text of memories within what a client takes in one answer; what is left over can be asked for. Knows no protocol."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lodmem.errors import BadParameter
from lodmem.mcp_server.tools import MAX_BUDGET, MAX_CHARS
from lodmem.model.memory import Memory

if TYPE_CHECKING:
    from lodmem.engine import Engine
    from lodmem.ports import TokenCounter

# What a memory's own line and the note on what is left out may cost.
LINE_TOKENS = 80
LINE_CHARS = 400
_LOOK_BACK = 200
_PIECE = 256
_LAST_WORD = re.compile(r"(?<=\s)\S+\Z")


def read_memories(engine: Engine, ids: Sequence[int], *, offset: int, touch: bool) -> str:
    """The memories in the order asked, as the landscape quotes them. One that is too long is cut, those that then have no room
    are named, each with how to get the rest. With `touch`, what is shown from its beginning counts as used.

    Raises:
        BadParameter: an offset with several ids, or past the end.
        UnknownMemory: an id that is not there.
    """
    from lodmem.models.tokenizer import WordPieceCounter

    memories = engine.expand(*ids, touch=False)
    if offset and len(memories) != 1:
        raise BadParameter("an offset goes with one id", hint="expand the others on their own")
    if offset and offset >= len(memories[0].full):
        raise BadParameter(f"#{memories[0].id} has {len(memories[0].full)} characters, offset {offset} is past its end")
    shown, notes = fit(memories, offset, WordPieceCounter())
    if touch and not offset:
        engine.expand(*(memory.id for memory in shown))
    return "\n".join([engine.render(shown), *notes])


def fit(memories: Sequence[Memory], offset: int, counter: TokenCounter) -> tuple[list[Memory], list[str]]:
    """Those that fit together, with the texts to show, and a note on each that is cut or left out."""
    shown: list[Memory] = []
    left_out: list[int] = []
    notes: list[str] = []
    tokens, chars = MAX_BUDGET, MAX_CHARS
    for memory in memories:
        rest = memory.full[offset:]
        part = _head(rest, tokens - LINE_TOKENS, chars - LINE_CHARS, counter)
        cut = len(part) < len(rest)
        if cut and shown:
            left_out.append(memory.id)
            continue
        if cut or offset:
            stop = offset + len(part)
            following = f"; memory_expand ids [{memory.id}] offset {stop} goes on" if cut else ""
            notes.append(f"Characters {offset} to {stop} of {len(memory.full)} of #{memory.id}{following}.")
        shown.append(replace(memory, full=part))
        tokens -= counter.count(part) + LINE_TOKENS
        chars -= shown_chars(part) + LINE_CHARS
    if left_out:
        notes.append("No room for " + ", ".join(f"#{id_}" for id_ in left_out) + "; expand them in another call.")
    return shown, notes


def shown_chars(text: str) -> int:
    """Upper bound of the characters a text takes when each of its lines is indented."""
    return len(text) + 2 * sum(text.count(end) for end in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def _head(text: str, tokens: int, chars: int, counter: TokenCounter) -> str:
    """The longest beginning of the text within both limits, at least one character; cut after white space if it can be."""
    lines = text[: max(chars, 1)].splitlines(keepends=True)
    tokens_left, chars_left, stop = tokens, chars, 0
    for line, cost in zip(lines, counter.counts(lines), strict=True):
        if cost > tokens_left or shown_chars(line) > chars_left:
            # A line that would leave more than half of the room empty is shown in part.
            if stop == 0 or tokens_left > tokens // 2:
                stop += _longest(line, tokens_left, chars_left - 2, counter)
            break
        tokens_left, chars_left, stop = tokens_left - cost, chars_left - shown_chars(line), stop + len(line)
    if stop < len(text):
        window = text[max(0, stop - _LOOK_BACK) : stop]
        if last_word := _LAST_WORD.search(window):
            stop = max(1, stop - len(last_word[0]))
    return text[:stop]


def _longest(line: str, tokens: int, chars: int, counter: TokenCounter) -> int:
    """How many characters of the line fit, at least one, to the nearest piece."""
    pieces = [line[start : start + _PIECE] for start in range(0, min(len(line), chars), _PIECE)]
    stop = 0
    for piece, cost in zip(pieces, counter.counts(pieces), strict=True):
        if cost > tokens:
            break
        tokens, stop = tokens - cost, stop + len(piece)
    return max(1, min(stop, chars))
