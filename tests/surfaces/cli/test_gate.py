"""`gate` at the command line."""

from __future__ import annotations

from typing import Any

import pytest

STORY = (
    "The harbour office asked for the plan of the new pier, and Mara sent the drawing with the long list of timber that the"
    " carpenters had written down for her."
)


def test_nothing_yet(lodmem: Any) -> None:
    lodmem("remember", "Figs are sweet.", "--no-wait")
    assert lodmem("gate").stdout == "nothing was judged yet, 1 memories wait\n"


@pytest.mark.req("R5.11")
def test_the_distribution_and_what_never_fired(lodmem: Any, lodmem_json: Any) -> None:
    for n, text in enumerate((STORY, "Figs are sweet.", STORY + " It is at 14:00.", STORY + " It is at 15:00.")):
        lodmem("remember", text, "--source", "talk", "--sequence", str(n))
    lines = lodmem("gate").stdout.splitlines()
    assert lines[0].split("  ")[0] == "experiences"
    assert "4 judged, the highest similarity was 0.99" in lines[0]
    assert [line.split("  ")[-1].strip() for line in lines[1:4]] == [
        "add 4",
        "date 2",
        "never fired, 2 more differ in something exact",
    ]
    assert lines[3].startswith("near copy from 0.95")
    assert lines[5].startswith("0.00-0.05")
    assert lines[-2].endswith(" 2")
    report = lodmem_json("gate")
    assert sum(each["count"] for each in report["decisions"]) == 4
    assert [each["never_fired"] for each in report["thresholds"]] == [True, True, True]
    assert report["highest"]["experience"] > 0.98
    lodmem("remember", STORY + " So be it.", "--source", "talk", "--sequence", "9")
    assert lodmem_json("gate")["thresholds"][0]["fired"] == 1
    assert "1 times, 2 more differ" in lodmem("gate").stdout


def test_two_texts_or_two_memories(lodmem: Any, lodmem_json: Any) -> None:
    one, other = "Lunch on the terrace is at 12:00 today.", "Lunch on the terrace is at 13:00 today."
    assert lodmem("gate", one, other).stdout.splitlines() == [
        "similarity  0.974",
        "differs in  date",
        "patterns    add: they differ in date",
        "experience  kept",
    ]
    lodmem("remember", one)
    lodmem("remember", one + " Indeed.")
    found = lodmem_json("gate", "#1", "2")
    assert (found["verdict"], found["differs"], found["near_copy"]) == ("update", [], False)
    assert lodmem_json("gate", "1", one)["near_copy"] is True
    assert "no memory #99" in lodmem("gate", "1", "99", expect=3).stderr


def test_one_text_alone_is_refused(lodmem: Any) -> None:
    assert "give two" in lodmem("gate", "a text", expect=2).stderr
