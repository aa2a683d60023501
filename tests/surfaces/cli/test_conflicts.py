"""`conflicts` at the command line: both texts and dates, deciding, and what cannot be decided."""

from __future__ import annotations

from typing import Any

import pytest

OLD, NEW = "The choir of the village has 22 members.", "The choir of the village now has 27 members."


@pytest.fixture
def choir(lodmem: Any) -> Any:
    lodmem("remember", OLD, "--at", "2025-01-10")
    lodmem("remember", NEW, "--at", "2026-01-10")
    return lodmem


@pytest.mark.req("R5.12")
def test_both_texts_and_dates(choir: Any) -> None:
    assert choir("conflicts").stdout.splitlines() == [
        "1 number: '22 members' / '27 members' [open]",
        f"   #2 2026-01-10  {NEW}",
        f"   #1 2025-01-10  {OLD}",
    ]
    shown = choir("search", "how many members has the choir").stdout
    assert "in conflict with #1" in shown
    assert shown.index(NEW) < shown.index(OLD)


@pytest.mark.req("R5.13")
def test_deciding_and_taking_it_back(choir: Any, lodmem_json: Any) -> None:
    assert choir("conflicts", "resolve", "1", "--newer", "--reason", "counted").stdout == (
        "conflict 1: #2 stands, #1 is superseded, by default\n"
    )
    assert choir("conflicts").stderr == "no conflict is open; the others: --state all\n"
    (one,) = lodmem_json("conflicts", "--state", "superseded")["conflicts"]
    assert (one["standing"], one["note"], one["older"]["full"], one["newer"]["status"]) == (2, "counted", OLD, "active")
    assert OLD not in choir("search", "choir members").stdout
    assert lodmem_json("conflicts", "resolve", "1", "--both")["state"] == "both_stand"
    assert OLD in choir("search", "choir members").stdout
    choir("conflicts", "resolve", "1", "--open")
    assert len(lodmem_json("conflicts", "--of", "1")["conflicts"]) == 1
    assert lodmem_json("conflicts", "--of", "1", "--state", "all", "--limit", "1")["more"] is False


def test_whoever_writes_is_told_what_was_found_and_what_was_decided(lodmem: Any) -> None:
    lodmem("remember", OLD, "--at", "2025-01-10")
    found = lodmem("remember", NEW, "--at", "2026-01-10").stderr
    assert found == ("in conflict 1 with #1 ('22 members' / '27 members'): open; lodmem conflicts --of 2 --state all\n")
    lodmem("remember", "I live in Porto.")
    over = lodmem("remember", "I moved from Porto to Bergen.").stderr
    assert "#4 stands, #3 is superseded, by an explicit statement" in over
    assert lodmem("remember", "I moved from Porto to Bergen.").stderr == "", "nothing new"
    assert lodmem("--quiet", "remember", "The choir of the village now has 31 members.").stderr == ""
    assert lodmem("conflicts", "--of", "3").stderr == "no conflict is open; the others: --state all\n"


def test_what_cannot_be_decided(choir: Any) -> None:
    assert "say which side stands" in choir("conflicts", "resolve", "1", expect=2).output
    assert "there is no conflict 9" in choir("conflicts", "resolve", "9", "--newer", expect=3).output


def test_a_text_cannot_leave_its_line(lodmem: Any) -> None:
    lodmem("remember", "The choir has 22 members.\x1b[31m\n1  number: forged  [open]", "--at", "2025-01-10")
    lodmem("remember", "The choir now has 27 members.", "--at", "2026-01-10")
    lines = lodmem("conflicts").stdout.splitlines()
    assert len(lines) == 3
    assert "\x1b" not in "".join(lines)


def test_long_texts_are_cut_unless_asked_for(lodmem: Any) -> None:
    talk = "We spoke of the weather and of the long way home across the fjord. " * 9
    lodmem("remember", f"{talk}The choir has 22 members.", "--at", "2025-01-10")
    lodmem("remember", "The choir now has 27 members.", "--at", "2026-01-10")
    assert lodmem("conflicts").stdout.rstrip().endswith("…")
    assert "22 members." in lodmem("conflicts", "--full").stdout


def test_none_at_all(lodmem: Any) -> None:
    lodmem("remember", OLD)
    assert lodmem("conflicts", "--state", "all").stderr == "there are no conflicts\n"
