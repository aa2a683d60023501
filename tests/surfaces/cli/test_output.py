"""The page for people: layout, colours, and what must not reach the terminal."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from lodmem.cli import output
from lodmem.cli.app import App
from lodmem.model.landscape import BudgetAccount, Explanation, Landscape, View
from lodmem.model.memory import Kind, Status, Tier
from lodmem.model.profile import PRESETS
from lodmem.model.query import Mode

NOW = 1_780_000_000_000_000
DAY = 86_400_000_000
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def view(number: int, tier: Tier, text: str, **changes: Any) -> View:
    plain = View(
        id=number, tier=tier, natural=tier, text=text, tokens=9, score=0.75, relevance=0.8, decay=0.25,
        created_us=NOW - number * DAY, created_given=True, space="main", agent="default", kind=Kind.EPISODIC,
        status=Status.ACTIVE, retrieval_count=0, tags=(), source=None, notes=(),
    )  # fmt: skip
    return replace(plain, **changes)


def landscape(*views: View, **changes: Any) -> Landscape:
    counts = {tier.label: sum(view.tier is tier for view in views) for tier in Tier} | {"horizon": 1204}
    plain = Landscape(
        mode=Mode.SEARCH, query="q", views=views, counts=counts, considered=1300, excluded=0, profile=PRESETS["balanced"],
        budget=BudgetAccount(requested=None, used=987, bias=None, stepped_down=0, dropped=0), now_us=NOW,
        next_offset=None, words_only="", rendering="",
    )  # fmt: skip
    return replace(plain, **changes)


THREE = landscape(
    view(482, Tier.FULL, "Ada moved the launch.\nThe tests were red.", tags=("launch",), notes=("stale", "cut")),
    view(7, Tier.SUMMARY, "Bo likes tea", agent="bo", space="acme/tea"),
    view(9, Tier.HEADLINE, "A headline\nof two lines"),
)


@pytest.fixture
def app() -> App:
    return App({"LODMEM_ZONE": "UTC", "TERM": "xterm-256color"})


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, app: App) -> Callable[..., str]:
    """What a terminal of `columns` receives from a call."""

    def show(call: Callable[[], None], columns: int = 80) -> str:
        screen = Terminal()
        monkeypatch.setattr(sys, "stdout", screen)
        app.env = {**app.env, "COLUMNS": str(columns)}
        call()
        return screen.getvalue()

    return show


def test_the_plain_page(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    output.show_landscape(app, THREE)
    assert capsys.readouterr().out == (
        "full (1)\n"
        "  #482  2025-01-31 20:26 · 1y ago · tags launch · stale, cut\n"
        "        Ada moved the launch.\n"
        "        The tests were red.\n"
        "\n"
        "summary (1)\n"
        "  #7  2026-05-21 20:26 · 1w ago · in acme/tea · by bo\n"
        "        Bo likes tea\n"
        "\n"
        "headline (1)\n"
        "  #9  2026-05-19 · 1w ago  A headline of two lines\n"
        "\n"
        "1 full, 1 summary, 1 headline, 1,204 below the horizon · 1,300 considered · 987 tokens\n"
    )


def test_scores_stand_in_columns(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    output.show_landscape(app, THREE, scores=True)
    lines = capsys.readouterr().out.splitlines()
    assert "#482  S 0.80 ████  D 0.25 █▎    LOD 0.75 ███▊  2025-01-31" in lines[1]


def test_without_a_query_there_is_no_relevance(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    output.show_landscape(app, landscape(view(1, Tier.FULL, "x", relevance=None), mode=Mode.WINDOW), scores=True)
    assert "S  -    " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "     "), (1.0, "█████"), (0.5, "██▌  "), (0.024, "▏    "), (-1.0, "     "), (7.0, "█████")],
)
def test_bars(value: float, shown: str) -> None:
    assert output.bar(value) == shown


def test_modes_in_order_of_time_are_not_grouped(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    output.show_landscape(app, replace(THREE, mode=Mode.RECENT, next_offset=3))
    out = capsys.readouterr().out
    assert "full (1)" not in out
    assert out.index("#482") < out.index("#7") < out.index("#9")
    assert "more: --offset 3" in out


def test_the_footer_tells_the_whole_account(app: App) -> None:
    account = BudgetAccount(requested=1000, used=987, bias=0.1, stepped_down=3, dropped=2)
    lines = list(output.footer(landscape(budget=account, excluded=4, words_only="no model")))
    assert lines == [
        "0 full, 0 summaries, 0 headlines, 1,204 below the horizon · 1,300 considered"
        " · 987 of 1,000 tokens (3 stepped down, 2 dropped) · 4 excluded",
        "by words only: no model",
    ]


def test_quiet_leaves_the_footer_out(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    app.quiet = True
    output.show_landscape(app, THREE)
    assert "considered" not in capsys.readouterr().out


def test_an_empty_landscape_says_so(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    output.show_landscape(app, landscape())
    output.show_landscape(app, landscape(excluded=2))
    out = capsys.readouterr().out
    assert "nothing to show\n" in out
    assert "nothing to show: all of it was excluded\n" in out


def test_tiers_differ_in_colour(app: App, terminal: Callable[..., str]) -> None:
    lines = terminal(lambda: output.show_landscape(app, THREE)).splitlines()
    full = next(line for line in lines if "Ada moved" in line)
    summary = next(line for line in lines if "Bo likes" in line)
    headline = next(line for line in lines if "A headline" in line)
    assert "\x1b[1m" in full
    assert ESCAPES.search(summary) is None
    assert "\x1b[2mA headline" in headline


@pytest.mark.parametrize("plain", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"option": "yes"}])
def test_colours_can_be_refused(app: App, terminal: Callable[..., str], plain: dict[str, str]) -> None:
    app.no_color = "option" in plain
    app.env = {**app.env, **plain}
    assert "\x1b" not in terminal(lambda: output.show_landscape(app, THREE, scores=True))


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_lines_keep_to_the_width(app: App, terminal: Callable[..., str], columns: int) -> None:
    wide = "日本語の記憶 and a long line of many words that has to be wrapped somewhere " * 5
    found = landscape(view(1, Tier.FULL, wide), view(2, Tier.SUMMARY, wide), view(3, Tier.HEADLINE, wide))
    out = terminal(lambda: output.show_landscape(app, found), columns)
    assert all(cell_len(ESCAPES.sub("", line)) <= columns for line in out.splitlines())
    assert out.count("日本語") == 15


HOSTILE = "a\x1b[2J\x1b]0;title\x07b\x9b31mc\u202egnp\u2066d [bold red]e[/] :smile: \x00"


@pytest.mark.parametrize("tier", [Tier.FULL, Tier.SUMMARY, Tier.HEADLINE])
def test_hostile_text_stays_text(app: App, terminal: Callable[..., str], tier: Tier) -> None:
    evil = view(1, tier, HOSTILE, tags=(HOSTILE,), notes=(HOSTILE,), agent=HOSTILE, space=HOSTILE)
    out = ESCAPES.sub("", terminal(lambda: output.show_landscape(app, landscape(evil, words_only=HOSTILE))))
    assert "[bold red]e[/] :smile:" in re.sub(r"\s+", " ", out)
    assert not set(out) & set("\x1b\x07\x9b\u202e\u2066\x00")
    # The one escape sequence of ours cannot be made by a memory: its ESC is shown as a picture.
    assert "␛" in out


def test_an_explanation_shows_the_formula_with_its_numbers(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    why = Explanation(
        id=3, query="q", rank=2, tier=Tier.FULL, floor=Tier.SUMMARY, relevance=0.8, decay=0.25, score=0.745,
        parts=(("cosine", 0.5, "query and \x1b[31mpassage"), ("S", 0.8, "calibrated")), words=(("launch", 2.5),),
        reasons=("pinned \x07 here",), profile=PRESETS["balanced"],
    )  # fmt: skip
    output.show_explanation(app, why)
    assert capsys.readouterr().out == (
        "#3  rank 2, full, floor summary\n"
        "LOD = alpha * S + (1 - alpha) * D\n"
        "    = 0.9 * 0.800000 + 0.1 * 0.250000 = 0.745000\n"
        "tiers: full >= 0.6, summary >= 0.3, headline >= 0.05\n"
        "\n"
        "part    value  meaning\n"
        "cosine  0.5    query and ␛[31mpassage\n"
        "S       0.8    calibrated\n"
        "\n"
        "word    weight\n"
        "launch  2.5\n"
        "- pinned ␇ here\n"
    )


def test_an_explanation_of_what_is_no_candidate(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    why = Explanation(
        id=3, query="q", rank=None, tier=Tier.HORIZON, floor=Tier.HORIZON, relevance=0.0, decay=0.0, score=0.0,
        parts=(), words=(), reasons=(), profile=PRESETS["research"],
    )  # fmt: skip
    output.show_explanation(app, why)
    assert capsys.readouterr().out.startswith("#3  not among the candidates, horizon\n")


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (3_400_000, "3.4 MB"), (5 * 10**12, "5000.0 GB")],
)
def test_sizes(count: int, shown: str) -> None:
    assert output.size(count) == shown
