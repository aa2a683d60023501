"""A language model that says what a test tells it to."""

from __future__ import annotations

from lodmem.ports import Answer


class Scripted:
    """A language model that gives these answers, or raises them, one after the other."""

    name = "scripted"

    def __init__(self, *script: str | Exception | Answer) -> None:
        self.script = list(script)
        self.asked: list[tuple[str, str, int, str]] = []

    def complete(self, system: str, user: str, *, max_tokens: int, task: str) -> Answer:
        self.asked.append((system, user, max_tokens, task))
        said = self.script.pop(0)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Answer) else Answer(text=said, model=self.name, tokens_in=1, tokens_out=1)
