"""The claim measured: at equal tokens, does a landscape show more of the evidence than whole texts in order of relevance?

Both get the same memories, the same relevance, the same line before each text and the same count of tokens. It refuses to
know any data set's format.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from lodmem._version import __version__
from lodmem.evals.budget_report import BudgetReport
from lodmem.evals.datasets import Case, Dataset, Question, as_sessions
from lodmem.evals.flat import Line as FlatLine
from lodmem.evals.flat import cut, lines_of, passing_over, whole
from lodmem.evals.kept import Line
from lodmem.evals.metrics.evidence import evidence_words, is_shown
from lodmem.evals.metrics.mean import mean
from lodmem.evals.outcome import SESSION, TURN
from lodmem.evals.runner import Asker, Plan, run
from lodmem.evals.stores import Opened
from lodmem.model.landscape import Landscape
from lodmem.model.memory import Memory, Tier
from lodmem.model.profile import MIN_BUDGET
from lodmem.ports import TokenCounter

BUDGETS = (1000, 2000, 4000, 8000, 16000, 32000)
UNITS = (TURN, SESSION)
EXPANSIONS = 3
EXPAND_SHARE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """How tokens are spent. `units`: one memory a turn, one a session, or both. `fill`: use the whole budget.

    `facing`: draw summaries and headlines towards the question.
    """

    budgets: tuple[int, ...] = BUDGETS
    units: tuple[str, ...] = UNITS
    fill: bool = True
    facing: bool = True


def evaluate_budget(dataset: Dataset, plan: Plan, spending: Spending) -> BudgetReport:
    """What a landscape and what flat lists show of the evidence, by unit and budget. Raises as `run.evaluate`."""
    started = time.perf_counter()
    lines: dict[str, list[Line]] = {}
    for unit in spending.units:
        asked = dataset if unit == TURN else replace(dataset, cases=tuple(as_sessions(case) for case in dataset.cases))
        evidence = evidence_of(dataset, unit)
        settings = {"measure": "budget", "unit": unit, **asdict(spending)}
        own = plan if plan.out_dir is None else replace(plan, out_dir=plan.out_dir / unit)
        lines[unit] = run(asked, own, settings, lambda store, known=evidence: _asker(store, spending, known))  # type: ignore[misc]
    return BudgetReport(
        dataset=dataset.name,
        lines=lines,
        budgets=spending.budgets,
        fill=spending.fill,
        facing=spending.facing,
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        half=plan.half,
        seed=plan.seed,
    )


# (label of the memory that holds it, stemmed words of its best sentence)
Evidence = tuple[str, frozenset[str]]


def evidence_of(dataset: Dataset, unit: str) -> dict[str, list[Evidence]]:
    """The evidence of each question by its id, one memory a turn or a session."""
    found: dict[str, list[Evidence]] = {}
    for case in dataset.cases:
        place = {label: index for index, label in enumerate(case.labels)}
        for question in case.questions:
            found[question.id] = [_sentence(case, place[label], question, unit) for label in question.gold]
    return found


def _sentence(case: Case, index: int, question: Question, unit: str) -> Evidence:
    label = case.labels[index] if unit == TURN else case.sessions[index]
    return label, evidence_words(case.drafts[index].full, question.text, question.answer)


def _asker(store: Opened, spending: Spending, evidence: Mapping[str, Sequence[Evidence]]) -> Asker:
    def ask(question: Question) -> Line:
        gold = dict.fromkeys(store.ids[label] for label in question.gold)
        told = [(store.ids[label], words) for label, words in evidence[question.id] if words]
        return {
            "text": question.text,
            "gold": list(question.gold),
            "shown": _Test(store, spending, question, gold, told).shown(),
        }

    return ask


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is visible: tier and text by memory. A memory that has one text for all tiers is in full wherever it is."""

    tiers: Mapping[int, Tier]
    texts: Mapping[int, str]
    used: int


class _Test:
    """One question, all budgets, all policies."""

    def __init__(
        self,
        store: Opened,
        spending: Spending,
        question: Question,
        gold: Mapping[int, None],
        evidence: Sequence[tuple[int, frozenset[str]]],
    ) -> None:
        self._store, self._spending, self._question = store, spending, question
        self._gold, self._evidence = list(gold), evidence
        looker, _ = store.engine.looker()
        self._counter: TokenCounter = looker.counter
        self._full: dict[int, Memory] = {m.id: m for m in store.engine.expand(*self._gold, touch=False)}
        self._flat = lines_of(store.engine, question.text, now_us=store.clock.at_us)

    def shown(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Shares of the evidence by policy and budget."""
        found: dict[str, dict[str, dict[str, float | None]]] = {}
        for budget in self._spending.budgets:
            seen = self._landscape(budget)
            policies = {"landscape": seen, **self._flats(budget), **self._agents(budget)}
            for policy, what in policies.items():
                found.setdefault(policy, {})[str(budget)] = self._shares(what)
        return found

    def _shares(self, seen: _Shown) -> dict[str, float | None]:
        tiers = [seen.tiers.get(memory_id, Tier.HORIZON) for memory_id in self._gold]
        told = [is_shown(words, seen.texts.get(memory_id, "")) for memory_id, words in self._evidence]
        return {
            "visible": round(mean(float(tier >= Tier.HEADLINE) for tier in tiers), 6),
            "summary": round(mean(float(tier >= Tier.SUMMARY) for tier in tiers), 6),
            "full": round(mean(float(tier >= Tier.FULL) for tier in tiers), 6),
            "evidence": round(mean(map(float, told)), 6) if told else None,
            "used": float(seen.used),
        }

    def _landscape(self, budget: int) -> _Shown:
        return self._read(self._search(budget))

    def _search(self, budget: int) -> Landscape:
        return self._store.engine.search(
            self._question.text, budget=max(budget, MIN_BUDGET), alpha=1.0, touch=False,
            fill=self._spending.fill, facing=self._spending.facing,
        )  # fmt: skip

    def _read(self, landscape: Landscape) -> _Shown:
        tiers, texts = {}, {}
        for view in landscape.views:
            one_text = view.id in self._full and self._full[view.id].is_short
            tier = Tier.FULL if one_text else view.tier
            tiers[view.id] = Tier.HEADLINE if "cut" in view.notes else tier
            texts[view.id] = view.text
        return _Shown(tiers, texts, landscape.budget.used)

    def _flats(self, budget: int) -> dict[str, _Shown]:
        room = budget - self._flat.overhead
        lines = self._flat.lines
        kept = whole(lines, room)
        plain = self._listed(lines[:kept])
        rest = room - sum(line.tokens for line in lines[:kept])
        cut_one = self._cut_one(lines[kept], rest) if kept < len(lines) else {}
        return {
            "flat": plain,
            "flat, last one cut": _Shown(
                {**plain.tiers, **dict.fromkeys(cut_one, Tier.HEADLINE)}, {**plain.texts, **cut_one}, budget
            ),
            "flat, passing over": self._listed(passing_over(lines, room)),
        }

    def _listed(self, lines: Sequence[FlatLine]) -> _Shown:
        used = self._flat.overhead + sum(line.tokens for line in lines)
        ids = {line.id for line in lines}
        texts = {i: memory.full for i, memory in self._full.items() if i in ids}
        return _Shown(dict.fromkeys(ids, Tier.FULL), texts, used)

    def _cut_one(self, line: FlatLine, room: int) -> dict[int, str]:
        """The first text that does not fit, cut to what is left. Only evidence is worth the work."""
        if line.id not in self._full:
            return {}
        text = cut(self._full[line.id].full, room - line.label_tokens, self._counter)
        return {line.id: text} if text else {}

    def _agents(self, budget: int) -> dict[str, _Shown]:
        """A landscape for three quarters of the tokens, then three expansions within the rest: best first, or by an oracle."""
        first = self._search(int(budget * (1.0 - EXPAND_SHARE)))
        seen = self._read(first)
        below = [view.id for view in first.views if seen.tiers[view.id] < Tier.FULL and not self._one_text(view.id)]
        oracle = sorted(below, key=lambda i: i not in self._full)
        left = budget - first.budget.used
        return {"agent, best first": self._expanded(seen, below, left), "agent, oracle": self._expanded(seen, oracle, left)}

    def _one_text(self, memory_id: int) -> bool:
        return memory_id in self._full and self._full[memory_id].is_short

    def _expanded(self, seen: _Shown, order: Sequence[int], left: int) -> _Shown:
        cost = {line.id: line.tokens for line in self._flat.lines}
        tiers, texts, used, done = dict(seen.tiers), dict(seen.texts), seen.used, 0
        for memory_id in order:
            if done == EXPANSIONS:
                break
            price = cost.get(memory_id)
            if price is None or price > left:
                continue
            left -= price
            used += price
            done += 1
            tiers[memory_id] = Tier.FULL
            if memory_id in self._full:
                texts[memory_id] = self._full[memory_id].full
        return _Shown(tiers, texts, used)
