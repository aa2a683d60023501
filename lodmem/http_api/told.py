"""Values of the model as JSON, where no shape of their own was written down: fields by name, moments as ISO 8601."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from lodmem.errors import LodmemError
from lodmem.model import plain
from lodmem.model.memory import Memory, Tier


def told(value: Any) -> Any:
    """A value with everything in it. A field `x_us` becomes `x_at`; a memory is told as everywhere."""
    match value:
        case Memory():
            return plain.memory(value)
        case LodmemError():
            return {"code": value.code, "message": value.message, "hint": value.hint}
        case Tier():
            return value.label
        case Enum():
            return value.value
        case bool() | int() | float() | str() | None:
            return value
        case np.generic():
            return value.item()
        case Mapping():
            return {str(told(key)): told(each) for key, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [told(each) for each in value]
        case _ if is_dataclass(value):
            return dict(_field(each.name, getattr(value, each.name)) for each in fields(value) if each.repr)
        case _:
            return str(value)


def _field(name: str, value: Any) -> tuple[str, Any]:
    if name.endswith("_us") and (value is None or isinstance(value, int)):
        return name.removesuffix("_us") + "_at", plain.moment(value)
    return name, told(value)
