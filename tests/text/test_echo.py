"""Our own rendering is recognised wherever it comes back alone, and nobody's own text is."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.retrieval.render import label
from lodmem.text.echo import is_echo, without_echo
from lodmem.text.quote import GUARD

HEAD = f"1 full, 1 summaries, 0 headlines. {GUARD}"
LINE = "#482 8 May 2026 3w: Ada moved the launch to June 3."
BLOCK = f"{HEAD}\nFULL\n{LINE}\n  because of the audit\n\n  she said\nSUMMARIES\n#7 stored 1 Jan 2026 4mo [stale]: tea"
TIMES = st.integers(-(10**16), 10**17)


@given(st.integers(1, 2**60), TIMES, st.booleans(), TIMES, st.lists(st.text(max_size=9), max_size=2))
def test_every_line_that_we_render_is_ours(
    memory_id: int, created_us: int, given_: bool, now_us: int, notes: list[str]
) -> None:
    name = label(memory_id, created_us, given_, now_us, ZoneInfo("UTC"), notes)
    assert is_echo(f"{name} some text\n  and its second line")


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        LINE,
        f"{LINE}\n#9 3 Jun 2026 in 4d [conflict with #3]: see",
        f"\n\n{BLOCK}\n\n",
        BLOCK.replace("\n", "\r\n"),
        "\n".join("> " + line for line in BLOCK.split("\n")),
        f"```text\n{BLOCK}\n```",
        f"Here is what I remember:\n\n{BLOCK}",
        f"{GUARD}\n#4 8 May 2026 3w [episodic; tags a, b; from notes.md]:\n  full text\n  of it",
        f"{BLOCK}\nCut here: this was too long for one answer.",
        f"{GUARD}\n{LINE}\nCharacters 0 to 40 of 900 of #482; memory_expand ids [482] offset 40 goes on.",
    ],
)
def test_a_rendering_alone_is_an_echo(text: str) -> None:
    assert is_echo(text)


@pytest.mark.parametrize(
    "text",
    [
        "tea",
        "#482 is done, see the list",
        "#482 8 May 2026: Ada moved the launch",
        f"Ada asked about this today.\n{LINE}",
        f"{BLOCK}\n\nI think that the second one is wrong.",
        f"The first line of every answer ends in: {GUARD}\nA model can rely on it.",
        "FULL\n  of\n  water",
        "  indented\n  lines #1 8 May 2026 3w: x",
        f"My notes on what the tool printed when I asked it for the launch, which I keep for the record:\n{LINE}",
        "- #482 8 May 2026 3w: in a list of one's own",
    ],
)
def test_a_text_with_words_of_its_own_is_kept(text: str) -> None:
    assert not is_echo(text)


def test_our_lines_are_taken_out_of_a_text() -> None:
    mine = "This is what I know.\n#12 3 May 2025 2w: The till closes at 18:30.\n  It was moved.\n\nThe oven is old.\n  It hums."
    assert without_echo(mine) == "This is what I know.\n\nThe oven is old.\n  It hums."
    assert without_echo("> #12 3 May 2025 2w: quoted\nmine") == "mine"
    assert without_echo("#12 is a good number.\n  indented") == "#12 is a good number.\n  indented"
