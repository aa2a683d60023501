"""Results for people: a landscape in colour, tables, columns. Plain text without escape codes where no terminal listens.

Memory text is made safe before it is laid out and is never read as markup. Decides nothing about what is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lodmem.cli.app import App
from lodmem.cli.safe import safe, safe_line
from lodmem.model.landscape import DATE_NOTE, Explanation, Landscape, View
from lodmem.model.memory import Memory, Tier, to_datetime
from lodmem.model.query import Mode
from lodmem.text.dates import relative

PLAIN_WIDTH = 100_000
NARROW = 20
INDENT = 8
SCREEN_LINES = 16  # of one memory in a landscape at a terminal; pipes, --json and --render get all
BAR_CELLS = 5
TEXT_STYLE = {Tier.FULL: "bold", Tier.SUMMARY: "", Tier.HEADLINE: "dim", Tier.HORIZON: "dim"}
TITLE_STYLE = {Tier.FULL: "bold green", Tier.SUMMARY: "bold blue", Tier.HEADLINE: "bold magenta", Tier.HORIZON: "dim"}
EIGHTHS = " ▏▎▍▌▋▊▉█"


COUNTED = {
    Tier.FULL: ("full", "full"),
    Tier.SUMMARY: ("summary", "summaries"),
    Tier.HEADLINE: ("headline", "headlines"),
    Tier.HORIZON: ("below the horizon", "below the horizon"),
}
GROUPED = (Mode.SEARCH, Mode.WINDOW)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(app: App) -> Console:
    """The screen of this run: as wide as the terminal, or unwrapped and without escape codes where there is none."""
    colored = app.colored(sys.stdout)
    return _Console(
        file=sys.stdout,
        width=None if sys.stdout.isatty() else PLAIN_WIDTH,
        color_system="auto" if colored else None,
        force_terminal=colored,
        highlight=False,
        markup=False,
        emoji=False,
        _environ=app.env,
    )


# -- landscape --------------------------------------------------------------------------------------------------------


def show_landscape(app: App, found: Landscape, *, scores: bool = False) -> None:
    """Views in their order, grouped by tier where that is the order, and a footer with counts and the budget account."""
    screen = console(app)
    page = _Page(screen, app.settings.space, app.settings.agent, app.zone, found.now_us, scores)
    for tier, views in _groups(found):
        if tier is not None:
            screen.print(Text(f"{tier.label} ({len(views)})", TITLE_STYLE[tier]), soft_wrap=True)
        for view in views:
            page.print(view)
        screen.print()
    if not found.views:
        screen.print("nothing to show: all of it was excluded" if found.excluded else "nothing to show")
    if not app.quiet:
        for line in footer(found):
            screen.print(Text(line, "dim"))


def _groups(found: Landscape) -> Iterator[tuple[Tier | None, Sequence[View]]]:
    if found.mode not in GROUPED:
        if found.views:
            yield None, found.views
        return
    for tier in (Tier.FULL, Tier.SUMMARY, Tier.HEADLINE):
        views = [view for view in found.views if view.tier is tier]
        if views:
            yield tier, views


def age(us: int, now_us: int) -> str:
    """How long ago, as people read it: now, 3w ago, in 2d."""
    short = relative(us, now_us)
    return short if short == "now" or short.startswith("in ") else f"{short} ago"


def footer(found: Landscape) -> Iterator[str]:
    """Counts, the budget account and what was left out, in one line or two."""
    counts = [counted(found.counts.get(tier.label, 0), *names) for tier, names in COUNTED.items()]
    parts = [", ".join(counts), f"{found.considered:,} considered", _account(found)]
    if found.excluded:
        parts.append(f"{found.excluded:,} excluded")
    yield " · ".join(parts)
    if found.next_offset is not None:
        yield f"more: --offset {found.next_offset}"
    if found.words_only:
        yield f"by words only: {safe_line(found.words_only)}"


def counted(count: int, one: str, many: str) -> str:
    """A count with its noun: 1 headline, 1,204 headlines."""
    return f"{count:,} {one if count == 1 else many}"


def _account(found: Landscape) -> str:
    budget = found.budget
    if budget.requested is None:
        return f"{budget.used:,} tokens"
    cuts = [
        f"{count:,} {what}" for count, what in ((budget.stepped_down, "stepped down"), (budget.dropped, "dropped")) if count
    ]
    return f"{budget.used:,} of {budget.requested:,} tokens" + (f" ({', '.join(cuts)})" if cuts else "")


@dataclass(frozen=True)
class _Page:
    """How views are laid out. The caller's own space and agent go without saying."""

    screen: Console
    space: str
    agent: str
    zone: ZoneInfo
    now_us: int
    scores: bool

    def print(self, view: View) -> None:
        """One view: a line about it, and its text beside or below."""
        head = self._head(view)
        style = TEXT_STYLE[view.tier]
        if view.tier is Tier.HEADLINE:
            first, *rest = self._wrapped(Text.assemble(head, "  ", (safe_line(view.text), style)))
        else:
            first, rest = head, self._wrapped(Text(safe(view.text).strip("\n"), style))
        if self.screen.width < PLAIN_WIDTH and len(rest) > SCREEN_LINES:
            hidden = len(rest) - SCREEN_LINES + 1
            rest = [*rest[: SCREEN_LINES - 1], Text(f"… {hidden:,} more lines: lodmem expand {view.id}", "dim")]
        for line in rest:
            line.pad_left(INDENT)
        for line in (first, *rest):
            line.rstrip()
            self.screen.print(line, soft_wrap=True)

    def _head(self, view: View) -> Text:
        brief = view.tier is Tier.HEADLINE
        head = Text("  ").append(f"#{view.id}", "cyan" if brief else "bold cyan")
        if self.scores:
            head.append("  ").append_text(score_columns(view))
        when = to_datetime(view.created_us).astimezone(self.zone).strftime("%Y-%m-%d" if brief else "%Y-%m-%d %H:%M")
        asides = [when if view.created_given else f"stored {when}", age(view.created_us, self.now_us)]
        if view.space != self.space:
            asides.append(f"in {view.space}")
        if view.agent != self.agent:
            asides.append(f"by {view.agent}")
        if view.tags and not brief:
            asides.append("tags " + ", ".join(view.tags))
        head.append("  " + safe_line(" · ".join(asides)), "dim")
        notes = [note for note in view.notes if note != DATE_NOTE]  # "stored" says it
        if notes:
            head.append(" · " + safe_line(", ".join(notes)), "yellow")
        return head

    def _wrapped(self, text: Text) -> list[Text]:
        """Lines that fit the terminal after indenting; the text's own lines where there is no terminal."""
        if self.screen.width >= PLAIN_WIDTH:
            return list(text.split("\n", allow_blank=True)) or [text]
        return list(text.wrap(self.screen, max(self.screen.width - INDENT, NARROW))) or [text]


def score_columns(view: View) -> Text:
    """S, D and LOD as numbers with small bars. Without a query there is no S."""
    out = Text()
    for name, value, style in (("S", view.relevance, "blue"), ("D", view.decay, "magenta"), ("LOD", view.score, "green")):
        shown = " -  " if value is None else f"{value:.2f}"
        out.append(f"{name} ", "dim").append(shown).append(" ").append(bar(value or 0.0), style).append(" ")
    out.rstrip()
    return out


def bar(value: float, cells: int = BAR_CELLS) -> str:
    """A bar of `cells` characters for a value from 0 to 1."""
    eighths = round(min(max(value, 0.0), 1.0) * cells * 8)
    whole, part = divmod(eighths, 8)
    return ("█" * whole + (EIGHTHS[part] if part else "")).ljust(cells)


# -- one memory, one explanation --------------------------------------------------------------------------------------


def show_memories(app: App, memories: Sequence[Memory], now_us: int) -> None:
    """Each memory's full text under a line about it."""
    screen = console(app)
    for number, memory in enumerate(memories):
        if number:
            screen.print()
        screen.print(_memory_head(app, memory, now_us))
        screen.print(Text(safe(memory.full).rstrip("\n")), soft_wrap=True)


def _memory_head(app: App, memory: Memory, now_us: int) -> Text:
    when = memory.created_at.astimezone(app.zone).strftime("%Y-%m-%d %H:%M")
    facts = [f"{when} · {age(memory.created_us, now_us)}"]
    if not memory.created_given:
        facts.append("time of ingestion")
    facts.append(f"{memory.kind.value} in {memory.space} by {memory.agent}")
    facts.append(f"retrieved {memory.retrieval_count} times" if memory.retrieval_count != 1 else "retrieved once")
    if memory.floor is not Tier.HORIZON:
        facts.append(f"floor {memory.floor.label}")
    if memory.status.value != "active":
        facts.append(memory.status.value + (f" by #{memory.superseded_by}" if memory.superseded_by else ""))
    if memory.tags:
        facts.append("tags " + ", ".join(memory.tags))
    if memory.source is not None:
        facts.append("from " + memory.source.uri)
    return Text(f"#{memory.id}", "bold cyan").append("  " + safe_line(" · ".join(facts)), "dim")


def show_explanation(app: App, why: Explanation) -> None:
    """The formula with its numbers, then every part of it as a table."""
    screen = console(app)
    alpha = why.profile.alpha
    place = "not among the candidates" if why.rank is None else f"rank {why.rank}"
    floor = "" if why.floor is Tier.HORIZON else f", floor {why.floor.label}"
    head = Text(f"#{why.id}", "bold cyan").append(f"  {place}, ").append(why.tier.label, TITLE_STYLE[why.tier]).append(floor)
    lines = [
        head,
        Text("LOD = alpha * S + (1 - alpha) * D", "dim"),
        Text(f"    = {alpha:g} * {why.relevance:.6f} + {1 - alpha:.6g} * {why.decay:.6f} = ").append(
            f"{why.score:.6f}", "bold"
        ),
        Text(
            f"tiers: full >= {why.profile.theta1:g}, summary >= {why.profile.theta2:g}, headline >= {why.profile.theta3:g}",
            "dim",
        ),
        Text(""),
    ]
    for line in lines:
        screen.print(line)
    show_table(screen, ("part", "value", "meaning"), [(name, f"{value:.6g}", meaning) for name, value, meaning in why.parts])
    if why.words:
        screen.print()
        show_table(screen, ("word", "weight"), [(word, f"{weight:.4g}") for word, weight in why.words])
    for reason in why.reasons:
        screen.print(Text("- " + safe_line(reason)))


# -- tables and columns -----------------------------------------------------------------------------------------------


def show_table(screen: Console, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows under their titles, in columns; cells wrap where the terminal is too narrow."""
    if screen.width >= PLAIN_WIDTH:
        _plain_table(screen, [titles, *([safe_line(cell) for cell in row] for row in rows)])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe_line(cell)) for cell in row))
    screen.print(table)


def _plain_table(screen: Console, rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        screen.print(Text("  ".join(cells).rstrip()), soft_wrap=True)


def show_facts(screen: Console, facts: Mapping[str, str]) -> None:
    """Names and values, one a line."""
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        screen.print(Text(name.ljust(width), "dim").append("  " + safe_line(value)), soft_wrap=True)


def size(count: int) -> str:
    """Bytes as people read them: 512 bytes, 3.4 MB."""
    if count < 1000:
        return f"{count} bytes"
    value = float(count)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000 or unit == "GB":
            return f"{value:.1f} {unit}"
    raise AssertionError
