"""What the commands do, on a real store."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lodmem as product

pytestmark = pytest.mark.req("R17.4")

VIEW = {
    "id",
    "tier",
    "natural",
    "text",
    "score",
    "relevance",
    "decay",
    "created_at",
    "space",
    "agent",
    "kind",
    "status",
    "tags",
}


@pytest.fixture
def filled(lodmem: Any) -> None:
    """#1 and #2 about the launch, #3 about cats."""
    lodmem("remember", "Ada moved the launch to June 3", "--at", "2025-05-08T14:00", "--tag", "launch", "--kind", "semantic")
    lodmem(
        "remember", "The launch party is at the harbour", "--at", "2025-05-09T10:00", "--agent", "bo", "--space", "acme/events"
    )
    lodmem("remember", "Cats sleep all day", "--at", "2025-03-01")


# -- remember ---------------------------------------------------------------------------------------------------------


def test_remember_tells_the_id_once(lodmem: Any) -> None:
    assert lodmem("remember", "one", "two").stdout == "kept as #1\n"
    assert lodmem("remember", "one two").stdout == "already there as #1\n"
    assert lodmem("--quiet", "remember", "three").stdout == "#2\n"


@pytest.mark.parametrize("how", [["remember"], ["remember", "-"], ["remember", "--file", "-"]])
def test_remember_reads_standard_input(lodmem: Any, lodmem_json: Any, how: list[str]) -> None:
    text = "from a pipe \r\n\x00 é 日本\n"
    assert lodmem_json(*how, input=text.encode()) == {"id": 1, "created": True, "masked": []}
    assert lodmem_json("expand", 1)["memories"][0]["full"] == text


def test_remember_takes_a_file_and_where_it_is(lodmem: Any, lodmem_json: Any, tmp_path: Path) -> None:
    file = tmp_path / "a note.md"
    file.write_bytes(b"# Note\r\nbody\n")
    lodmem("remember", "--file", file)
    memory = lodmem_json("expand", "1")["memories"][0]
    assert memory["full"] == "# Note\r\nbody\n"
    assert memory["source"] == {"uri": file.resolve().as_uri(), "session": "", "sequence": 0}
    assert memory["created_given"] is False


def test_remember_keeps_every_field(lodmem: Any, lodmem_json: Any) -> None:
    lodmem(
        "remember", "x y z", "--at", "2025-05-08T14:00", "--kind", "procedural", "--tag", "a", "--tag", "b",
        "--importance", "0.9", "--priority", "low", "--expires", "2031-01-01", "--valid-from", "2025-01-01",
        "--valid-to", "2026-01-01", "--source", "mail:1", "--session", "s", "--sequence", 4, "--meta", "channel=a=b",
        "--agent", "ada", "--space", "acme/x", "--zone", "Europe/Berlin",
    )  # fmt: skip
    memory = lodmem_json("expand", "#1", "--no-touch")["memories"][0]
    expected = {
        "created_at": "2025-05-08T12:00:00+00:00",
        "kind": "procedural",
        "tags": ["a", "b"],
        "importance": 0.9,
        "priority": "low",
        "expires_at": "2030-12-31T23:00:00+00:00",
        "valid_from": "2024-12-31T23:00:00+00:00",
        "source": {"uri": "mail:1", "session": "s", "sequence": 4},
        "meta": {"channel": "a=b"},
        "agent": "ada",
        "space": "acme/x",
        "retrieval_count": 0,
    }
    assert {name: memory[name] for name in expected} == expected


def test_a_text_that_begins_with_a_dash(lodmem: Any, lodmem_json: Any) -> None:
    lodmem("remember", "--", "--not an option", "-")
    assert lodmem_json("expand", 1)["memories"][0]["full"] == "--not an option -"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1).filter(str.strip))
def test_bytes_in_are_bytes_out(lodmem: Any, text: str) -> None:
    added = json.loads(lodmem("remember", "--json", input=text.encode()).stdout)
    assert lodmem("expand", "--raw", added["id"]).stdout_bytes == text.encode()


def test_embedding_waits_with_no_wait(lodmem: Any, lodmem_json: Any) -> None:
    lodmem("remember", "--embedder", "minilm", "--no-wait", "a first thing")
    assert lodmem_json("stats", "--embedder", "minilm")["backlog"] == 1
    lodmem("remember", "--embedder", "minilm", "a second thing")
    stats = lodmem_json("stats", "--embedder", "minilm")
    assert (stats["backlog"], stats["embedded_passages"]) == (0, 2)


def test_a_model_that_fails_costs_nothing_kept(lodmem: Any, lodmem_json: Any, refusing_model: dict[str, str]) -> None:
    lodmem("remember", "a first thing", "--embedder", "minilm")
    result = lodmem("remember", "zebras are kept", **refusing_model)
    assert "kept as #2" in result.stdout
    assert "warning: kept, but not embedded yet" in result.stderr
    assert lodmem_json("search", "zebras")["views"][0]["id"] == 2


# -- ingest -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Three sections in two files of markdown, and twelve files that cannot be read."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("# Launch\n\nAda moved it to June 3.\n\n# Cats\n\nThey sleep.\n")
    (folder / "two.md").write_text("# Tea\n\nBo likes it.\n")
    for number in range(12):
        (folder / f"bad-{number:02}.md").write_bytes(b"# \xff\xfe")
    return folder


def test_ingest_reports_what_it_did(lodmem: Any, lodmem_json: Any, notes: Path) -> None:
    first = lodmem("ingest", notes, "--tag", "notes").stdout.splitlines()
    assert first[0] == "markdown: 3 added, 0 unchanged, 12 problems"
    assert "bad-00.md" in first[1]
    assert len(first) == 12
    assert first[-1] == "  and 2 more: --all lists them"
    second = lodmem("ingest", notes, "--importer", "markdown", "--all").stdout.splitlines()
    assert second[0] == "markdown: 0 added, 3 unchanged, 12 problems"
    assert len(second) == 13
    report = lodmem_json("ingest", notes)
    assert (report["added"], report["unchanged"], len(report["problems"])) == (0, 3, 12)
    assert set(report["problems"][0]) == {"where", "why"}
    assert lodmem_json("recent", "--tag", "notes")["considered"] == 3


def test_ingest_dry_run_keeps_nothing(lodmem: Any, lodmem_json: Any, notes: Path, store: Path) -> None:
    assert lodmem("ingest", notes, "--dry-run").stdout.startswith("markdown: 3 read, nothing kept, 12 problems\n")
    assert lodmem_json("ingest", notes, "--dry-run")["dry_run"] is True
    assert not store.exists()


def test_ingest_embeds_before_it_ends(lodmem: Any, lodmem_json: Any, notes: Path) -> None:
    lodmem("ingest", notes, "--embedder", "minilm", "--no-wait")
    assert lodmem_json("stats")["backlog"] == 3
    lodmem("ingest", notes, "--embedder", "minilm")
    assert lodmem_json("stats")["backlog"] == 0


def test_ingest_fails_when_nothing_could_be_used(lodmem: Any, notes: Path) -> None:
    (notes / "one.md").unlink()
    (notes / "two.md").unlink()
    lodmem("ingest", notes, "--importer", "markdown", expect=1)


# -- search and the other looks ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("filled")
def test_search_json_is_what_is_promised(lodmem_json: Any) -> None:
    found = lodmem_json("search", "what did Ada move to June?", "--budget", 4000)
    assert {"views", "counts", "budget", "excluded", "considered", "next_offset"} <= set(found)
    first = found["views"][0]
    assert set(first) >= VIEW | {"notes", "tokens"}
    assert (first["id"], first["tier"], first["text"]) == (1, "full", "Ada moved the launch to June 3")
    assert first["created_at"] == "2025-05-08T14:00:00+00:00"
    assert found["budget"]["requested"] == 4000
    assert 0 < found["budget"]["used"] <= 4000
    assert sum(found["counts"].values()) == found["considered"] == 3
    assert "rendering" not in found


@pytest.mark.parametrize(
    "order", [["--json", "search", "launch"], ["search", "launch", "--json"], ["search", "--json", "launch"]]
)
@pytest.mark.usefixtures("filled")
def test_json_works_before_and_after_the_command(lodmem: Any, order: list[str]) -> None:
    assert json.loads(lodmem(*order).stdout)["query"] == "launch"


@pytest.mark.usefixtures("filled")
def test_the_later_global_option_wins(lodmem_json: Any) -> None:
    assert [view["id"] for view in lodmem_json("--space", "main", "search", "launch", "--space", "acme")["views"]] == [2]


@pytest.mark.usefixtures("filled")
def test_render_prints_exactly_the_rendering(lodmem: Any, lodmem_json: Any, store: Path) -> None:
    for flag in ("--render", "--llm"):
        printed = lodmem("search", "launch", "--no-touch", flag).stdout
        assert printed == lodmem_json("search", "launch", "--no-touch", flag)["rendering"] + "\n"
    with product.open(store, embedder="none", background=False) as engine:
        assert printed == engine.search("launch", touch=False).rendering + "\n"


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ([], {1, 2, 3}),
        (["--since", "2025-05-01"], {1, 2}),
        (["--until", "March 2025"], {3}),
        (["--since", "2025-05-09", "--until", "2025-05-09"], {2}),
        (["--as-of", "2025-05-08"], {1, 3}),
        (["--kind", "semantic", "--kind", "working"], {1}),
        (["--tag", "launch"], {1}),
        (["--tag", "launch", "--tag", "other"], set()),
        (["--by", "bo"], {2}),
        (["--space", "acme"], {2}),
        (["--status", "archived"], set()),
        (["--source", "mail:"], set()),
        (["--unretrieved"], {1, 2, 3}),
        (["--retrieved"], set()),
        (["--exclude", "cats"], {1, 2}),
        (["--exclude", "cats", "--exclude", "harbour"], {1}),
        (["--last-tier", "full"], set()),
        (["--expired"], {1, 2, 3}),
    ],
)
@pytest.mark.parametrize("mode", [["search", "launch", "--theta3", "0"], ["recent"]])
@pytest.mark.usefixtures("filled")
def test_filters_reach_the_engine(lodmem_json: Any, mode: list[str], options: list[str], ids: set[int]) -> None:
    assert {view["id"] for view in lodmem_json(*mode, *options)["views"]} == ids


@pytest.mark.usefixtures("filled")
def test_parameters_override_the_profile(lodmem_json: Any) -> None:
    given = {
        "alpha": 0.25, "lambda": 0.5, "theta1": 0.9, "theta2": 0.8, "theta3": 0.7, "k": 2, "budget": 500, "promote-at": 0.99,
        "relevance": "cosine",
    }  # fmt: skip
    options = [part for name, value in given.items() for part in (f"--{name}", value)]
    profile = lodmem_json("search", "launch", *options)["profile"]
    assert profile | {"lambda": profile["lambda_"], "promote-at": profile["promote_at"]} == profile | given
    assert lodmem_json("search", "launch", "--profile", "digest")["profile"]["name"] == "digest"


@pytest.mark.usefixtures("filled")
def test_searching_promotes_unless_told_not_to(lodmem: Any, lodmem_json: Any) -> None:
    lodmem("search", "launch", "--no-touch")
    assert lodmem_json("expand", 1, "--no-touch")["memories"][0]["retrieval_count"] == 0
    lodmem("search", "launch", "--promote-at", "0.1")
    assert lodmem_json("expand", 1, "--no-touch")["memories"][0]["retrieval_count"] == 1


@pytest.mark.usefixtures("filled")
def test_exclusion_is_counted_and_shown(lodmem: Any) -> None:
    out = lodmem("search", "launch", "--exclude", "cats").stdout
    assert "1 excluded" in out
    assert "Cats" not in out
    all_gone = lodmem("recent", "--exclude", "launch", "--exclude", "cats").stdout
    assert "nothing to show: all of it was excluded" in all_gone


@pytest.mark.usefixtures("filled")
def test_modes_without_a_question(lodmem_json: Any) -> None:
    assert [view["id"] for view in lodmem_json("recent")["views"]] == [2, 1, 3]
    assert {view["id"] for view in lodmem_json("window", "May", "2025")["views"]} == {1, 2}
    assert {view["id"] for view in lodmem_json("window", "--since", "2025-05-09")["views"]} == {2}
    assert {view["tier"] for view in lodmem_json("unseen")["views"]} == {"headline"}
    assert len(lodmem_json("important")["views"]) == 3
    drawn = [[view["id"] for view in lodmem_json("random", "--seed", 5, "--limit", 2)["views"]] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 2
    assert all(view["relevance"] is None for view in lodmem_json("recent")["views"])


@pytest.mark.usefixtures("filled")
def test_long_answers_page(lodmem: Any, lodmem_json: Any) -> None:
    first = lodmem_json("recent", "--limit", 2)
    rest = lodmem_json("recent", "--limit", 2, "--offset", first["next_offset"])
    assert [view["id"] for view in first["views"] + rest["views"]] == [2, 1, 3]
    assert rest["next_offset"] is None
    assert "more: --offset 2" in lodmem("recent", "--limit", 2).stdout


@pytest.mark.req("R16.8")
@pytest.mark.usefixtures("filled")
def test_a_person_sees_tiers_ids_and_the_account(lodmem: Any) -> None:
    lines = lodmem("search", "launch", "--scores", "--budget", 2000).stdout.splitlines()
    assert lines[0].startswith(("full (", "summary (", "headline ("))
    assert any("#1" in line and "S 0." in line and "LOD 0." in line for line in lines)
    assert any("of 2,000 tokens" in line and "3 considered" in line for line in lines)
    assert any(line.startswith("by words only: ") for line in lines)


def test_the_lines_of_a_text_stand_as_they_were_written(lodmem: Any) -> None:
    code = "A function:\ndef add(a, b):\n    return a + b\n\nDone"
    lodmem("remember", code)
    page = lodmem("search", "function", "--quiet").stdout.splitlines()
    assert page[2:7] == [(" " * 8 + line).rstrip() for line in code.splitlines()]
    assert lodmem("expand", 1, "--quiet").stdout.splitlines()[1:] == code.splitlines()


@pytest.mark.usefixtures("filled")
def test_dates_are_shown_in_the_zone(lodmem: Any) -> None:
    assert "2025-05-08 14:00" in lodmem("expand", 1).stdout
    assert "2025-05-08 23:00" in lodmem("expand", 1, "--zone", "Asia/Tokyo").stdout


# -- one memory -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("filled")
def test_expand_keeps_the_order_asked(lodmem: Any, lodmem_json: Any) -> None:
    assert [memory["id"] for memory in lodmem_json("expand", 3, "#1")["memories"]] == [3, 1]
    out = lodmem("expand", "1").stdout
    assert out.startswith("#1  2025-05-08 14:00 · ")
    assert out.endswith("Ada moved the launch to June 3\n")
    assert lodmem_json("expand", 1, "--no-touch")["memories"][0]["retrieval_count"] == 2


@pytest.mark.usefixtures("filled")
def test_promote_and_demote(lodmem: Any, lodmem_json: Any) -> None:
    lodmem("recent")
    assert lodmem("promote", "#3").stdout == "#3 is shown at summary at least\n"
    assert lodmem_json("promote", 3, "--to", "full") == {"id": 3, "floor": "full"}
    assert lodmem_json("recent")["views"][-1]["tier"] == "full"
    assert lodmem("demote", 3).stdout == "#3 has no floor: its score decides\n"
    assert lodmem_json("promote", 3, "--to", "summary", "--mine") == {"id": 3, "floor": "summary"}
    assert lodmem_json("expand", 3, "--agent", "bo")["memories"][0]["floor"] == "none"
    assert lodmem_json("demote", 3, "--mine") == {"id": 3, "floor": "none"}


@pytest.mark.usefixtures("filled")
def test_explain_agrees_with_search(lodmem: Any, lodmem_json: Any) -> None:
    view = lodmem_json("search", "launch", "--no-touch", "--alpha", "0.7")["views"][0]
    why = lodmem_json("explain", view["id"], "launch", "--alpha", "0.7")
    assert (why["rank"], why["tier"]) == (1, view["natural"])
    assert why["relevance"] == view["relevance"]
    assert why["score"] == pytest.approx(0.7 * why["relevance"] + 0.3 * why["decay"], abs=2e-6)
    text = lodmem("explain", view["id"], "launch", "--alpha", "0.7").stdout
    assert f"= 0.7 * {why['relevance']:.6f}" in text
    assert "part " in text
    assert "launch" in {word["word"] for word in why["words"]}


@pytest.mark.usefixtures("filled")
def test_forget_asks_first(lodmem: Any, lodmem_json: Any, at_terminal: Any, store: Path) -> None:
    code, out = at_terminal("forget", "3", typed=b"n\n")
    assert (code, "Cats sleep all day" in out, "nothing was forgotten" in out) == (1, True, True)
    assert lodmem_json("stats")["memories"] == 3
    code, out = at_terminal("forget", "3", typed=b"y\n")
    assert (code, "forgotten: 1" in out) == (0, True)
    assert lodmem_json("stats")["memories"] == 2
    assert "forgotten: 2" in lodmem("forget", 1, 2, 1, "--yes").stdout
    connection = sqlite3.connect(store)
    assert connection.execute("SELECT count(*) FROM memory").fetchone() == (0,)
    connection.close()


@pytest.mark.usefixtures("filled")
def test_forget_does_not_guess_an_answer(lodmem: Any, lodmem_json: Any) -> None:
    assert "nobody can be asked" in lodmem("forget", 3, expect=2, input="y\n").stderr
    assert lodmem_json("forget", 3, "-y") == {"forgotten": 1, "ids": [3]}


# -- profiles ---------------------------------------------------------------------------------------------------------


def test_profiles_are_listed_and_the_current_one_marked(lodmem: Any, lodmem_json: Any) -> None:
    assert lodmem("profiles").stdout == lodmem("profiles", "list").stdout
    assert "*  balanced" in lodmem("profiles").stdout
    listed = lodmem_json("profiles")
    assert listed["current"] == "balanced"
    assert set(listed["profiles"]) >= {"balanced", "research", "digest", "precedent", "seed"}


def test_a_profile_is_made_used_and_kept_to(lodmem: Any, lodmem_json: Any) -> None:
    made = lodmem_json(
        "profiles", "set", "mine", "--from", "precedent", "--alpha", "0.7", "--lambda", "0.01", "--budget", "900",
        "--floor", "tag:rule=summary", "--floor", "tag:precedent=none", "--lock", "lambda", "--bound", "alpha=0.6:0.8",
    )  # fmt: skip
    assert made["alpha"] == 0.7
    assert made["lambda_"] == 0.01
    assert made["floors"] == {"tag:foundational": "full", "tag:rule": "summary"}
    assert (made["locked"], made["bounds"]) == (["lambda_"], {"alpha": [0.6, 0.8]})
    assert lodmem_json("profiles", "use", "mine", "--agent", "ada") == {"agent": "ada", "profile": "mine"}
    lodmem("remember", "x")
    assert lodmem_json("search", "x", "--agent", "ada")["profile"]["name"] == "mine"
    assert lodmem_json("search", "x")["profile"]["name"] == "balanced"
    assert "locks lambda" in lodmem("search", "x", "--profile", "mine", "--lambda", 1, expect=2).stderr
    assert "within 0.6 and 0.8" in lodmem("search", "x", "--profile", "mine", "--alpha", 1, expect=2).stderr
    changed = lodmem_json("profiles", "set", "mine", "--unlock", "lambda", "--no-budget")
    assert (changed["alpha"], changed["locked"], changed["budget"]) == (0.7, [], None)
    shown = lodmem("profiles", "show", "mine").stdout
    assert "bound alpha" in shown
    assert "0.6 to 0.8" in shown


# -- care -------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("filled")
def test_stats(lodmem: Any, lodmem_json: Any, store: Path) -> None:
    stats = lodmem_json("stats")
    assert stats["memories"] == 3
    assert stats["path"] == str(store)
    assert stats["by_space"] == {"acme/events": 1, "main": 2}
    assert stats["first_created"] == "2025-03-01T00:00:00+00:00"
    out = lodmem("stats").stdout
    assert "2025-03-01 to 2025-05-09" in out
    assert "main 2, acme/events 1" in out


def test_doctor_without_a_store(lodmem_json: Any) -> None:
    report = lodmem_json("doctor")
    assert report["ok"] is True
    assert {finding["check"]: finding["state"] for finding in report["findings"]} == {
        "versions": "ok",
        "path": "ok",
        "tokenizer": "ok",
        "embedder": "note",
        "store": "note",
    }


@pytest.mark.usefixtures("filled")
def test_doctor_finds_a_sound_store_sound(lodmem: Any, lodmem_json: Any, store: Path) -> None:
    store.chmod(0o644)
    states = {finding["check"]: finding["state"] for finding in lodmem_json("doctor")["findings"]}
    assert (states["store"], states["backlog"], states["path"]) == ("ok", "ok", "note")
    store.chmod(0o600)
    out = lodmem("doctor").stdout
    assert "3 memories" in out
    assert "chmod" not in out
    assert "ok" not in lodmem("doctor", "--quiet").stdout


@pytest.mark.usefixtures("filled")
def test_doctor_finds_a_damaged_store(lodmem: Any, lodmem_json: Any, store: Path) -> None:
    connection = sqlite3.connect(store)
    connection.execute("UPDATE memory SET full = 'changed behind our back' WHERE id = 1")
    connection.commit()
    connection.close()
    report = lodmem_json("doctor", expect=1)
    assert report["ok"] is False
    assert any(finding["state"] == "problem" and "#1" in finding["text"] for finding in report["findings"])
    store.write_bytes(b"no store at all" * 100)
    assert "problem store" in lodmem("doctor", expect=1).stdout


@pytest.mark.req("R16.4")
@pytest.mark.usefixtures("filled")
def test_another_model_is_refused_named_and_repaired(lodmem: Any, lodmem_json: Any) -> None:
    refused = lodmem("search", "launch", "--embedder", "minilm", expect=4)
    assert "lodmem reindex" in refused.stderr
    report = lodmem_json("doctor", "--embedder", "minilm", expect=1)
    assert [finding["hint"] for finding in report["findings"] if finding["check"] == "index"] == ["lodmem reindex"]
    assert lodmem_json("reindex", "--embedder", "minilm") == {"embedded": 3}
    found = lodmem_json("search", "launch", "--embedder", "minilm")
    assert found["words_only"] == ""
    assert {view["id"] for view in found["views"]} >= {1, 2}
    assert lodmem("reindex", "--embedder", "minilm").stdout == "embedded 0 memories\n"


def test_doctor_finds_a_model_that_does_not_answer(lodmem_json: Any, refusing_model: dict[str, str]) -> None:
    report = lodmem_json("doctor", expect=1, **refusing_model)
    assert [finding["state"] for finding in report["findings"] if finding["check"] == "embedder"] == ["problem"]


# -- shell ------------------------------------------------------------------------------------------------------------


def test_version(lodmem: Any, lodmem_json: Any) -> None:
    assert lodmem_json("version")["lodmem"] == product.__version__
    assert lodmem("--version").stdout == f"lodmem {product.__version__}\n"
    assert lodmem("version", "--quiet").stdout == f"{product.__version__}\n"
    assert "apsw" in lodmem("version").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_say_how_to_switch_them_on(lodmem: Any, lodmem_json: Any, shell: str) -> None:
    script = lodmem("completion", shell).stdout
    assert f"_LODMEM_COMPLETE={shell}_complete" in script
    assert "# To switch completion on, add this line to ~/." in script
    assert lodmem_json("completion", shell)["script"] in script
    assert shell != "zsh" or script.startswith("#compdef lodmem")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("lodmem pro", {"promote", "profiles"}),
        ("lodmem search --prof", {"--profile"}),
        ("lodmem search --profile d", {"digest"}),
        ("lodmem search --kind ep", {"episodic"}),
        ("lodmem profiles s", {"set", "show"}),
        ("lodmem eval p", {"picking", "precision", "promotion"}),
    ],
)
def test_the_shell_gets_completions(lodmem: Any, words: str, expected: set[str]) -> None:
    asked = {"_LODMEM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    lines = lodmem(**asked).stdout.splitlines()
    assert {line.removeprefix("plain,") for line in lines} == expected


def test_importance_is_a_number_or_judged_from_the_text(lodmem: Any, lodmem_json: Any) -> None:
    lodmem("remember", "I moved to Berlin because of the new job", "--importance", "auto")
    lodmem("remember", "Thanks, sounds good!", "--importance", "auto")
    lodmem("remember", "I moved to Berlin because of the new job, too")
    found = lodmem_json("expand", "1", "2", "3", "--no-touch")["memories"]
    assert [memory["importance"] for memory in found] == [0.6, 0.1, 0.5]
    refused = lodmem("remember", "x", "--importance", "much", expect=2)
    assert "neither a number from 0 to 1 nor 'auto'" in refused.stderr
