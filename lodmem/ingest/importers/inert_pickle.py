"""Plain values out of a pickle, without running it: no class is looked up, nothing is called, whatever the pickle asks for.

The instructions are read by the standard library's disassembler, and only those that make texts, numbers, lists and
dictionaries are followed. An object becomes the dictionary of its attributes.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from typing import Any

MAX_STEPS = 500_000


class PickleError(ValueError):
    """The pickle is damaged, or is made of what plain values are not made of."""


class _Machine:
    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def above_mark(self) -> list[Any]:
        at = self.marks.pop()
        found = self.stack[at:]
        del self.stack[at:]
        return found

    def set_items(self, pairs: list[Any]) -> None:
        target = self.stack[-1]
        if isinstance(target, dict):
            target.update(
                (key, value) for key, value in zip(pairs[::2], pairs[1::2], strict=True) if isinstance(key, (str, int))
            )

    def extend(self, values: list[Any]) -> None:
        if isinstance(self.stack[-1], list):
            self.stack[-1].extend(values)

    def build(self) -> None:
        """The state of an object: its attributes, or a pair or a dictionary that has them under __dict__."""
        state = self.stack.pop()
        state = state[0] if isinstance(state, tuple) and state else state
        if isinstance(state, dict) and isinstance(self.stack[-1], dict):
            inner = state.get("__dict__")
            self.stack[-1].update(inner if isinstance(inner, dict) else state)

    def make(self, count: int) -> None:
        """A class's name and arguments, `count` values, give place to the dictionary that waits for the attributes."""
        self.tie(count)
        self.stack[-1] = {}

    def tie(self, count: int) -> None:
        """The last `count` values become one."""
        if len(self.stack) < count:
            raise PickleError("it is damaged")
        values = tuple(self.stack[len(self.stack) - count :])
        del self.stack[len(self.stack) - count :]
        self.stack.append(values)


_Step = Callable[[_Machine, Any], object]
_PUSH: _Step = lambda machine, argument: machine.stack.append(argument)  # noqa: E731
_VALUES = (
    "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES",
    "SHORT_BINBYTES", "BINBYTES8",
)  # fmt: skip
# Every step that is followed; a pickle with another one is refused.
_STEPS: dict[str, _Step] = {
    **dict.fromkeys(_VALUES, _PUSH),
    "PROTO": lambda _, __: None,
    "FRAME": lambda _, __: None,
    "NONE": lambda machine, _: machine.stack.append(None),
    "NEWTRUE": lambda machine, _: machine.stack.append(True),
    "NEWFALSE": lambda machine, _: machine.stack.append(False),
    "EMPTY_DICT": lambda machine, _: machine.stack.append({}),
    "EMPTY_LIST": lambda machine, _: machine.stack.append([]),
    "EMPTY_SET": lambda machine, _: machine.stack.append([]),
    "EMPTY_TUPLE": lambda machine, _: machine.stack.append(()),
    "MARK": lambda machine, _: machine.marks.append(len(machine.stack)),
    "MEMOIZE": lambda machine, _: machine.memo.setdefault(len(machine.memo), machine.stack[-1]),
    "BINPUT": lambda machine, at: machine.memo.update({at: machine.stack[-1]}),
    "LONG_BINPUT": lambda machine, at: machine.memo.update({at: machine.stack[-1]}),
    "BINGET": lambda machine, at: machine.stack.append(machine.memo[at]),
    "LONG_BINGET": lambda machine, at: machine.stack.append(machine.memo[at]),
    "APPEND": lambda machine, _: machine.extend([machine.stack.pop()]),
    "APPENDS": lambda machine, _: machine.extend(machine.above_mark()),
    "ADDITEMS": lambda machine, _: machine.extend(machine.above_mark()),
    "SETITEM": lambda machine, _: machine.set_items([machine.stack.pop(-2), machine.stack.pop()]),
    "SETITEMS": lambda machine, _: machine.set_items(machine.above_mark()),
    "TUPLE": lambda machine, _: machine.stack.append(tuple(machine.above_mark())),
    "TUPLE1": lambda machine, _: machine.tie(1),
    "TUPLE2": lambda machine, _: machine.tie(2),
    "TUPLE3": lambda machine, _: machine.tie(3),
    "GLOBAL": lambda machine, _: machine.make(0),
    "STACK_GLOBAL": lambda machine, _: machine.make(2),
    "NEWOBJ": lambda machine, _: machine.make(2),
    "NEWOBJ_EX": lambda machine, _: machine.make(3),
    "REDUCE": lambda machine, _: machine.make(2),
    "BUILD": lambda machine, _: machine.build(),
}


def plain(raw: bytes) -> Any:
    """The value in a pickle. Raises PickleError."""
    machine = _Machine()
    try:
        for count, (opcode, argument, _) in enumerate(pickletools.genops(raw)):
            if count > MAX_STEPS:
                raise PickleError(f"it has more than {MAX_STEPS:,} steps")
            if opcode.name == "STOP":
                return machine.stack.pop()
            if opcode.name not in _STEPS:
                raise PickleError(f"it has a step that plain values do not need ({opcode.name})")
            _STEPS[opcode.name](machine, argument)
    except (ValueError, IndexError, KeyError, TypeError, OverflowError) as error:
        raise error if isinstance(error, PickleError) else PickleError("it is damaged") from None
    raise PickleError("it has no end")
