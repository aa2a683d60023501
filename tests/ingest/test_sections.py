"""Markdown into sections: headings, fences and front matter, and that no line is ever lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.ingest.importers.sections import front_matter, sections


def texts(text: str, title: str = "") -> list[str]:
    return [section.text for section in sections(text, title)]


@pytest.mark.req("R5.18")
def test_a_section_has_the_headings_above_it_in_front() -> None:
    text = "# House\n\nIt stands.\n\n## Kitchen\n\nWarm.\n\n### Stove\nHot.\n\n## Cellar\nCold.\n"
    assert texts(text) == [
        "House\n\nIt stands.",
        "House > Kitchen\n\nWarm.",
        "House > Kitchen > Stove\n\nHot.",
        "House > Cellar\n\nCold.",
    ]
    assert [section.line for section in sections(text)] == [1, 5, 9, 12]
    assert sections(text)[2].path == ("House", "Kitchen", "Stove")


def test_text_before_any_heading_is_a_section() -> None:
    assert texts("Hello.\n\n# A\nText.") == ["Hello.", "A\n\nText."]
    assert texts("Only text.\r\nTwo lines.\r\n") == ["Only text.\nTwo lines."]


def test_a_title_stands_above_all_unless_it_is_there() -> None:
    assert texts("Text.\n\n# A\nMore.", "T") == ["T\n\nText.", "T > A\n\nMore."]
    assert texts("# T\nText.\n## A\nMore.", "T") == ["T\n\nText.", "T > A\n\nMore."]


def test_an_empty_section_is_joined_to_the_next() -> None:
    assert texts("# A\n## B\nText.") == ["A > B\n\nText."]
    assert texts("# A\n## Empty\n## B\nText.") == ["A > Empty\n\nA > B\n\nText."]
    assert texts("# A\nText.\n## Last") == ["A\n\nText.", "A > Last"]
    assert texts("# Alone\n\n# Two") == ["Alone\n\nTwo"]
    assert texts("\n \n") == []


@pytest.mark.parametrize("fence", ["```", "~~~", "````python", "   ```"])
def test_a_number_sign_in_a_fence_is_no_heading(fence: str) -> None:
    closing = fence.replace("python", "")
    text = f"# A\n\n{fence}\n# not a heading\n\n## nor this\n{closing}\nAfter.\n\n# B\nText."
    assert len(texts(text)) == 2
    assert "# not a heading\n\n## nor this" in texts(text)[0]


def test_a_fence_ends_only_with_its_own_kind_and_length() -> None:
    assert len(texts("````\n```\n# no\n~~~\n# no\n````\n# Yes\nText.")) == 2
    assert len(texts("```\n# never closed\n\n# still code")) == 1
    assert len(texts("``` a`b\n# a heading after inline code\nText.")) == 2


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# One", "One"),
        ("   ## Two ##", "Two"),
        ("#\tTab", "Tab"),
        ("###### Six", "Six"),
        ("# C# and F#", "C# and F#"),
    ],
)
def test_these_lines_are_headings(line: str, heading: str) -> None:
    assert texts(f"{line}\nText.") == [f"{heading}\n\nText."]


@pytest.mark.parametrize("line", ["#hashtag", "    # code", "####### seven", "#", "##  ##", "\\# escaped", "a # b"])
def test_these_lines_are_none(line: str) -> None:
    assert texts(f"Before.\n{line}\nText.") == [f"Before.\n{line}\nText."]


def test_underlined_headings() -> None:
    assert texts("House\n=====\nStands.\n\nKitchen\n-------\nWarm.") == ["House\n\nStands.", "House > Kitchen\n\nWarm."]
    assert sections("Intro.\n\nHouse\n===\nStands.")[1].line == 3


@pytest.mark.parametrize(
    "text", ["Text.\n\n---\n\nMore.", "- item\n---\nMore.", "| a |\n|---|\n| b |", "Two\nlines\n---\nMore.", "---\nMore."]
)
def test_a_rule_is_no_underline(text: str) -> None:
    assert texts(text) == [text]


# -- front matter -----------------------------------------------------------------------------------------------------


def test_front_matter_is_read_and_what_is_unknown_stays_text() -> None:
    text = '---\ntitle: "The House"\ndate: 2024-05-01\nauthor: Ada\ntags: [garden, "old wood"]\n---\n\n# Kitchen\nWarm.'
    known, rest, removed = front_matter(text)
    assert known == {"title": ["The House"], "date": ["2024-05-01"], "tags": ["garden", "old wood"]}
    assert texts(rest, "The House") == ["The House\n\nauthor: Ada", "The House > Kitchen\n\nWarm."]
    assert sections(rest, "", removed + 1)[1].line == text.split("\n").index("# Kitchen") + 1


def test_front_matter_lists_and_odd_values() -> None:
    known, rest, _ = front_matter("---\ntags:\n  - a\n  - b\nlinks:\n  - c\ndate:\n...\nText.")
    assert known == {"tags": ["a", "b"], "date": []}
    assert "links:" in rest
    assert "- c" in rest


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n---\nText.",
        "---\ndate: 2024-05-01\nnever closed",
        "Text.\n---\ndate: 2024-05-01\n---",
        "---\nA sentence between two rules.\n---\nText.",
        "--- \n- a list\nand a line\n---\n",
    ],
)
def test_what_is_no_front_matter_is_text(text: str) -> None:
    assert front_matter(text) == ({}, text, 0)


# -- properties -------------------------------------------------------------------------------------------------------

LINES = st.one_of(
    st.sampled_from(
        ("# A", "## B", "### C ##", "#", "```", "~~~~", "---", "===", "", "  ", "- x", "> q", "| a |", "    # code")
    ),
    st.sampled_from(("...", "title: T", "tags: [a]", "- tag", "date: x", "word", "two words", "\t# tab", "#nospace", "1. one")),
    st.text(alphabet=st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), max_size=12),
)
DOCUMENTS = st.lists(LINES, max_size=30).map("\n".join)


def kept(line: str) -> str:
    """What of a line is text: a heading's words, nothing of an underline or a rule of the same look."""
    bare = line.strip()
    if bare.startswith("#"):
        return bare.strip("# \t")
    return "" if set(bare) <= {"="} or set(bare) <= {"-"} else line.strip("\n")


@given(DOCUMENTS)
def test_no_line_is_lost(text: str) -> None:
    found = sections(text)
    together = "\n".join(section.text for section in found)
    for line in text.split("\n"):
        if line.strip():
            assert kept(line).strip() in together
    assert bool(found) == bool(text.strip())


@given(DOCUMENTS)
def test_sections_are_never_empty_and_stand_in_order(text: str) -> None:
    found = sections(text)
    assert all(section.text.strip() for section in found)
    lines = [section.line for section in found]
    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)


@given(DOCUMENTS)
def test_front_matter_loses_no_line_it_does_not_understand(text: str) -> None:
    known, rest, removed = front_matter(text)
    assert removed == text.count("\n") - rest.count("\n")
    values = " ".join(value for found in known.values() for value in found)
    for line in text.split("\n"):
        if line.strip() and line.strip() not in ("---", "...") and line not in rest.split("\n"):
            words = line.partition(":")[2].strip(" []\"'") if ":" in line else line.strip(" -\t")
            assert words.strip() in values


@given(DOCUMENTS, DOCUMENTS)
def test_what_is_appended_under_a_heading_leaves_the_earlier_sections_alone(text: str, more: str) -> None:
    closed = "\n".join(line for line in text.split("\n") if "`" not in line and "~" not in line)
    before = [section.text for section in sections(f"{closed}\n# Before\nText.")]
    after = [section.text for section in sections(f"{closed}\n# Before\nText.\n\n# New\nMore.\n{more}")]
    assert after[: len(before)] == before
