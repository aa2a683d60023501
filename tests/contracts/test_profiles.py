"""Profiles and who uses which."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import pytest
from contract_kit import SMALL, add, entry, prepared

from lodmem.errors import UnknownProfile
from lodmem.model.memory import Tier
from lodmem.model.profile import DEFAULT_PROFILE, PRESETS, Profile
from lodmem.ports import Store


def test_the_presets_are_there_from_the_start(store: Store) -> None:
    assert store.profiles() == dict(PRESETS)


def test_a_saved_profile_comes_back_whole(open_store: Callable[[], Store]) -> None:
    mine = Profile(
        name="mine",
        alpha=0.123456789,
        k=7,
        budget=640,
        relevance="cosine",
        floors=MappingProxyType({"tag:übung": Tier.SUMMARY, "kind:semantic": Tier.FULL}),
        locked=("alpha",),
        bounds=MappingProxyType({"k": (1.0, 9.0)}),
    )
    store = open_store()
    store.save_profile(mine, audit=entry("profile"))
    assert store.profiles() == {**PRESETS, "mine": mine}
    assert open_store().profiles()["mine"] == mine
    assert store.audit_log()[-1].verb == "profile"


def test_saving_again_replaces(store: Store) -> None:
    store.save_profile(Profile(name="mine", k=1), audit=entry())
    store.save_profile(Profile(name="mine", k=2), audit=entry())
    assert store.profiles()["mine"].k == 2


def test_a_preset_can_be_replaced(store: Store) -> None:
    store.save_profile(Profile(name=DEFAULT_PROFILE, k=5), audit=entry())
    assert store.profiles()[DEFAULT_PROFILE].k == 5
    assert len(store.profiles()) == len(PRESETS)


def test_an_agent_has_the_default_profile_until_it_gets_another(store: Store) -> None:
    add(store, prepared("one", agent="writer"))
    assert [store.agent_profile(name) for name in ("never seen", "writer")] == [DEFAULT_PROFILE] * 2
    store.set_agent_profile("writer", "digest", audit=entry("agent"))
    store.set_agent_profile("reader", "seed", audit=entry())
    assert [store.agent_profile(name) for name in ("writer", "reader", "other")] == ["digest", "seed", DEFAULT_PROFILE]
    store.set_agent_profile("writer", "research", audit=entry())
    assert store.agent_profile("writer") == "research"


def test_an_unknown_profile_is_refused(store: Store) -> None:
    with pytest.raises(UnknownProfile, match="'nope'"):
        store.set_agent_profile("ann", "nope", audit=entry())
    assert store.agent_profile("ann") == DEFAULT_PROFILE
    assert store.audit_log() == []


def test_settings_changed_by_another_are_seen_at_once(open_store: Callable[[], Store]) -> None:
    """Every search asks for them, so a store remembers them, and must notice what others do."""
    one, other = open_store(), open_store()
    for k in (3, 4):
        for writing, reading in ((one, other), (other, one)):
            writing.save_profile(Profile(name="mine", k=k), audit=entry())
            writing.set_agent_profile("a", "mine" if k == 3 else "seed", audit=entry())
            for store in (reading, writing):
                assert store.profiles()["mine"].k == k
                assert store.agent_profile("a") == ("mine" if k == 3 else "seed")
    one.activate_model(SMALL, audit=entry())
    assert other.active_model() == one.active_model() == SMALL.key
    other.set_calibration((0.1, 0.6), audit=entry())
    assert one.calibration() == other.calibration() == (0.1, 0.6)
    one.activate_model(None, audit=entry())
    assert other.active_model() == ""
    assert other.calibration() is None


def test_what_is_told_of_profiles_belongs_to_who_asked(store: Store) -> None:
    store.profiles().clear()
    assert store.profiles() == dict(PRESETS)
