"""Columns as bytes: `LODP`, the length of a header, the header in JSON, then each column at a multiple of 8, little-endian.

A browser reads them in place. The format is told in docs/reference/plane-data.md.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"LODP"
FORMAT = 1
WIDE = ("id", "superseded_by")
NAMES = {"<f4": "f4", "<f8": "f8", "|u1": "u1", "<u2": "u2", "<u4": "u4"}
LEAST = {
    "count": np.dtype("<u2"),
    "tokens_full": np.dtype("<u2"),
    "tokens_summary": np.dtype("<u2"),
    "tokens_headline": np.dtype("<u2"),
}
ROOM = 24  # bytes of an offset that is not known while the header is measured


def packed(header: Mapping[str, Any], columns: Mapping[str, NDArray[np.generic]]) -> bytes:
    """One answer with all columns, which have the same length."""
    ready = {name: narrow(name, values) for name, values in columns.items()}
    listed = [{"name": name, "dtype": NAMES[values.dtype.str], "offset": 0} for name, values in ready.items()]
    facts = {"format": FORMAT, **header, "columns": listed}
    length = _padded(len(_encoded(facts)) + ROOM * len(listed))
    offset, parts = 8 + length, []
    for entry, values in zip(listed, ready.values(), strict=True):
        entry["offset"] = offset
        size = _padded(values.nbytes)
        parts.append(values.tobytes().ljust(size, b"\0"))
        offset += size
    return b"".join((MAGIC, struct.pack("<I", length), _encoded(facts).ljust(length), *parts))


def narrow(name: str, values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Whole numbers in the smallest type that holds them all, others as they are; ids are never rounded."""
    if values.dtype.kind == "f":
        return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    highest = int(values.max(initial=0))
    if name in WIDE:
        return np.ascontiguousarray(values, dtype="<u4" if highest < 1 << 32 else "<f8")
    fitting = np.dtype("|u1") if highest < 1 << 8 else np.dtype("<u2") if highest < 1 << 16 else np.dtype("<u4")
    return np.ascontiguousarray(values, dtype=max(fitting, LEAST.get(name, fitting), key=lambda dtype: dtype.itemsize))


def _encoded(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _padded(size: int) -> int:
    return -(-size // 8) * 8
