"""The parts of a store that know who is let in over a network, and what was done with a memory."""

from __future__ import annotations

from typing import Protocol

from lodmem.model.access import AccessToken
from lodmem.model.audit import AuditEntry


class Access(Protocol):
    """Tokens by name. A store keeps digests, never what they are digests of; an export holds none."""

    def add_token(self, token: AccessToken, *, audit: AuditEntry) -> None:
        """Keep a token. Raises BadParameter where its name is taken."""
        ...

    def tokens(self) -> list[AccessToken]:
        """All of them by name. Cheap enough to ask with every request: one that is revoked opens nothing from then on."""
        ...

    def revoke_token(self, name: str, *, audit: AuditEntry) -> None:
        """Drop a token. Raises UnknownToken."""
        ...


class Trail(Protocol):
    """What the audit log says of one memory."""

    def trail(self, memory_id: int, *, limit: int) -> list[AuditEntry]:
        """The latest entries that name a memory by its id (`id`, `ids` or `promoted` in their detail), newest first."""
        ...
