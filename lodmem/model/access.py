"""Who is let in over a network: a token's name, whose hands it is, and what it may reach. Never the token itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from lodmem.errors import BadParameter
from lodmem.model.memory import check_space

MAX_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """What a store keeps of a token. `digest`: SHA-256 of its text. `space` None: the whole store, its care included; else this
    space and those below it alone. Raises BadParameter."""

    name: str
    agent: str
    space: str | None
    created_us: int
    digest: bytes = field(repr=False)

    def __post_init__(self) -> None:
        for what, text in (("a token's", self.name), ("an agent's", self.agent)):
            if not text.strip() or len(text) > MAX_NAME or not text.isprintable():
                raise BadParameter(f"{text[:MAX_NAME]!r} is not {what} name", hint=f"1 to {MAX_NAME} printable characters")
        if self.space is not None:
            check_space(self.space)
