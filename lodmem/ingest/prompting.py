"""Prompts, which are files beside this one, and asking with them: one task a call, and once more where the answer is no use."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypeVar

from lodmem.errors import ModelBadAnswer
from lodmem.ports import LanguageModel

_T = TypeVar("_T")
_HEAD = re.compile(r"([a-z_-]+), version (\d+)\Z")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """`system` says who the model is, `user` what is asked of it, `again` is added after an answer that was no use."""

    name: str
    version: int
    system: str
    user: str
    again: str

    def filled(self, **values: object) -> tuple[str, str, str]:
        """System, user, again with `{name}` replaced by its value. A text cannot close its own `<text>`."""

        def fill(template: str) -> str:
            return _SLOT.sub(lambda slot: str(values[slot[1]]).replace("</text>", "</ text>"), template)

        return fill(self.system), fill(self.user), fill(self.again)


@cache
def load(name: str) -> Prompt:
    """The prompt in prompts/NAME.md: a header line, then system, user and again, each after a line `---`."""
    file = resources.files("lodmem.ingest") / "prompts" / f"{name}.md"
    head, system, user, again = (
        part.strip() for part in re.split(r"^---$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    )
    match = _HEAD.match(head)
    if match is None or match[1] != name:
        raise ValueError(f"{name}.md does not begin with '{name}, version N'")
    return Prompt(name, int(match[2]), system, user, again)


def ask(
    model: LanguageModel, prompt: Prompt, read: Callable[[str], _T | None], *, max_tokens: int, **values: object
) -> _T | None:
    """What `read` makes of the model's answer; None when twice nothing could be made of it.

    An answer that was cut off is no use. Raises ModelError, but for an answer that nobody can read: that counts as no use.
    """
    system, user, again = prompt.filled(**values)
    for question in (user, f"{user}\n\n{again}"):
        try:
            answer = model.complete(system, question, max_tokens=max_tokens, task=prompt.name)
        except ModelBadAnswer:
            continue
        found = None if answer.cut else read(answer.text)
        if found is not None:
            return found
    return None
