"""An entry of the audit log. It holds ids and parameters, never memory text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """`seq` is 0 until the store has written it. `detail` is JSON-ready.

    The text of a search stands in it as `query` until a memory that it showed is forgotten.
    """

    seq: int = 0
    at_us: int
    space: str
    agent: str
    verb: str
    detail: Mapping[str, object]
