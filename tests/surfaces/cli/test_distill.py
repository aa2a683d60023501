"""`distill` and `knowledge` at the command line: runs, a person's word, the log, what forgetting takes along."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, chat_server, says, status

pytestmark = pytest.mark.req("R5.16")

TILL = "The till of the shop closes at 18:30 on Saturdays."
DOUGH = "The rye dough failed because the cellar in Lindau was cold."
RULE = "Nora: Always answer me in English, even in the shop."


@pytest.fixture
def told(lodmem: Any) -> Any:
    """A store with two facts, a rule and some talk."""
    for text in (TILL, DOUGH, RULE, "ok thanks!"):
        lodmem("remember", text)
    return lodmem


def test_it_says_what_it_did(told: Any) -> None:
    result = told("distill")
    assert result.stdout.splitlines() == [
        "4 episodes, 1 noise, 1 constitutional, 3 extracted, 3 added, 1 waiting (by extractive)",
        "state what somebody holds to, for you to read: #3",
    ]
    assert "1 wait for you" in result.stderr
    assert told("distill").stdout == "0 episodes (by extractive)\n"


def test_as_json(told: Any, lodmem_json: Any) -> None:
    done = lodmem_json("distill")
    assert (done["run"], done["writer"], done["episodes"], done["added"], done["left"]) == (1, "extractive", 4, 3, 0)
    assert (done["skipped"], done["updated"], done["unparsable"], done["rejected"], done["unfaithful"]) == (0, 0, 0, 0, 0)
    assert done["patterns"][0] == {"id": 5, "text": TILL, "importance": 0.45, "episodes": [1], "waits": False}
    assert done["constitutional_episodes"] == [3]


def test_a_trial_run_shows_and_stores_nothing(told: Any, lodmem_json: Any) -> None:
    lines = told("distill", "--dry-run").stdout.splitlines()
    assert lines[0].startswith("trial run, nothing stored: 4 episodes")
    assert f"  0.45  {TILL}  [#1]" in lines
    assert lodmem_json("knowledge") == {"knowledge": []}
    assert lodmem_json("distill", "log")["runs"] == []


@pytest.mark.req("R5.17")
def test_knowledge_is_listed_best_first(told: Any, lodmem_json: Any) -> None:
    assert "nothing is known yet" in told("knowledge").stderr
    told("distill")
    first, second = told("knowledge").stdout.splitlines()
    assert first.endswith(DOUGH)
    assert second == f"0.45  #5  {TILL}"
    (best,) = lodmem_json("knowledge", "--limit", 1)["knowledge"]
    assert (best["text"], best["episodes"], best["evidence_count"], best["space"]) == (DOUGH, [2], 1, "main")
    assert 0.47 < best["worth"] <= best["importance"] == 0.48
    assert best["distilled_at"]
    assert told("knowledge", "--space", "elsewhere").stdout == ""


def test_a_person_decides_by_id(told: Any, lodmem_json: Any) -> None:
    told("distill", "--review")
    waiting = lodmem_json("distill", "review")["waiting"]
    assert [each["text"] for each in waiting] == [TILL, DOUGH, RULE]
    ids = [each["id"] for each in waiting]
    said = told("distill", "review", "--accept", ids[0], "--reject", f"#{ids[1]}")
    assert said.stdout == "1 accepted, 1 rejected, 1 wait\n"
    assert [each["id"] for each in lodmem_json("knowledge")["knowledge"]] == [ids[0]]
    assert told("distill", "review").stdout == f"#{ids[2]}  0.90  {RULE}  [#3]\n"
    assert "no distilled pattern" in told("distill", "review", "--accept", 1, expect=2).stderr
    assert "no memory #99" in told("distill", "review", "--reject", 99, expect=3).stderr


def test_a_person_is_asked_at_a_terminal(told: Any, lodmem_json: Any, at_terminal: Any) -> None:
    code, screen = at_terminal("distill", "--review", typed=b"y\nn\n\n")
    assert code == 0, screen
    assert screen.count("accept? y, n, later") == 3
    assert "2 decided, 1 wait" in screen
    assert [each["text"] for each in lodmem_json("knowledge")["knowledge"]] == [TILL]
    code, screen = at_terminal("distill", "review", typed=b"y\n")
    assert "1 decided, 0 wait" in screen
    assert len(lodmem_json("knowledge")["knowledge"]) == 2


def test_the_log_of_runs(told: Any, lodmem_json: Any) -> None:
    told("distill")
    told("distill")
    second, first = lodmem_json("distill", "log")["runs"]
    assert (first["run"], first["episodes"], first["noise"], first["added"], first["stopped"]) == (1, 4, 1, 3, "")
    assert (second["run"], second["episodes"]) == (2, 0)
    assert first["ended_at"] >= first["begun_at"]
    page = [" ".join(line.split()) for line in told("distill", "log", "--limit", 1).stdout.splitlines()]
    assert page[0] == "run begun by episodes"
    assert page[-1] == "episodes that state what somebody holds to: #3"


def test_options_of_a_run_do_not_go_with_a_command_below(told: Any) -> None:
    assert "belong to 'lodmem distill' alone" in told("distill", "--review", "log", expect=2).stderr


def test_forgetting_says_which_patterns_go_too(told: Any, lodmem_json: Any) -> None:
    told("distill")
    result = told("forget", 1, "--yes")
    assert result.stdout.splitlines() == ["forgotten: 2", f"#1  {TILL}", f"#5  {TILL} (a pattern that stands on it)"]
    assert lodmem_json("forget", 2, "--yes") == {"forgotten": 2, "ids": [2, 6]}


def test_texts_are_harmless_on_a_terminal(lodmem: Any) -> None:
    lodmem("remember", "The till of the shop \x1b[2Jcloses at 18:30 on Saturdays.")
    for args in (("distill", "--dry-run"), ("distill", "--review"), ("distill", "review"), ("knowledge",)):
        assert "\x1b" not in lodmem(*args).stdout


# -- with a model ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        made.reply = lambda system, user: (
            json.dumps([TILL]) if "as a JSON array of patterns" in user else "[0.7]" if "numbers" in user else TILL
        )
        yield made


@pytest.fixture
def model(server: ChatServer) -> dict[str, str]:
    return {"LODMEM_LLM": "openai:tiny", "LODMEM_LLM_URL": server.url}


def test_with_a_model_and_principles(
    lodmem: Any, lodmem_json: Any, server: ChatServer, model: dict[str, str], tmp_path: Path
) -> None:
    lodmem("remember", TILL)
    file = tmp_path / "held.md"
    assert "there is no file" in lodmem("distill", **model, LODMEM_PRINCIPLES=str(file), expect=3).stderr
    file.write_text("Bread before money.", encoding="utf-8")
    done = lodmem_json("distill", **model, LODMEM_PRINCIPLES=str(file))
    assert (done["writer"], done["added"], done["patterns"][0]["importance"]) == ("tiny", 1, 0.7)
    assert all("Bread before money." in request["messages"][0]["content"] for request in server.requests)


def test_what_is_no_use_is_told_and_can_be_taken_up_again(lodmem: Any, server: ChatServer, model: dict[str, str]) -> None:
    lodmem("remember", TILL)
    server.script = [says("I'm sorry, but I can't do that.")] * 2
    assert "1 unparsable" in lodmem("distill", **model).stdout
    assert "1 added" in lodmem("distill", "--again", **model).stdout


def test_the_cap_and_a_model_that_is_away(lodmem: Any, server: ChatServer, model: dict[str, str]) -> None:
    lodmem("remember", TILL)
    result = lodmem("distill", **model, LODMEM_LLM_CAP="day=20")
    assert "spend cap a day" in result.stderr
    assert "1 episodes are left" in result.stderr
    server.script = [status(401)]
    assert "401" in lodmem("distill", **model, expect=5).stderr
    assert "1 added" in lodmem("distill", "--extractive", **model).stdout


def test_a_bar_at_a_terminal(at_terminal: Any, lodmem: Any) -> None:
    for n in range(5):
        lodmem("remember", f"{TILL} {n}")
    code, screen = at_terminal("distill")
    assert code == 0
    assert "distilling" in screen
