"""A language model within bounds: each request is reserved before and settled after it, tried again where that may help, made
when the minute has room for it, and not made while the model rests or where the spend cap could be passed. All of it is in the
store and holds across processes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from lodmem.errors import ModelError, ModelRefused, ModelUnavailable, SpendCapReached
from lodmem.model.memory import to_datetime
from lodmem.model.spend import (
    FAILURES,
    LOOK_BACK,
    MILLION,
    MINUTE,
    MINUTE_US,
    Caps,
    Ceiling,
    LlmCall,
    Outcome,
    Rate,
    resting_until,
    room_at,
)
from lodmem.models.chat import ChatClient, Said, Unusable, most_tokens
from lodmem.models.http import Failure, wait_before
from lodmem.ports import Answer, Clock, Store, Wait

TRY = "test"  # asked by a person who wants to know whether it answers: not kept from a resting model
_VARIABLES = {"tokens": "LODMEM_LLM_CAP", "cost": "LODMEM_LLM_CAP_COST"}
_LOOK_US = 5 * MILLION  # who waits for room looks so often: calls that end at less than their worst make some
_LONGEST_TURN_US = 2 * MINUTE_US  # a minute, and a generous one for others who look at the clock a moment later


class Waits:
    """Who waits in this process, for those who show it. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waits: dict[object, Wait] = {}

    def first(self) -> Wait | None:
        """The one that ends first; None: nobody waits."""
        with self._lock:
            return min(self._waits.values(), key=lambda wait: wait.until_us, default=None)

    @contextmanager
    def noted(self, wait: Wait) -> Iterator[None]:
        key = object()
        with self._lock:
            self._waits[key] = wait
        try:
            yield
        finally:
            with self._lock:
                del self._waits[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """`run` names this process's calls; a day begins in `zone`; a request is tried `attempts` times; `chance` gives 0..1."""

    store: Store
    clock: Clock
    caps: Caps
    zone: ZoneInfo
    run: str
    sleep: Callable[[float], None]
    chance: Callable[[], float]
    attempts: int = 4
    waits: Waits = field(default_factory=Waits)


class GuardedModel:
    """The LanguageModel port over a client."""

    def __init__(self, client: ChatClient, bounds: Bounds) -> None:
        self._client, self._bounds = client, bounds

    def __repr__(self) -> str:
        return f"GuardedModel({self._client!r})"

    @property
    def name(self) -> str:
        return self._client.name

    def complete(self, system: str, user: str, *, max_tokens: int, task: str) -> Answer:
        """See LanguageModel. Each attempt is a call of its own."""
        for attempt in range(1, self._bounds.attempts + 1):
            outcome = self._once(system, user, max_tokens, task)
            if isinstance(outcome, Answer):
                return outcome
            if isinstance(outcome, Unusable) or not outcome.passing or attempt == self._bounds.attempts:
                raise outcome.error
            self._sleep(wait_before(attempt, outcome.wait_s, self._bounds.chance()), "to try again")
        raise AssertionError("attempts must be positive")

    def close(self) -> None:
        """Close connections."""
        self._client.close()

    def _once(self, system: str, user: str, max_tokens: int, task: str) -> Said:
        bounds, worst = self._bounds, (most_tokens(system, user), max_tokens)
        number = self._reserve(task, worst)
        outcome = self._client.ask(system, user, max_tokens=max_tokens)
        tokens_in, tokens_out = used = _used(outcome, worst)
        bounds.store.settle_call(
            number, tokens_in=tokens_in, tokens_out=tokens_out, cost=bounds.caps.price(self.name, *used), outcome=_kind(outcome)
        )
        return outcome

    def _reserve(self, task: str, worst: tuple[int, int]) -> int:
        """Number of a call that may be made now."""
        bounds, cost = self._bounds, self._bounds.caps.price(self.name, *worst)
        while True:
            if task != TRY:
                self._refuse_while_resting()
            now = bounds.clock.now_us()
            call = LlmCall(
                at_us=now, run=bounds.run, model=self.name, task=task, tokens_in=worst[0], tokens_out=worst[1], cost=cost
            )
            minute = bounds.caps.rate.ceiling(now, call.tokens)
            ceilings = bounds.caps.ceilings(now, bounds.zone, bounds.run) + ([minute] if minute else [])
            number = bounds.store.reserve_call(call, ceilings)
            if isinstance(number, int):
                return number
            if number.period != MINUTE:
                raise _cap_reached(number, self.name)
            self._wait_for_room(call, number)

    def _wait_for_room(self, call: LlmCall, minute: Ceiling) -> None:
        """Wait a while, at most until the minute has room. Who is overtaken waits again."""
        until = room_at(self._bounds.store.calls_since(minute.since_us), minute, call)
        why = "for its turn: " + " and ".join(_told(self._bounds.caps.rate)) + " a minute"
        if until - call.at_us > _LONGEST_TURN_US:  # calls that were made in the future: somebody's clock was wrong
            raise ModelUnavailable(
                f"{self.name} may be asked again at {self._when(until)}: {why}", hint="'lodmem llm' shows what was asked"
            )
        self._sleep(min(until - call.at_us, _LOOK_US) / MILLION, why, until_us=until)

    def _sleep(self, seconds: float, why: str, *, until_us: int = 0) -> None:
        until = until_us or self._bounds.clock.now_us() + round(seconds * MILLION)
        with self._bounds.waits.noted(Wait(until, f"{self.name} waits {why}")):
            self._bounds.sleep(seconds)

    def _when(self, at_us: int) -> str:
        return f"{to_datetime(at_us).astimezone(self._bounds.zone):%H:%M:%S}"

    def _refuse_while_resting(self) -> None:
        store, now = self._bounds.store, self._bounds.clock.now_us()
        until = resting_until(store.recent_calls(self.name, limit=LOOK_BACK), now)
        if until:
            raise ModelUnavailable(
                f"{self.name} failed {FAILURES} times or more in a row and is left in peace until {self._when(until)}",
                hint="'lodmem llm' shows its state; check that its server is running",
            )


def _used(outcome: Said, worst: tuple[int, int]) -> tuple[int, int]:
    """Tokens in and out; the worst case where the server may have worked and nobody knows how much."""
    if isinstance(outcome, Failure):
        return outcome.used or (worst if outcome.worked else (0, 0))
    return outcome.tokens_in, outcome.tokens_out


def _kind(outcome: Said) -> Outcome:
    if isinstance(outcome, Answer):
        return Outcome.DONE
    error: ModelError = outcome.error
    if isinstance(error, ModelRefused):
        return Outcome.REFUSED
    return Outcome.UNAVAILABLE if isinstance(error, ModelUnavailable) else Outcome.BAD_ANSWER


def _told(rate: Rate) -> list[str]:
    requests = [f"{rate.calls:,} requests"] if rate.calls is not None else []
    return requests + ([f"{rate.tokens:,} tokens"] if rate.tokens is not None else [])


def _cap_reached(ceiling: Ceiling, model: str) -> SpendCapReached:
    allowed = [f"{ceiling.tokens:,} tokens"] if ceiling.tokens is not None else []
    if ceiling.cost is not None:
        allowed.append(f"{ceiling.cost / MILLION:,.2f} of money")
    names = " or ".join(_VARIABLES[kind] for kind in ("tokens", "cost") if getattr(ceiling, kind) is not None)
    then = {"day": "it goes on tomorrow", "run": "run it again"}.get(ceiling.period, "")
    return SpendCapReached(
        f"a call of {model} could pass the spend cap a {ceiling.period}: {' and '.join(allowed)}",
        hint=f"'lodmem llm' shows what was used; {then + ', or ' if then else ''}raise {names}",
    )
