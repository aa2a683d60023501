"""The store's part that knows who is let in, and what was done with a memory."""

from __future__ import annotations

import apsw

from lodmem.errors import BadParameter, UnknownToken
from lodmem.model.access import AccessToken
from lodmem.model.audit import AuditEntry
from lodmem.stores.sqlite import log
from lodmem.stores.sqlite.core import Core


class Admission(Core):
    """Each method is one snapshot or one transaction."""

    def add_token(self, token: AccessToken, *, audit: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            if conn.execute("SELECT 1 FROM token WHERE name = ?", (token.name,)).get:
                raise BadParameter(f"there is a token {token.name!r} already", hint="revoke it, or take another name")
            _insert(conn, token)
            log.log_audit(conn, [audit])

    def tokens(self) -> list[AccessToken]:
        with self._readers.snapshot() as conn:
            found = conn.execute("SELECT name, agent, space, created_us, digest FROM token ORDER BY name")
            return [
                AccessToken(name=name, agent=agent, space=space, created_us=created, digest=digest)
                for name, agent, space, created, digest in found
            ]

    def revoke_token(self, name: str, *, audit: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            conn.execute("DELETE FROM token WHERE name = ?", (name,))
            if not conn.changes():
                raise UnknownToken(f"there is no token {name!r}", hint="'lodmem token list' shows them")
            log.log_audit(conn, [audit])

    def trail(self, memory_id: int, *, limit: int) -> list[AuditEntry]:
        with self._readers.snapshot() as conn:
            return log.trail(conn, memory_id, limit=limit)


def _insert(conn: apsw.Connection, token: AccessToken) -> None:
    conn.execute(
        "INSERT INTO token (name, agent, space, created_us, digest) VALUES (?, ?, ?, ?, ?)",
        (token.name, token.agent, token.space, token.created_us, token.digest),
    )
