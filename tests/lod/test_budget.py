"""SPEC 3.5: how a budget is spent, against a slow reference that follows the sentence word by word."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lodmem.lod.budget import Spending, spend, worth
from lodmem.model.memory import Tier

HORIZON, HEADLINE, SUMMARY, FULL = Tier
UTILITIES = {0: 0.0, 1: 0.2, 2: 0.5, 3: 1.0}


@dataclass(frozen=True)
class Case:
    """Candidates best first, as `spend` takes them."""

    scores: tuple[float, ...]
    natural: tuple[int, ...]
    floors: tuple[int, ...]
    costs: tuple[tuple[int, int, int, int], ...]
    short: tuple[bool, ...]
    budget: int | None
    fill: bool = False

    def spent(self) -> Spending:
        return spend(self.scores, self.natural, self.floors, self.costs, self.short, self.budget, fill=self.fill)

    def price(self, tiers: list[int]) -> int:
        return sum(cost[tier] for cost, tier in zip(self.costs, tiers, strict=True))


# -- the slow reference -------------------------------------------------------------------------------------------------


def key(score: float, gain: float, tokens: int) -> float:
    lod = min(max(score, 1e-6), 1 - 1e-6)
    return 3 * log(lod / (1 - lod)) + log(gain / tokens)


def reachable(case: Case, i: int) -> list[int]:
    """Tiers above nothing that candidate i may have, low to high."""
    ceiling = 3 if case.fill else case.natural[i]
    if not ceiling:
        return []
    if case.short[i]:
        return [max(case.natural[i], 1)]
    return list(range(1, ceiling + 1))


def with_tier(tiers: list[int], i: int, tier: int) -> list[int]:
    return [*tiers[:i], tier, *tiers[i + 1 :]]


def slow_spend(case: Case) -> tuple[list[int], float | None, bool]:
    """Tiers, the key at the cut, whether the best one must be cut."""
    n, room = len(case.scores), inf if case.budget is None else case.budget
    wanted = list(case.natural) if case.budget is None else [(reachable(case, i) or [0])[-1] for i in range(n)]
    if case.price(wanted) <= room:
        return wanted, None, False
    best = next(i for i in range(n) if reachable(case, i))
    tiers = with_tier([0] * n, best, reachable(case, best)[0])
    if case.price(tiers) > room:
        return tiers, key(case.scores[best], 1.0, case.price(tiers)), True
    tiers = seat_floors(case, tiers, room)
    passed: set[tuple[int, int, int]] = set()
    cut: float | None = None
    while step := best_step(case, tiers, passed):
        found, i, tier = step
        if case.price(with_tier(tiers, i, tier)) <= room:
            tiers = with_tier(tiers, i, tier)
        else:
            passed.add((i, tiers[i], tier))
            cut = found if cut is None else cut
    return tiers, cut, False


def seat_floors(case: Case, tiers: list[int], room: float) -> list[int]:
    """Best first, each as high as its floor wants and the room allows."""
    for i, floor in enumerate(case.floors):
        for tier in reversed(reachable(case, i)):
            wanted = tier <= floor or (case.short[i] and floor > 0)
            if wanted and tier > tiers[i] and case.price(with_tier(tiers, i, tier)) <= room:
                tiers = with_tier(tiers, i, tier)
                break
    return tiers


def best_step(case: Case, tiers: list[int], passed: set[tuple[int, int, int]]) -> tuple[float, int, int] | None:
    """(key, candidate, tier) of the best step of all candidates to any higher tier that was not passed over."""
    steps = []
    for i, tier_now in enumerate(tiers):
        for tier in reachable(case, i):
            if tier > tier_now and (i, tier_now, tier) not in passed:
                gain = 1.0 if case.short[i] else UTILITIES[tier] - UTILITIES[tier_now]
                steps.append((key(case.scores[i], gain, case.costs[i][tier] - case.costs[i][tier_now]), i, tier))
    return max(steps, key=lambda step: (step[0], -step[1], -step[2]), default=None)


# -- random candidates --------------------------------------------------------------------------------------------------


@st.composite
def cases(draw: st.DrawFn, fill: bool | None = None, most: int = 12) -> Case:
    n = draw(st.integers(1, most))
    scores = sorted((draw(st.integers(0, 1_000_000)) / 1e6 for _ in range(n)), reverse=True)
    floors = [draw(st.sampled_from([0, 0, 0, 1, 2, 3])) for _ in range(n)]
    natural = [max(3 if s >= 0.6 else 2 if s >= 0.3 else 1 if s >= 0.05 else 0, f) for s, f in zip(scores, floors, strict=True)]
    if not any(natural):
        natural[0] = 1
    short = [draw(st.booleans()) for _ in range(n)]
    costs = []
    for one in short:
        low, more, most_tokens = draw(st.integers(8, 40)), draw(st.integers(1, 60)), draw(st.integers(1, 400))
        costs.append((0, low, low, low) if one else (0, low, low + more, low + more + most_tokens))
    budget = draw(st.one_of(st.none(), st.integers(1, 120), st.integers(1, 2500)))
    wanted = draw(st.booleans()) if fill is None else fill
    return Case(tuple(scores), tuple(natural), tuple(floors), tuple(costs), tuple(short), budget, wanted)


def tiers_of(spent: Spending) -> list[int]:
    return spent.tiers.tolist()


# -- the sentence, word by word -----------------------------------------------------------------------------------------


@pytest.mark.req("R3.11")
@settings(max_examples=300)
@given(case=cases())
def test_the_same_as_the_slow_reference(case: Case) -> None:
    tiers, cut, must_cut = slow_spend(case)
    spent = case.spent()
    assert tiers_of(spent) == tiers
    assert spent.cut is must_cut
    assert spent.bias == pytest.approx(cut)


@pytest.mark.req("R3.11")
@pytest.mark.parametrize(
    ("score", "gain", "tokens", "expected"),
    [
        (0.5, 1.0, 1, 0.0),
        (0.5, 0.2, 10, log(0.02)),
        (0.75, 0.5, 5, 3 * log(3) + log(0.1)),
        (0.0, 1.0, 1, 3 * log(1e-6 / (1 - 1e-6))),
        (1.0, 1.0, 1, -3 * log(1e-6 / (1 - 1e-6))),
        (0.5, 1.0, 0, 0.0),
        (0.5, 1.0, -4, 0.0),
    ],
)
def test_worth_by_hand(score: float, gain: float, tokens: int, expected: float) -> None:
    assert worth(score, gain, tokens) == pytest.approx(expected)


@pytest.mark.req("R3.11")
@given(score=st.floats(0.0, 1.0), more=st.floats(0.0, 1.0), gain=st.floats(0.01, 1.0), tokens=st.integers(1, 10_000))
def test_worth_rises_with_score_and_gain_and_falls_with_cost(score: float, more: float, gain: float, tokens: int) -> None:
    assert worth(max(score, more), gain, tokens) >= worth(score, gain, tokens)
    assert worth(score, gain / 2, tokens) < worth(score, gain, tokens)
    assert worth(score, gain, tokens + 1) < worth(score, gain, tokens)


@pytest.mark.req("R3.11")
def test_a_small_example_by_hand() -> None:
    # Keys of the first steps: A full ln(1/100) + 3 ln(.8/.2) = -.45, A headline ln(.2/10) + 4.16 = .25, A summary
    # ln(.5/30) + 4.16 = .06; B (odds 1) headline ln(.2/10) = -3.91, summary ln(.5/20) = -3.69. After A's headline its best
    # step is full, ln(.8/90) + 4.16 = -.56, then B's summary.
    case = Case((0.8, 0.5), (3, 2), (0, 0), ((0, 10, 30, 100), (0, 10, 20, 50)), (False, False), 119)
    spent = case.spent()
    assert tiers_of(spent) == [FULL, HEADLINE]
    assert spent.used == 110
    assert spent.bias == pytest.approx(log(0.5 / 20))
    assert tiers_of(replace(case, budget=120).spent()) == [FULL, SUMMARY]
    assert replace(case, budget=120).spent().bias is None
    assert tiers_of(replace(case, budget=99).spent()) == [SUMMARY, SUMMARY]
    assert tiers_of(replace(case, budget=10).spent()) == [HEADLINE, HORIZON]


@pytest.mark.req("R3.11")
def test_what_does_not_fit_is_passed_over_for_what_does() -> None:
    case = Case(
        (0.9, 0.8, 0.4), (3, 3, 1), (0, 0, 0), ((0, 40, 40, 40), (0, 50, 50, 50), (0, 9, 20, 60)), (True, True, False), 60
    )
    assert tiers_of(case.spent()) == [FULL, HORIZON, HEADLINE]


# -- invariants -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("R3.10")
@given(case=cases())
def test_never_over_the_room_unless_the_best_is_cut(case: Case) -> None:
    spent = case.spent()
    if spent.cut:
        assert spent.used == case.budget
    else:
        assert spent.used == case.price(tiers_of(spent))
        assert case.budget is None or spent.used <= case.budget


@pytest.mark.req("R3.12")
@given(case=cases(fill=False))
def test_natural_tiers_are_the_ceiling(case: Case) -> None:
    assert all(tier <= natural for tier, natural in zip(tiers_of(case.spent()), case.natural, strict=True))


@pytest.mark.req("R3.12")
@given(case=cases(fill=False))
def test_with_room_enough_the_natural_tiers_come_back(case: Case) -> None:
    for budget in (None, case.price(list(case.natural)), 1_000_000):
        spent = replace(case, budget=budget).spent()
        assert tiers_of(spent) == list(case.natural)
        assert spent.bias is None
        assert not spent.cut


@pytest.mark.req("R3.16")
@given(case=cases(fill=False))
def test_the_bias_is_there_exactly_when_something_was_cut(case: Case) -> None:
    spent = case.spent()
    assert (spent.bias is None) == (tiers_of(spent) == list(case.natural) and not spent.cut)


@pytest.mark.req("R3.12")
@given(case=cases(fill=True))
def test_fill_shows_no_less_and_all_of_it_where_it_fits(case: Case) -> None:
    everything = [max(n, 1) if s else 3 for n, s in zip(case.natural, case.short, strict=True)]
    spent = replace(case, budget=case.price(everything)).spent()
    assert tiers_of(spent) == everything
    assert spent.bias is None


@pytest.mark.req("R3.12")
def test_fill_goes_above_the_natural_tier_and_below_the_horizon() -> None:
    case = Case((0.4, 0.01), (2, 0), (0, 0), ((0, 10, 20, 50), (0, 10, 20, 50)), (False, False), 75)
    assert tiers_of(case.spent()) == [SUMMARY, HORIZON]
    assert tiers_of(replace(case, fill=True).spent()) == [FULL, SUMMARY]


@pytest.mark.req("R3.15")
@given(case=cases())
def test_the_best_is_never_dropped(case: Case) -> None:
    tiers = tiers_of(case.spent())
    best = next(i for i in range(len(tiers)) if case.natural[i] or (case.fill and case.budget is not None))
    assert tiers[best] > HORIZON


@pytest.mark.req("R3.15")
def test_the_best_is_cut_when_not_even_its_headline_fits() -> None:
    spent = Case((0.9, 0.8), (3, 3), (0, 3), ((0, 30, 60, 90), (0, 8, 8, 8)), (False, True), 20).spent()
    assert (tiers_of(spent), spent.used, spent.cut) == ([HEADLINE, HORIZON], 20, True)
    assert spent.bias == worth(0.9, 1.0, 30)


@pytest.mark.req("R3.12", "R3.15")
def test_what_lies_below_the_horizon_is_not_the_best_because_a_floor_stands_behind_it() -> None:
    case = Case((0.04, 0.03, 0.02), (0, 2, 1), (0, 2, 1), ((0, 10, 20, 50),) * 3, (False,) * 3, 25)
    assert tiers_of(case.spent()) == [HORIZON, SUMMARY, HORIZON]


@pytest.mark.req("R3.13")
@given(case=cases(fill=False))
def test_floors_are_seated_when_all_of_them_fit(case: Case) -> None:
    floors = [n if s and f else f for f, s, n in zip(case.floors, case.short, case.natural, strict=True)]
    best = next(i for i, n in enumerate(case.natural) if n)
    seats = [max(f, 1) if i == best else f for i, f in enumerate(floors)]
    if case.short[best]:
        seats[best] = case.natural[best]
    spent = replace(case, budget=case.price(seats) + (case.budget or 0)).spent()
    assert all(tier >= floor for tier, floor in zip(tiers_of(spent), floors, strict=True))


@pytest.mark.req("R3.13")
def test_a_floor_comes_before_a_better_score() -> None:
    case = Case((0.9, 0.8, 0.1), (3, 3, 3), (0, 0, 3), ((0, 10, 40, 80),) * 3, (False,) * 3, 100)
    assert tiers_of(case.spent()) == [HEADLINE, HEADLINE, FULL]
    assert tiers_of(replace(case, floors=(0, 0, 0)).spent())[0] == FULL


@pytest.mark.req("R3.13")
def test_a_floor_that_does_not_fit_gives_what_does() -> None:
    case = Case((0.9, 0.1), (3, 3), (0, 3), ((0, 10, 40, 80),) * 2, (False,) * 2, 60)
    assert tiers_of(case.spent()) == [HEADLINE, SUMMARY]


@pytest.mark.req("R3.14")
@given(case=cases())
def test_a_short_memory_takes_one_step(case: Case) -> None:
    for tier, natural, short in zip(tiers_of(case.spent()), case.natural, case.short, strict=True):
        if short:
            assert tier in (0, max(natural, 1))


@given(case=cases())
def test_the_same_candidates_are_always_spent_the_same(case: Case) -> None:
    one, two = case.spent(), case.spent()
    assert (tiers_of(one), one.used, one.bias, one.cut) == (tiers_of(two), two.used, two.bias, two.cut)


@pytest.mark.req("R3.10")
@given(case=cases(fill=False, most=1), more=st.integers(0, 500))
def test_a_memory_alone_is_never_shown_less_for_more(case: Case, more: int) -> None:
    budget = case.budget or 100
    small, large = replace(case, budget=budget).spent(), replace(case, budget=budget + more).spent()
    assert large.tiers[0] >= small.tiers[0]


def test_nothing_costs_nothing() -> None:
    spent = spend([], [], [], [], [], 64)
    assert (tiers_of(spent), spent.used, spent.bias, spent.cut) == ([], 0, None, False)


@given(case=cases(most=12))
def test_equals_are_taken_in_order(case: Case) -> None:
    """Equal candidates differ by their place alone, so none may be shown more than one that stands before it."""
    n = len(case.scores)
    alike = replace(
        case,
        scores=(case.scores[0],) * n,
        natural=(case.natural[0],) * n,
        floors=(0,) * n,
        costs=(case.costs[0],) * n,
        short=(case.short[0],) * n,
    )
    shown = [tier > 0 for tier in tiers_of(alike.spent())]
    assert shown == sorted(shown, reverse=True)
