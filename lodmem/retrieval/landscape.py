"""From ranked rows to a landscape: texts at their tier, drawn towards the query, inside the budget, with its account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import numpy as np

from lodmem.lod.budget import Spending, spend
from lodmem.model.landscape import DATE_NOTE, BudgetAccount, Landscape, View
from lodmem.model.memory import Source, Status, Tier
from lodmem.model.profile import Profile
from lodmem.model.query import Mode, Query
from lodmem.ports import Store, TokenCounter
from lodmem.retrieval import render
from lodmem.retrieval.conflicting import notes as conflicts_of
from lodmem.retrieval.ranked import Ranked, Rows, Tiers
from lodmem.scan.columns import KINDS, STATUSES, Columns
from lodmem.text.facing import face_headline, face_summary
from lodmem.text.quote import as_line

FACING_CHARS = 60_000
WHY_SHARE = 0.15
TIERS = tuple(Tier)
TIER_NAMES = tuple(tier.label for tier in TIERS)
HEADLINE, SUMMARY, FULL = Tier.HEADLINE, Tier.SUMMARY, Tier.FULL
ACTIVE = STATUSES.index(Status.ACTIVE)
GROUPED = (Mode.SEARCH, Mode.WINDOW)


@dataclass(frozen=True, slots=True)
class Frame:
    """All that a landscape needs besides its rows. `weights` (index term -> idf) draws texts towards the query."""

    query: Query
    profile: Profile
    now_us: int
    zone: ZoneInfo
    weights: Mapping[str, float]
    words_only: str
    excluded: int
    considered: int


@dataclass(frozen=True, slots=True)
class _Draft:
    """Candidates with their labels and what each would cost at each tier. `natural` shows at least one; `notes` by position."""

    ranked: Ranked
    labels: list[str]
    label_tokens: list[int]
    costs: list[tuple[int, int, int, int]]
    short: list[bool]
    natural: list[int]
    notes: dict[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Plan:
    """By candidate, best first: the tier it is shown at, its natural one, what it costs at each. `overhead`: tokens of all that
    is no memory's line, at most."""

    tiers: Tiers
    natural: Tiers
    costs: Sequence[tuple[int, int, int, int]]
    spent: Spending
    overhead: int


@dataclass(slots=True)
class _Shown:
    """What is shown, best first: the views, and the label and the line of each."""

    views: list[View]
    names: list[str]
    lines: list[str]

    def replace(self, view: View, text: str) -> None:
        """Put another view in the place of the only or best one."""
        self.views[0], self.lines[0] = view, render.line(self.names[0], text)

    def drop(self) -> None:
        """Take the last view away."""
        for part in (self.views, self.names, self.lines):
            part.pop()


class Composer:
    """Builds landscapes over one store's columns, texts and token counter."""

    def __init__(self, store: Store, columns: Columns, counter: TokenCounter, frame: Frame) -> None:
        self._store, self._columns, self._counter, self._frame = store, columns, counter, frame
        self._words_only = self._why(frame.words_only, frame.profile.budget) if frame.words_only else None

    def compose(self, ranked: Ranked) -> Landscape:
        """A landscape by worth: the budget decides who is seen at which tier."""
        draft, room, spent = self._spent(ranked)
        return self._finish(draft, spent.tiers, spent.bias, room if spent.cut else None)

    def plan(self, ranked: Ranked) -> Plan:
        """What `compose` will show of each candidate, and its cost, before any text is fetched."""
        draft, _, spent = self._spent(ranked)
        return Plan(spent.tiers, np.array(draft.natural, dtype=np.int8), draft.costs, spent, self._overhead(len(ranked.rows)))

    def _spent(self, ranked: Ranked) -> tuple[_Draft, int | None, Spending]:
        draft = self._draft(ranked)
        budget = self._frame.profile.budget
        room = None if budget is None else max(1, budget - self._overhead(len(ranked.rows)))
        spent = spend(
            ranked.score.tolist(), draft.natural, ranked.floors.tolist(), draft.costs, draft.short, room,
            fill=self._frame.query.fill,
        )  # fmt: skip
        return draft, room, spent

    def page(self, ranked: Ranked, offset: int, limit: int | None) -> Landscape:
        """A page of a mode without a query: natural tiers in order, as many as limit and budget allow, at least one."""
        rest = ranked.take(slice(offset, None if limit is None else offset + limit))
        draft = self._draft(rest)
        budget = self._frame.profile.budget
        if budget is None or not len(rest.rows):
            return self._finish(draft, rest.natural, None, None, following=len(ranked.rows) - offset)
        room = max(1, budget - self._overhead(len(ranked.rows)))
        running = np.cumsum([cost[tier] for cost, tier in zip(draft.costs, draft.natural, strict=True)])
        count = max(1, int(np.searchsorted(running, room, side="right")))
        tiers = np.where(np.arange(len(rest.rows)) < count, rest.natural, 0).astype(np.int8)
        return self._finish(draft, tiers, None, room if running[0] > room else None, following=len(ranked.rows) - offset)

    def _draft(self, ranked: Ranked) -> _Draft:
        columns, rows = self._columns, ranked.rows
        noted = np.flatnonzero((columns.status[rows] != ACTIVE) | (columns.superseded_by[rows] != 0)).tolist()
        notes = {i: self._notes(int(rows[i])) for i in noted}
        notes |= conflicts_of(self._store, columns, rows, self._frame.query.filters.as_of_us)
        labels = self._labels(rows, notes)
        own = self._counter.counts(labels)
        costs = [
            (0, name + low, name + mid, name + high)
            for name, (high, mid, low) in zip(own, columns.tokens[rows].tolist(), strict=True)
        ]
        return _Draft(ranked, labels, own, costs, columns.short[rows].tolist(), self._never_empty(ranked), notes)

    def _labels(self, rows: Rows, notes: Mapping[int, tuple[str, ...]]) -> list[str]:
        columns, now_us, zone = self._columns, self._frame.now_us, self._frame.zone
        given = zip(columns.id[rows].tolist(), columns.created[rows].tolist(), columns.given[rows].tolist(), strict=True)
        return [
            render.label(memory_id, created, own, now_us, zone, notes.get(i, ()))
            for i, (memory_id, created, own) in enumerate(given)
        ]

    def _notes(self, row: int) -> tuple[str, ...]:
        columns = self._columns
        status = STATUSES[columns.status[row]]
        notes = [] if status is Status.ACTIVE else [str(status)]
        if columns.superseded_by[row]:
            notes = [f"superseded by #{columns.superseded_by[row]}"]
        return tuple(notes)

    def _overhead(self, candidates: int) -> int:
        """Tokens of everything that is not a memory's line, at most."""
        most = render.head(
            dict.fromkeys(TIER_NAMES, max(candidates, 1)),
            excluded=self._frame.excluded,
            words_only=self._words_only,
            more=None if self._frame.query.mode is Mode.SEARCH else candidates,
        )
        return sum(self._counter.counts([most, *render.HEADERS.values()]))

    def _why(self, reason: str, budget: int | None) -> str:
        """The reason for going by words alone as far as a small budget has room for it."""
        return reason if budget is None or self._counter.count(reason) <= WHY_SHARE * budget else ""

    def _never_empty(self, ranked: Ranked) -> list[int]:
        natural: list[int] = ranked.natural.tolist()
        if natural and not any(natural):
            natural[0] = int(Tier.HEADLINE)
        return natural

    def _finish(
        self, draft: _Draft, tiers: Tiers, bias: float | None, cut_to: int | None, following: int | None = None
    ) -> Landscape:
        """Fetch texts, render, count. `following`: rows from this page's first one on; None for a search."""
        frame, budget, searched = self._frame, self._frame.profile.budget, following is None
        shown = self._shown(draft, tiers)
        views = shown.views
        if cut_to is not None and views:
            shown.replace(*self._cut(views[0], shown.names[0], cut_to))
        while True:
            counts = {name: sum(1 for view in views if view.tier is tier) for tier, name in zip(TIERS, TIER_NAMES, strict=True)}
            counts["horizon"] = len(draft.natural) - len(views) if searched else 0
            more = frame.query.offset + len(views) if following is not None and len(views) < following else None
            first = render.head(counts, excluded=frame.excluded, words_only=self._words_only, more=more)
            used = self._used(first, views)
            if budget is None or used <= budget or not self._shrink(shown, used - budget):
                break
        text = render.join(first, [view.tier for view in views], shown.lines, grouped=frame.query.mode in GROUPED)
        lost = sum(1 for tier in draft.natural if tier) - sum(1 for view in views if view.natural) if searched else 0
        account = BudgetAccount(
            requested=budget,
            used=used,
            bias=bias,
            stepped_down=sum(1 for view in views if view.tier < view.natural),
            dropped=lost,
        )
        return Landscape(
            mode=frame.query.mode, query=frame.query.text, views=tuple(views), counts=counts, budget=account,
            excluded=frame.excluded, considered=frame.considered, profile=frame.profile, now_us=frame.now_us,
            next_offset=more, words_only=frame.words_only, rendering=text,
        )  # fmt: skip

    def _used(self, first: str, views: Sequence[View]) -> int:
        """Tokens of the rendering: those of its lines."""
        lines = [first]
        if self._frame.query.mode in GROUPED:
            there = {view.tier for view in views}
            lines += [header for tier, header in render.HEADERS.items() if tier in there]
        return sum(self._counter.counts(lines)) + sum(view.tokens for view in views)

    def _shrink(self, shown: _Shown, over: int) -> bool:
        """Make the rendering smaller by the last view, or by the end of the only one; False when nothing is left to give."""
        if len(shown.views) > 1:
            shown.drop()
            return True
        if not shown.views:
            return False
        view = shown.views[0]
        smaller, text = self._cut(view, shown.names[0], view.tokens - over)
        shown.replace(smaller, text)
        return smaller.text != view.text

    def _shown(self, draft: _Draft, tiers: Tiers) -> _Shown:
        positions = np.flatnonzero(tiers).tolist()
        chosen = [TIERS[tier] for tier in tiers[positions].tolist()]
        texts = self._texts(draft, positions, chosen)
        placed = [render.shown(text, tier) for text, tier in zip(texts, chosen, strict=True)]
        names = [draft.labels[i] for i in positions]
        tokens = [draft.label_tokens[i] + count for i, count in zip(positions, self._counter.counts(placed), strict=True)]
        views = self._views(draft, positions, chosen, texts, tokens)
        return _Shown(views, names, [render.line(name, text) for name, text in zip(names, placed, strict=True)])

    def _views(
        self, draft: _Draft, positions: list[int], tiers: Sequence[Tier], texts: Sequence[str], tokens: Sequence[int]
    ) -> list[View]:
        columns, ranked = self._columns, draft.ranked.take(np.array(positions, dtype=np.int64))
        rows = ranked.rows
        relevance = [None] * len(rows) if ranked.relevance is None else ranked.relevance.tolist()
        numbers = zip(
            *(part.tolist() for part in (rows, columns.id[rows], ranked.score, ranked.decay, columns.created[rows])),
            *(part[rows].tolist() for part in (columns.given, columns.space, columns.agent, columns.kind, columns.status)),
            *(part[rows].tolist() for part in (columns.count, columns.source, columns.sequence)),
            ranked.floors.tolist(), relevance, strict=True,
        )  # fmt: skip
        spaces, agents = columns.spaces.names, columns.agents.names
        return [
            View(
                id=memory_id, tier=tier, natural=TIERS[draft.natural[i]], text=text, tokens=count,
                score=score, relevance=near, decay=decay, created_us=created, created_given=given,
                space=spaces[space], agent=agents[agent], kind=KINDS[kind], status=STATUSES[status],
                retrieval_count=uses, tags=columns.tags_of(row),
                source=None if source < 0 else Source(*columns.source_name(row), sequence),
                notes=_with_floor(draft.notes.get(i, ()), floor, tier, given),
            )
            for i, tier, text, count, (
                row, memory_id, score, decay, created, given, space, agent, kind, status, uses, source, sequence, floor, near,
            ) in zip(positions, tiers, texts, tokens, numbers, strict=True)
        ]  # fmt: skip

    def _texts(self, draft: _Draft, positions: Sequence[int], tiers: Sequence[Tier]) -> list[str]:
        """Text of each shown position at its tier, facing the query where there is one."""
        facing = bool(self._frame.weights) and self._frame.query.facing
        plain = {i for i, tier in zip(positions, tiers, strict=True) if tier is FULL or draft.short[i]}
        fulls = self._fetch(draft, positions if facing else [i for i in positions if i in plain], FULL)
        texts: dict[int, str | None] = {i: fulls[i] for i in plain}
        for tier in (SUMMARY, HEADLINE):
            group = [i for i, at in zip(positions, tiers, strict=True) if at is tier and i not in plain]
            if facing:
                texts |= {i: self._face(fulls[i], tier, draft.costs[i][tier] - draft.label_tokens[i]) for i in group}
            texts |= self._fetch(draft, [i for i in group if not texts.get(i)], tier)
        return [texts[i] or "" for i in positions]

    def _fetch(self, draft: _Draft, positions: Sequence[int], level: Tier) -> dict[int, str]:
        ids = self._columns.id[draft.ranked.rows[list(positions)]].tolist() if positions else []
        found = self._store.texts(ids, level) if ids else {}
        return {i: found.get(memory_id, "") for i, memory_id in zip(positions, ids, strict=True)}

    def _face(self, full: str, tier: Tier, max_tokens: int) -> str | None:
        """The memory's own sentences nearest to the query, no longer than the stored text. Very long ones keep theirs."""
        if len(full) > FACING_CHARS:
            return None
        turn = face_summary if tier is SUMMARY else face_headline
        return turn(full, self._frame.weights, max_tokens=max_tokens, counter=self._counter)

    def _cut(self, view: View, name: str, room: int) -> tuple[View, str]:
        """The view with as much of the start of its text as fits, marked, and that text as it is shown."""
        text = as_line(view.text)
        low, high = 0, len(text)
        fixed = self._counter.count(f"{name} …")
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._counter.count(text[:middle]) + fixed <= room else (low, middle - 1)
        kept = text[:low].rstrip() + "…"
        notes = view.notes if "cut" in view.notes else (*view.notes, "cut")
        placed = render.shown(kept, view.tier)
        return replace(view, text=kept, tokens=sum(self._counter.counts([name, placed])), notes=notes), placed


def _with_floor(notes: tuple[str, ...], floor: int, tier: Tier, given: bool) -> tuple[str, ...]:
    """Notes of a view: what its label says, the floor that holds it up, and that its date stands in."""
    if floor and floor >= tier:
        notes = (*notes, "pinned" if floor == FULL else f"floor {TIER_NAMES[floor]}")
    return notes if given else (*notes, DATE_NOTE)
