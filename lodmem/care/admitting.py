"""The engine's verbs about tokens: who is let in over a network, and as whom."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from lodmem.care.base import Verbs
from lodmem.model.access import AccessToken

PREFIX = "lodmem_"
SECRET_BYTES = 32
MAX_TOKEN = 200


class Admitting(Verbs):
    """What of an engine has to do with tokens. Their text is shown once, and kept nowhere."""

    def add_token(self, name: str, *, agent: str | None = None, space: str | None = None) -> str:
        """Let somebody in as an agent (this one by default), to one space and those below it, or everywhere; the token's text.

        Raises BadParameter where the name is taken or cannot be used.
        """
        self._refuse_read_only()
        text, now = PREFIX + secrets.token_urlsafe(SECRET_BYTES), self._clock.now_us()
        token = AccessToken(name=name, agent=agent or self.agent, space=space, created_us=now, digest=_digest(text))
        self._store.add_token(token, audit=self._entry("add_token", {"name": name, "agent": token.agent, "space": space}, now))
        return text

    def tokens(self) -> list[AccessToken]:
        """All tokens by name; their texts are nowhere."""
        return self._store.tokens()

    def revoke_token(self, name: str) -> None:
        """Let a token open nothing any more. Raises UnknownToken."""
        self._refuse_read_only()
        self._store.revoke_token(name, audit=self._entry("revoke_token", {"name": name}, self._clock.now_us()))

    def admit(self, text: str) -> AccessToken | None:
        """The token with this text. How long it takes says nothing about any token."""
        if len(text) > MAX_TOKEN:
            return None
        digest, found = _digest(text), None
        for token in self._store.tokens():
            if hmac.compare_digest(token.digest, digest):
                found = token
        return found


def _digest(text: str) -> bytes:
    # A token is 256 random bits: nothing slower than one SHA-256 makes guessing it harder.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
