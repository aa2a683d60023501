"""The tools without a process: which budget a search gets, and what writing and promoting hand on."""

from __future__ import annotations

import pytest

from lodmem.engine import Engine
from lodmem.errors import BadParameter
from lodmem.mcp_server.calls import Calls, default_budget
from lodmem.mcp_server.tools import MAX_BUDGET
from lodmem.model.memory import Tier
from lodmem.model.profile import Profile
from lodmem.models.tokenizer import WordPieceCounter
from tests.conftest import MakeEngine


@pytest.fixture
def engine(make_engine: MakeEngine) -> Engine:
    made = make_engine()
    for number in range(40):
        made.remember(f"Buoy {number} was painted red and checked for rust before the regatta of the sailing club began.")
    return made


def calls(engine: Engine, budget: int = 6000, *, read_only: bool = False) -> Calls:
    return Calls(lambda: engine, default_budget=budget, read_only=read_only)


@pytest.mark.parametrize(
    ("profile", "want"),
    [
        (Profile(name="p"), 6000),
        (Profile(name="p", budget=500), None),
        (Profile(name="p", budget=500, locked=("budget",)), None),
        (Profile(name="p", budget=50_000), 6000),
        (Profile(name="p", bounds={"budget": (100, 2000)}), 2000),
        (Profile(name="p", bounds={"budget": (8000, 90_000)}), 8000),
        (Profile(name="p", bounds={"budget": (30_000, 90_000)}), MAX_BUDGET),
    ],
)
def test_the_default_budget_respects_the_profile(profile: Profile, want: int | None) -> None:
    assert default_budget(profile, 6000) == want


@pytest.mark.req("R3.26")
def test_a_search_spends_the_default_its_own_or_the_profiles_budget(engine: Engine) -> None:
    def spent(**given: object) -> int:
        return WordPieceCounter().count(calls(engine, 300).search({"query": "red buoys", **given}))

    assert 150 < spent() <= 300
    assert 300 < spent(budget=900) <= 900
    engine.save_profile(Profile(name="tight", budget=128, locked=("budget",)))
    engine.use_profile("tight")
    assert 64 < spent() <= 128


def test_promote_steps_up_pins_and_takes_back(engine: Engine) -> None:
    tools = calls(engine)
    assert tools.promote({"id": "#3"}) == "#3 is now shown at headline or better."
    assert tools.promote({"id": 3, "to": "full"}) == "#3 is now shown at full or better."
    assert engine.expand(3, touch=False)[0].floor is Tier.FULL
    assert tools.promote({"id": 3, "to": "none"}) == "#3 is shown as its score deserves again."
    assert engine.expand(3, touch=False)[0].floor is Tier.HORIZON


def test_remember_hands_on_what_it_was_given(engine: Engine) -> None:
    answer = calls(engine).remember(
        {"text": " Tar, \r\n two tins ", "kind": "procedural", "tags": "shed", "created_at": "2024-02-03", "importance": "0.75"}
    )
    assert answer == "Remembered as #41."
    (memory,) = engine.expand(41, touch=False)
    assert (memory.full, memory.kind, memory.tags) == (" Tar, \r\n two tins ", "procedural", ("shed",))
    assert (memory.importance, memory.created_at.date().isoformat(), memory.created_given) == (0.75, "2024-02-03", True)


def test_what_is_shown_counts_as_used_once_unless_read_only(engine: Engine) -> None:
    calls(engine, read_only=True).expand({"ids": [5]})
    calls(engine).expand({"ids": [5], "offset": 10})  # going on reading is not another use
    calls(engine).expand({"ids": [5, 6]})
    engine.audit_log()  # waits for what is being noted
    assert [memory.retrieval_count for memory in engine.expand(5, 6, 7, touch=False)] == [1, 1, 0]


def test_a_read_only_server_has_no_writing_tools(engine: Engine) -> None:
    assert set(calls(engine, read_only=True).by_name) == {"memory_search", "memory_expand"}
    assert set(calls(engine).by_name) == {"memory_search", "memory_expand", "memory_promote", "memory_remember"}


@pytest.mark.parametrize(
    "given", [{"query": "x", "mode": "random"}, {"query": "x", "offset": 2}, {"mode": "random", "offset": 2}]
)
def test_what_does_not_go_together_is_refused(engine: Engine, given: dict[str, object]) -> None:
    with pytest.raises(BadParameter) as caught:
        calls(engine).search(given)
    assert caught.value.hint
