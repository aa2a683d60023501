"""The arguments of a tool call, checked and turned into what the engine takes. Knows JSON values, not tools.

A language model writes these, so what is unambiguous is accepted ("#482", "10", one string for a list, null or "" for
absent), and what is not is refused in words that let it do better.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence

from lodmem.errors import BadParameter

MAX_IDS = 100
MAX_SHOWN = 100

_ID = re.compile(r"\s*#?(\d{1,18})\s*\Z")


class Arguments:
    """Reads one call's arguments by name. Every getter gives None (or an empty tuple) for what is absent.

    Raises:
        BadParameter: an argument the tool does not have, or a value that is not what its name asks for.
    """

    def __init__(self, given: Mapping[str, object] | None, known: Collection[str]) -> None:
        self._given = {name: value for name, value in (given or {}).items() if value is not None}
        if unknown := sorted(set(self._given) - set(known)):
            raise BadParameter(f"unknown argument {', '.join(map(repr, unknown))}", hint="known: " + ", ".join(known))

    def text(self, name: str) -> str | None:
        """The string, which may be empty, exactly as given."""
        value = self._given.get(name)
        if value is not None and not isinstance(value, str):
            raise BadParameter(f"{name} must be a string, got {_kind(value)}")
        return value

    def word(self, name: str) -> str | None:
        """The string without blanks around it; a blank one counts as absent."""
        return (self.text(name) or "").strip() or None

    def words(self, name: str) -> tuple[str, ...]:
        """A list of strings; one string stands for a list of one."""
        value = self._given.get(name, ())
        values: Sequence[object] = (value,) if isinstance(value, str) else value if isinstance(value, (list, tuple)) else ()
        if not values and value not in ((), []):
            raise BadParameter(f"{name} must be a list of strings, got {_kind(value)}")
        if not all(isinstance(item, str) for item in values):
            raise BadParameter(f"{name} must be a list of strings")
        return tuple(str(item).strip() for item in values if str(item).strip())

    def choice(self, name: str, choices: Sequence[str]) -> str | None:
        value = self.word(name)
        if value is not None and value.lower() not in choices:
            raise BadParameter(f"{name} must be one of {', '.join(choices)}, got {_shown(value)}")
        return value.lower() if value is not None else None

    def whole(self, name: str, *, low: int, high: int | None = None) -> int | None:
        """A whole number of at least `low` and, if given, at most `high`."""
        number = self.number(name)
        if number is None:
            return None
        top = 2**63 - 1 if high is None else high
        if number != int(number) or not low <= number <= top:
            span = f"of at least {low}" if high is None else f"from {low} to {high}"
            raise BadParameter(f"{name} must be a whole number {span}, got {_shown(self._given[name])}")
        return int(number)

    def number(self, name: str) -> float | None:
        value = self._given.get(name)
        if isinstance(value, str):
            if not value.strip():
                return None
            try:
                value = float(value)
            except ValueError:
                raise BadParameter(f"{name} must be a number, got {_shown(value)}") from None
        if value is None:
            return None
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or (isinstance(value, float) and not math.isfinite(value))
        ):
            raise BadParameter(f"{name} must be a number, got {_kind(value)}")
        return value

    def ids(self, name: str) -> tuple[int, ...]:
        """Memory ids, each once, in the order given: 482, "#482", a list of either, or "482, 483". At least one."""
        value = self._given.get(name, ())
        if isinstance(value, str):
            value = re.split(r"[,\s]+", value.strip(" []"))
        values: Sequence[object] = value if isinstance(value, (list, tuple)) else (value,)
        found = dict.fromkeys(_memory_id(name, item) for item in values if item != "")
        if not found:
            raise BadParameter(f"{name} is missing", hint="pass the ids a search shows, e.g. 482 for #482")
        if len(found) > MAX_IDS:
            raise BadParameter(f"{name} holds {len(found)} ids", hint=f"at most {MAX_IDS} at once")
        return tuple(found)


def _memory_id(name: str, value: object) -> int:
    match = _ID.match(value) if isinstance(value, str) else None
    number = int(match[1]) if match else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 2**63:
        raise BadParameter(f"{name}: {_shown(value)} is not a memory id", hint="ids are whole numbers, shown as #482")
    return number


def _shown(value: object) -> str:
    """The value for a message; what it is where it could be huge."""
    match value:
        case str():
            return repr(value) if len(value) <= MAX_SHOWN else f"{value[:MAX_SHOWN]!r}..."
        case bool() | float():
            return repr(value)
        case int() if abs(value) < 2**64:
            return repr(value)
        case _:
            return _kind(value)


def _kind(value: object) -> str:
    """What JSON calls the value."""
    match value:
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "an object"
