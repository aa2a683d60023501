"""From ranked rows to a landscape: texts at their tier, drawn towards the query, inside the budget, with its account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.budget import spend
from lodmem.model.landscape import DATE_NOTE, BudgetAccount, Landscape, View
from lodmem.model.memory import Source, Status, Tier
from lodmem.model.profile import Profile
from lodmem.model.query import Mode, Query
from lodmem.ports import Store, TokenCounter
from lodmem.retrieval import render
from lodmem.retrieval.ranked import Ranked, Rows, Tiers
from lodmem.scan.columns import KINDS, STATUSES, Columns
from lodmem.text.facing import face_headline, face_summary
from lodmem.text.quote import as_line

FACING_CHARS = 60_000
WHY_SHARE = 0.15
TIER_NAMES = ("horizon", "headline", "summary", "full")
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
    """Candidates with their labels and what each would cost at each tier. `natural` shows at least one."""

    ranked: Ranked
    labels: list[str]
    label_tokens: list[int]
    costs: list[tuple[int, int, int, int]]
    natural: list[int]


class Composer:
    """Builds landscapes over one store's columns, texts and token counter."""

    def __init__(self, store: Store, columns: Columns, counter: TokenCounter, frame: Frame) -> None:
        self._store, self._columns, self._counter, self._frame = store, columns, counter, frame
        self._words_only = self._why(frame.words_only, frame.profile.budget) if frame.words_only else None

    def compose(self, ranked: Ranked) -> Landscape:
        """A landscape by worth: the budget decides who is seen at which tier."""
        draft = self._draft(ranked)
        budget = self._frame.profile.budget
        room = None if budget is None else max(1, budget - self._overhead(len(ranked.rows)))
        short = [bool(s) for s in self._columns.short[ranked.rows]]
        spent = spend(
            ranked.score.tolist(), draft.natural, ranked.floors.tolist(), draft.costs, short, room, fill=self._frame.query.fill
        )
        return self._finish(draft, spent.tiers, spent.bias, room if spent.cut else None)

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
        labels = self._labels(ranked)
        own = self._counter.counts(labels)
        tokens = self._columns.tokens[ranked.rows].tolist()
        costs = [(0, name + low, name + mid, name + high) for name, (high, mid, low) in zip(own, tokens, strict=True)]
        return _Draft(ranked, labels, own, costs, self._never_empty(ranked))

    def _labels(self, ranked: Ranked) -> list[str]:
        columns, frame = self._columns, self._frame
        rows = ranked.rows
        given = zip(columns.id[rows].tolist(), columns.created[rows].tolist(), columns.given[rows].tolist(), strict=True)
        noted = np.flatnonzero((columns.status[rows] != ACTIVE) | (columns.superseded_by[rows] != 0))
        notes = {int(i): self._notes(int(rows[i])) for i in noted}
        return [
            render.label(memory_id, created, own, frame.now_us, frame.zone, notes.get(i, ()))
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
        views, names = self._views(draft, tiers)
        if cut_to is not None and views:
            views[0] = self._cut(views[0], names[0], cut_to)
        frame, budget = self._frame, self._frame.profile.budget
        while True:
            counts = {name: sum(1 for view in views if view.tier == tier) for tier, name in enumerate(TIER_NAMES)}
            counts["horizon"] = len(draft.ranked.rows) - len(views) if following is None else 0
            more = frame.query.offset + len(views) if following is not None and len(views) < following else None
            first = render.head(counts, excluded=frame.excluded, words_only=self._words_only, more=more)
            text = render.render(first, views, names, grouped=frame.query.mode in GROUPED)
            used = self._counter.count(text)
            if budget is None or used <= budget or not self._shrink(views, names, used - budget):
                break
        shown = {view.id: view.tier for view in views}
        wanted = dict(zip(self._columns.id[draft.ranked.rows].tolist(), draft.natural, strict=True))
        account = BudgetAccount(
            requested=budget,
            used=used,
            bias=bias,
            stepped_down=sum(1 for memory_id, tier in shown.items() if tier < wanted[memory_id]),
            dropped=sum(1 for memory_id, tier in wanted.items() if tier and memory_id not in shown and following is None),
        )
        return Landscape(
            mode=frame.query.mode, query=frame.query.text, views=tuple(views), counts=counts, budget=account,
            excluded=frame.excluded, considered=frame.considered, profile=frame.profile, now_us=frame.now_us,
            next_offset=more, words_only=frame.words_only, rendering=text,
        )  # fmt: skip

    def _shrink(self, views: list[View], names: list[str], over: int) -> bool:
        """Make the rendering smaller by the last view, or by the end of the only one; False when nothing is left to give."""
        if len(views) > 1:
            views.pop()
            names.pop()
            return True
        if not views:
            return False
        smaller = self._cut(views[0], names[0], views[0].tokens - over)
        shrunk = smaller.text != views[0].text
        views[0] = smaller
        return shrunk

    def _views(self, draft: _Draft, tiers: Tiers) -> tuple[list[View], list[str]]:
        shown = [int(i) for i in np.flatnonzero(tiers)]
        found = self._texts(draft.ranked, tiers, shown)
        texts = [found[i] for i in shown]
        counts = self._counter.counts([render.shown(found[i], Tier(int(tiers[i]))) for i in shown])
        views = [
            self._view(draft, i, Tier(int(tiers[i])), text, draft.label_tokens[i] + count)
            for i, text, count in zip(shown, texts, counts, strict=True)
        ]
        return views, [draft.labels[i] for i in shown]

    def _view(self, draft: _Draft, i: int, tier: Tier, text: str, tokens: int) -> View:
        columns, ranked = self._columns, draft.ranked
        row = int(ranked.rows[i])
        source = int(columns.source[row])
        return View(
            id=int(columns.id[row]), tier=tier, natural=Tier(draft.natural[i]), text=text, tokens=tokens,
            score=float(ranked.score[i]), relevance=None if ranked.relevance is None else float(ranked.relevance[i]),
            decay=float(ranked.decay[i]), created_us=int(columns.created[row]), created_given=bool(columns.given[row]),
            space=columns.spaces.names[columns.space[row]], agent=columns.agents.names[columns.agent[row]],
            kind=KINDS[columns.kind[row]], status=STATUSES[columns.status[row]],
            retrieval_count=int(columns.count[row]), tags=columns.tags_of(row),
            source=None if source < 0 else Source(*columns.source_names[source], int(columns.sequence[row])),
            notes=self._view_notes(ranked, i, tier),
        )  # fmt: skip

    def _view_notes(self, ranked: Ranked, i: int, tier: Tier) -> tuple[str, ...]:
        row = int(ranked.rows[i])
        notes = list(self._notes(row))
        floor = Tier(int(ranked.floors[i]))
        if floor and floor >= tier:
            notes.append("pinned" if floor is Tier.FULL else f"floor {floor.label}")
        if not self._columns.given[row]:
            notes.append(DATE_NOTE)
        return tuple(notes)

    def _texts(self, ranked: Ranked, tiers: Tiers, shown: Sequence[int]) -> dict[int, str]:
        """Text of each shown position at its tier, facing the query where there is one."""
        columns = self._columns
        rows = ranked.rows
        facing = bool(self._frame.weights) and self._frame.query.facing
        whole = [i for i in shown if tiers[i] == Tier.FULL or columns.short[rows[i]] or facing]
        found = self._fetch(rows, whole, Tier.FULL)
        texts = {i: found[i] for i in whole if tiers[i] == Tier.FULL or columns.short[rows[i]]}
        for tier in (Tier.SUMMARY, Tier.HEADLINE):
            group = [i for i in shown if tiers[i] == tier and i not in texts]
            turned = {i: self._face(found[i], tier, columns.tokens[rows[i]]) for i in group} if facing else {}
            missing = [i for i in group if not turned.get(i)]
            stored = self._fetch(rows, missing, tier)
            texts |= {i: turned.get(i) or stored[i] for i in group}
        return texts

    def _fetch(self, rows: Rows, positions: Sequence[int], level: Tier) -> dict[int, str]:
        ids = self._columns.id[rows[list(positions)]].tolist() if positions else []
        found = self._store.texts(ids, level) if ids else {}
        return {i: found.get(memory_id, "") for i, memory_id in zip(positions, ids, strict=True)}

    def _face(self, full: str, tier: Tier, tokens: NDArray[np.int32]) -> str | None:
        """The memory's own sentences nearest to the query, no longer than the stored text. Very long ones keep theirs."""
        if len(full) > FACING_CHARS:
            return None
        turn = face_summary if tier is Tier.SUMMARY else face_headline
        return turn(full, self._frame.weights, max_tokens=int(tokens[3 - tier]), counter=self._counter)

    def _cut(self, view: View, name: str, room: int) -> View:
        """The view with as much of the start of its text as fits, marked."""
        text = as_line(view.text)
        low, high = 0, len(text)
        fixed = self._counter.count(f"{name} …")
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._counter.count(text[:middle]) + fixed <= room else (low, middle - 1)
        kept = text[:low].rstrip() + "…"
        notes = view.notes if "cut" in view.notes else (*view.notes, "cut")
        return replace(view, text=kept, tokens=sum(self._counter.counts([name, kept])), notes=notes)
