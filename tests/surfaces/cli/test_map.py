"""`map` and `look`: made, shown, drawn, in colour and without, wide and narrow, for people and for programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import Result
from rich.cells import cell_len

from tests.surfaces.cli.conftest import AtTerminal, Process, Run, RunJson

TOPICS = {
    "kiln": ("The glass kiln in the shed", "A glass kiln fired overnight", "Bricks for the glass kiln"),
    "ferry": ("The steam ferry left the harbour", "A steam ferry at high tide", "The harbour and its steam ferry"),
    "gambit": ("A chess gambit by Ada", "The chess opening and its gambit", "Ada's chess gambit failed"),
}
ESCAPE = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def filled(lodmem: Run, tmp_path: Path) -> int:
    """A store of so many short memories about three topics."""
    notes = tmp_path / "notes.jsonl"
    lines = [f'{{"text": "{texts[n % 3]} number{n}"}}' for n in range(60) for texts in (list(TOPICS.values())[n % 3],)]
    notes.write_text("\n".join(lines) + "\n", encoding="utf-8")
    lodmem("ingest", notes)
    return 60


def test_map_makes_one_and_says_how_it_stands(lodmem: Run, lodmem_json: RunJson, filled: int) -> None:
    assert lodmem_json("map", "--show")["version"] == 0
    assert f"{filled} memories can be placed" in lodmem("map", "--show").stdout
    told = lodmem("map").stdout
    assert "version 1, landmarks" in told
    assert "words" in told
    assert f"{filled} (0 since then), 0 waiting" in told
    state = lodmem_json("map", "--rebuild")
    assert (state["version"], state["placed"], state["waiting"], state["due"]) == (2, filled, 0, "")
    assert lodmem_json("map", "--show") == state


def test_an_empty_store_has_nothing_to_place(lodmem: Run, lodmem_json: RunJson) -> None:
    forget = lodmem_json("remember", "one thing")["id"]
    lodmem("forget", forget, "--yes")
    assert "nothing to place" in lodmem("map").stdout
    assert "nothing on the map" in lodmem("look", "anything").stdout


def test_a_method_that_is_not_there_says_what_to_do(lodmem: Run, filled: int) -> None:
    result: Result = lodmem("map", "--method", "magic", expect=2)
    assert "landmarks" in result.stderr


@pytest.mark.req("R14.6")
def test_look_draws_tiers_regions_and_the_query(lodmem: Run, filled: int) -> None:
    shown = lodmem("look", "glass kiln").stdout
    assert "\x1b" not in shown
    assert all(sign in shown for sign in ("●", "✕", "below the horizon", "the query"))
    table = shown[shown.index("region") :]
    assert re.search(r"kiln.* +\d+ ", table)
    assert max(cell_len(line) for line in shown.splitlines()) <= 80


@pytest.mark.req("R14.6")
def test_what_it_counts_is_what_the_search_shows(lodmem_json: RunJson, filled: int) -> None:
    seen = lodmem_json("look", "steam ferry")
    found = lodmem_json("search", "steam ferry", "--no-touch")
    assert {view["id"]: view["tier"] for view in found["views"]} == {one["id"]: one["tier"] for one in seen["memories"]}
    assert sum(seen["counts"].values()) == seen["map"]["memories"] == filled
    for tier in ("full", "summary", "headline"):
        assert seen["counts"][tier] == found["counts"].get(tier, 0)
        assert sum(region["counts"][tier] for region in seen["regions"]) == seen["counts"][tier]
        assert sum(region["counts"][tier] for region in seen["inner"]) == seen["counts"][tier]
    assert -1 <= seen["place"]["x"] <= 1
    best = seen["memories"][0]
    assert abs(best["x"] - seen["place"]["x"]) + abs(best["y"] - seen["place"]["y"]) < 0.7


def test_look_promotes_nothing(lodmem: Run, lodmem_json: RunJson, filled: int) -> None:
    lodmem("look", "steam ferry")
    assert all(m["retrieval_count"] == 0 for m in lodmem_json("search", "steam ferry", "--no-touch")["views"])


def test_memories_without_a_place_are_counted(lodmem: Run, filled: int) -> None:
    lodmem("map")
    lodmem("remember", "The steam ferry was sold for scrap")
    assert "1 memories have no place yet: lodmem map" in lodmem("look", "steam ferry").stdout
    lodmem("map")
    assert "no place yet" not in lodmem("look", "steam ferry").stdout


@pytest.mark.parametrize("columns", [24, 80, 140])
def test_it_fits_the_terminal(at_terminal: AtTerminal, lodmem: Run, filled: int, columns: int) -> None:
    lodmem("map")
    code, received = at_terminal("look", "glass kiln", columns=columns)
    assert code == 0
    assert "\x1b[" in received, "in colour"
    lines = ESCAPE.sub("", received).splitlines()
    picture = lines[: next(n for n, line in enumerate(lines) if "full" in line)]
    assert max(map(cell_len, picture)) <= columns
    assert any("●" in line for line in picture)


def test_without_colour_every_tier_has_its_sign(at_terminal: AtTerminal, lodmem: Run, filled: int) -> None:
    lodmem("map")
    code, received = at_terminal("--no-color", "look", "glass kiln")
    assert (code, ESCAPE.findall(received)) == (0, [])
    assert "● " in received


def test_a_terminal_without_utf_8_gets_plain_signs(process: Process, lodmem: Run, filled: int) -> None:
    done = process("look", "glass kiln", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert b"\\u" not in done.stdout
    assert b"#" in done.stdout
    assert b"X the query" in done.stdout


def test_names_on_the_map_are_harmless(lodmem: Run, tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text("".join(f'{{"text": "evil\\u001b[31mword\\u202e kiln {n}"}}\n' for n in range(20)), encoding="utf-8")
    lodmem("ingest", notes)
    shown = lodmem("look", "kiln").stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
