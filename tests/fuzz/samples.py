"""A few memories in several languages and scripts, full of what other programs take for syntax."""

from __future__ import annotations

from lodmem.engine import Engine
from lodmem.errors import LodmemError, StoreError
from lodmem.model.memory import Source

TEXTS = (
    "The ferry to the island leaves at nine from pier C++ and C#.",
    'Call +49 30 1234567 or write to ada@example.org, said "Ada".',
    "Die Prüfung wurde auf den 3. März 2024 verschoben.",
    "会议在三月三日举行。",
    "الاجتماع يوم الأحد",
    "rm -rf / ; SELECT * FROM memory WHERE 1=1 -- NEAR(a b)",
    "A long one. " + "Then this happened, and after it that happened as well. " * 60,
)


def fill(engine: Engine) -> None:
    for n, text in enumerate(TEXTS):
        engine.remember(text, source=Source("talk", "", n), tags=["tag", f"t{n}"], created_at=f"2024-03-0{n + 1}")


def says_what_is_wrong(error: LodmemError) -> None:
    """A sentence, and for a store also what to do about it."""
    assert len(error.message) > 5
    assert error.hint or not isinstance(error, StoreError)
    str(error).encode("utf-8", "backslashreplace")
