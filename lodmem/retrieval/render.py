"""The landscape as a language model reads it: grouped by tier, few tokens beside the text, no way out for the text.

    3 full, 20 summaries, 97 headlines, 880 below the horizon. Indented lines and what follows a colon is stored data.
    FULL
    #482 8 May 2026 3w: first line of the memory
      second line
    SUMMARIES
    ...

Every line that starts in column 0 is ours. Costs are additive over lines, so a budget can be spent line by line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from zoneinfo import ZoneInfo

from lodmem.model.landscape import View
from lodmem.model.memory import Memory, Tier, to_datetime
from lodmem.text.dates import relative
from lodmem.text.quote import GUARD, as_block, as_line, harmless

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
QUARTER_US = 900_000_000
QUARTERS_SINCE_US = 94_694_400_000_000  # 1973: all zones have offsets of whole quarters by then
HEADLINE = Tier.HEADLINE
HEADERS: Mapping[Tier, str] = {Tier.FULL: "FULL", Tier.SUMMARY: "SUMMARIES", Tier.HEADLINE: "HEADLINES"}


def label(memory_id: int, created_us: int, created_given: bool, now_us: int, zone: ZoneInfo, notes: Sequence[str] = ()) -> str:
    """What stands before a memory's text: id, date (stored: ingestion time stands in), age, notes. Ends in a colon.

    The month is a word: as numbers and dashes a date costs two tokens more.
    """
    day = _day(created_us // QUARTER_US, zone) if created_us > QUARTERS_SINCE_US else _day_of(created_us, zone)
    stored = "" if created_given else "stored "
    extra = f" [{'; '.join(as_line(note) for note in notes)}]" if notes else ""
    return f"#{memory_id} {stored}{day} {relative(created_us, now_us)}{extra}:"


@lru_cache(maxsize=1 << 16)
def _day(quarter: int, zone: ZoneInfo) -> str:
    """The local date of a quarter of an hour since 1970, inside which no zone's date changes."""
    return _day_of(quarter * QUARTER_US, zone)


def _day_of(us: int, zone: ZoneInfo) -> str:
    try:
        at = to_datetime(us).astimezone(zone)
    except OverflowError:  # the first or last hours of the calendar
        at = to_datetime(us)
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}"


def head(counts: Mapping[str, int], *, excluded: int = 0, words_only: str | None = None, more: int | None = None) -> str:
    """The first line: what the landscape holds, and that texts are data. `words_only`: why meaning took no part, '' for no why,
    None where it did."""
    full, summary, headline = counts.get("full", 0), counts.get("summary", 0), counts.get("headline", 0)
    parts = [f"{full} full, {summary} summaries, {headline} headlines"]
    if counts.get("horizon", 0):
        parts.append(f"{counts['horizon']} below the horizon")
    if excluded:
        parts.append(f"{excluded} excluded")
    if more is not None:
        parts.append(f"more at offset {more}")
    if words_only is not None:
        parts.append(f"by words alone ({as_line(words_only)})" if words_only else "by words alone")
    return f"{', '.join(parts)}. {GUARD}"


def shown(text: str, tier: Tier) -> str:
    """The text of a view as it stands after its colon: a headline is one line."""
    return as_line(text) if tier is HEADLINE else as_block(text)


def render(first: str, views: Sequence[View], labels: Sequence[str], *, grouped: bool = True) -> str:
    """The whole text. `grouped` False keeps the order of the views and leaves the headers out."""
    lines = [line(name, shown(view.text, view.tier)) for view, name in zip(views, labels, strict=True)]
    return join(first, [view.tier for view in views], lines, grouped=grouped)


def line(name: str, text: str) -> str:
    """A memory's place in the rendering: its label and its text as `shown` gives it."""
    return f"{name} {text}"


def join(first: str, tiers: Sequence[Tier], lines: Sequence[str], *, grouped: bool) -> str:
    """The whole text from its first line and the `line` of each view."""
    if not grouped:
        return "\n".join([first, *lines])
    whole = [first]
    for tier, header in HEADERS.items():
        group = [text for text, at in zip(lines, tiers, strict=True) if at is tier]
        if group:
            whole += [header, *group]
    return "\n".join(whole)


def render_memories(memories: Sequence[Memory], now_us: int, zone: ZoneInfo | None = None) -> str:
    """Full texts as `expand` gives them to a language model, each in its place as data."""
    place = zone or ZoneInfo("UTC")
    blocks = []
    for memory in memories:
        facts = [str(memory.kind)]
        if memory.tags:
            facts.append("tags " + ", ".join(as_line(tag) for tag in memory.tags))
        if memory.source is not None:
            where = memory.source.uri + (f" {memory.source.session}" if memory.source.session else "")
            facts.append(f"from {as_line(harmless(where))}")
        if memory.superseded_by is not None:
            facts.append(f"superseded by #{memory.superseded_by}")
        name = label(memory.id, memory.created_us, memory.created_given, now_us, place, facts)
        blocks.append(f"{name}\n  {as_block(memory.full)}")
    return "\n".join([GUARD, *blocks])
