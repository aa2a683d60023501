"""One engine in several hands: an agent's own name, and a space that nothing leads out of."""

from __future__ import annotations

import pytest

from lodmem.acting import Acting
from lodmem.engine import Engine
from lodmem.errors import BadParameter, UnknownMemory
from lodmem.model.memory import Draft, Source
from tests.conftest import MakeEngine


@pytest.fixture
def engine(make_engine: MakeEngine) -> Engine:
    """Two memories in acme, one beside it, one elsewhere."""
    engine = make_engine()
    for space, text in (("acme", "green tea"), ("acme/lab", "boiled tea"), ("acmeter", "strange tea"), ("main", "black tea")):
        engine.remember(text, space=space)
    engine.drain()
    return engine


def hands(engine: Engine, space: str | None = "acme") -> Acting:
    return Acting.of(engine, agent="scout", space=space)


def test_everywhere_means_everywhere(engine: Engine) -> None:
    scout = hands(engine, None)
    assert (scout.agent, scout.space) == ("scout", "main")
    assert set(scout.recent().ids) == {1, 2, 3, 4}
    assert scout.remember("a note").id == 5
    assert engine.expand(5, touch=False)[0].agent == "scout"


@pytest.mark.req("R13.4")
def test_a_space_bounds_every_look(engine: Engine) -> None:
    scout = hands(engine)
    for found in (
        scout.recent(), scout.unseen(), scout.important(), scout.window("today"), scout.random(9), scout.search("tea"),
        scout.search("tea", as_of="tomorrow"), scout.search("tea", status=["active"]),
    ):  # fmt: skip
        assert set(found.ids) <= {1, 2}
        assert found.ids
    assert {i for i, _, _ in scout.rank("tea")} == {1, 2}
    assert scout.plane().columns["id"].tolist() == [1, 2]
    assert scout.relevance_of_all("tea").n == scout.tiers_of_all("tea").n == scout.plane_more(["importance"]).n == 2
    assert scout.texts([1, 3, 4]).keys() == {1}
    assert scout.facts()["memories"] == 2
    assert [near.id for near in scout.about(1, similar=9).similar] == [2]
    assert scout.audit_list("never-looked-at", days=0).total == 0
    assert set(scout.changes(0).written) <= {1, 2}


@pytest.mark.parametrize("space", ["main", "acmeter", "acm", "acme/../main"])
def test_another_space_cannot_be_named(engine: Engine, space: str) -> None:
    scout = hands(engine)
    with pytest.raises(BadParameter):
        scout.search("tea", space=space)
    with pytest.raises(BadParameter):
        scout.plane(space=space)
    with pytest.raises(BadParameter):
        scout.remember("planted", space=space)
    with pytest.raises(BadParameter):
        scout.remember_many([Draft(full="planted", space=space)])
    assert engine.stats().memories == 4


@pytest.mark.req("R13.4")
def test_no_memory_elsewhere_can_be_touched(engine: Engine) -> None:
    scout = hands(engine)
    for touch in (
        lambda: scout.expand(1, 3), lambda: scout.promote(4, to="full"), lambda: scout.demote(4), lambda: scout.forget(3),
        lambda: scout.supersede(1, 3), lambda: scout.supersede(3, 1), lambda: scout.about(4), lambda: scout.explain(4, "tea"),
    ):  # fmt: skip
        with pytest.raises(UnknownMemory):
            touch()
    assert [memory.floor for memory in engine.expand(3, 4, touch=False)] == [0, 0]


def test_the_log_is_bounded_and_pages(engine: Engine) -> None:
    scout = hands(engine)
    scout.promote(1, to="full")
    engine.promote(4, to="full")
    entries = scout.audit_log()
    assert {entry.space for entry in entries} == {"acme", "acme/lab"}
    assert [entry.verb for entry in scout.audit_log(limit=2)] == ["remember", "remember"]
    assert scout.audit_log(after=entries[-1].seq) == []


def test_closing_hands_closes_nothing(engine: Engine) -> None:
    with hands(engine) as scout:
        scout.recent()
    assert engine.recent().ids


def test_all_hands_share_the_columns(engine: Engine) -> None:
    assert hands(engine)._scan is hands(engine, None)._scan is engine._scan


@pytest.mark.req("R13.4")
def test_names_from_elsewhere_are_not_told(engine: Engine) -> None:
    engine.remember("rum", space="secret/plans", agent="spy", source=Source("hidden.md", "deep", 1))
    engine.remember("milk", space="acme", source=Source("shown.md", "flat", 1))
    engine.drain()
    engine.make_map(rebuild=True)
    engine.search("milk in secret plans")
    engine.search("milk alone", space="acme")
    engine._recorder.flush()
    scout = hands(engine)
    told = str((scout.plane().facts, scout.plane_more(["source"]).facts, scout.about(6, similar=5), scout.audit_log()))
    for word in ("secret", "spy", "hidden", "deep", "rum"):
        assert word not in told, word
    for word in ("acme/lab", "shown.md", "milk alone"):
        assert word in told, word
    everything = str((engine.plane().facts, engine.plane_more(["source"]).facts))
    assert "secret/plans" in everything
    assert "hidden.md" in everything
