"""What a language model's answer says, once what models put around it is taken off. Pure; what cannot be read is None."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_LATE_THOUGHT = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_PREAMBLE = re.compile(
    r"\A(?:(?:sure|certainly|of course|okay|ok|absolutely)\b[^\n]{0,80}?[!.:,]\s*)?"
    r"(?:(?:here(?:'s|’s| is| are)|the following is|this is|below is)\b[^\n:]{0,80}:\s*)?"
    r"(?:[*_#]{0,3}\s*(?:summary|headline|title|answer|output|result)\s*[*_]{0,3}\s*:\s*[*_]{0,3}\s*)?",
    re.IGNORECASE,
)
_TAGS = re.compile(r"\A<(\w+)>\s*(.*?)\s*</\1>\Z", re.DOTALL)
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»", "`": "`"}
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)")
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+(.*\S)")


def plain(text: str) -> str | None:
    """The answer itself: without thoughts, code fences, tags, a preamble, quotes around it; None where nothing is left."""
    text = _LATE_THOUGHT.sub("", _THOUGHT.sub("", text)).strip()
    fenced = _FENCE.search(text)
    if fenced is not None and fenced[1].strip():
        text = fenced[1].strip()
    text = text[_preamble(text) :].strip()
    tagged = _TAGS.match(text)
    if tagged is not None:
        text = tagged[2]
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text or None


def _preamble(text: str) -> int:
    match = _PREAMBLE.match(text)
    return match.end() if match is not None and match.end() < len(text) else 0


def one_word(text: str, allowed: Collection[str]) -> str | None:
    """The one of the allowed words that the answer is; None when it is none of them, or names several."""
    answer = plain(text)
    if answer is None:
        return None
    said = set(re.findall(r"[\w-]+", answer.lower()))
    found = [word for word in allowed if word.lower() in said]
    return found[0] if len(found) == 1 else None


def one_number(text: str, low: float, high: float) -> float | None:
    """The one number that the answer holds, if it lies in the range."""
    answer = plain(text)
    found = _NUMBER.findall(answer or "")
    if len(found) != 1:
        return None
    value = float(found[0])
    return value if low <= value <= high else None


def text_list(text: str) -> list[str] | None:
    """The texts of a JSON array, or of a bulleted or numbered list; [] for an empty array. None for anything else."""
    answer = plain(text)
    if answer is None:
        return None
    array = _array(answer)
    if array is not None:
        texts = [entry for entry in array if isinstance(entry, str)]
        return [entry.strip() for entry in texts if entry.strip()] if len(texts) == len(array) else None
    lines = [line for line in answer.splitlines() if line.strip()]
    bullets = [match[1] for line in lines if (match := _BULLET.fullmatch(line))]
    return bullets if bullets and len(bullets) == len(lines) else None


def number_list(text: str) -> list[float] | None:
    """The numbers of a JSON array; None for anything else."""
    array = _array(plain(text) or "")
    if array is None or not all(type(entry) in (int, float) for entry in array):
        return None
    return [float(str(entry)) for entry in array]


def _array(answer: str) -> list[object] | None:
    """The JSON array that the answer is, or that stands alone in it."""
    first, last = answer.find("["), answer.rfind("]")
    for candidate in (answer, answer[first : last + 1] if 0 <= first < last else ""):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, list):
            return found
    return None
