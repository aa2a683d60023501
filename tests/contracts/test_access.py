"""Who is let in, and what was done with a memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from contract_kit import NOW, add, entry, prepared

from lodmem.errors import BadParameter, UnknownToken
from lodmem.model.access import AccessToken
from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Tier
from lodmem.ports import Store


def token(name: str, *, space: str | None = None, digest: bytes | None = None) -> AccessToken:
    return AccessToken(name=name, agent="scout", space=space, created_us=NOW, digest=digest or name.encode().ljust(32, b"."))


def test_tokens_come_back_whole_by_name(open_store: Callable[[], Store]) -> None:
    kept = [token("übung", space="acme/lab"), token("a b"), token("zebra", digest=bytes(range(32)))]
    store = open_store()
    for each in kept:
        store.add_token(each, audit=entry("add_token", name=each.name))
    assert store.tokens() == sorted(kept, key=lambda each: each.name)
    assert open_store().tokens() == store.tokens()
    assert [each.detail["name"] for each in store.audit_log()] == [each.name for each in kept]


def test_a_name_is_given_once(store: Store) -> None:
    store.add_token(token("laptop"), audit=entry())
    with pytest.raises(BadParameter, match="'laptop'"):
        store.add_token(token("laptop", space="acme", digest=b"other"), audit=entry())
    assert store.tokens() == [token("laptop")]
    assert len(store.audit_log()) == 1


def test_a_revoked_token_is_gone_for_all(open_store: Callable[[], Store]) -> None:
    store, other = open_store(), open_store()
    for name in ("one", "two"):
        store.add_token(token(name), audit=entry())
    assert len(other.tokens()) == 2
    store.revoke_token("one", audit=entry("revoke_token"))
    assert [each.name for each in other.tokens()] == ["two"]
    with pytest.raises(UnknownToken, match="'one'"):
        store.revoke_token("one", audit=entry())
    store.add_token(token("one"), audit=entry())
    assert [each.name for each in other.tokens()] == ["one", "two"]


@pytest.mark.parametrize("bad", ["", " ", "x" * 101, "new\nline", "\u202e"])
def test_names_are_printable(bad: str) -> None:
    with pytest.raises(BadParameter, match="name"):
        token(bad)


def test_a_space_must_be_one() -> None:
    with pytest.raises(BadParameter, match="not a space"):
        token("x", space="a//b")


def test_the_trail_of_a_memory(store: Store) -> None:
    ids = add(store, *(prepared(f"text {n}") for n in range(12)))
    one, two = ids[0], ids[11]  # 1 and 12: digits of one stand in the other
    store.set_floor([one], Tier.FULL, for_agent="", audit=entry("promote", ids=[one]))
    store.audit(entry("search", ids=[two, one], promoted=[one]))
    store.audit(entry("search", ids=[two], promoted=[]))
    store.audit(entry("search", ids=[], promoted=[one]))
    store.audit(entry("other", text="1", ids="1", number=1))
    found = store.trail(one, limit=10)
    assert [each.verb for each in found] == ["search", "search", "promote", "remember"]
    assert [each.seq for each in found] == sorted((each.seq for each in found), reverse=True)
    assert all(isinstance(each, AuditEntry) for each in found)
    assert store.trail(one, limit=2) == found[:2]
    assert [each.verb for each in store.trail(two, limit=10)] == ["search", "search", "remember"]
    assert store.trail(999, limit=10) == []
