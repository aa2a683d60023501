"""A language model within bounds: each request is reserved before and settled after it, tried again where that may help, and
not made while the model rests or where the spend cap could be passed. All of it is in the store and holds across processes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from lodmem.errors import ModelError, ModelRefused, ModelUnavailable, SpendCapReached
from lodmem.model.memory import to_datetime
from lodmem.model.spend import FAILURES, LOOK_BACK, MILLION, Caps, Ceiling, LlmCall, Outcome, resting_until
from lodmem.models.chat import ChatClient, Said, Unusable, most_tokens
from lodmem.models.http import Failure, wait_before
from lodmem.ports import Answer, Clock, Store

TRY = "test"  # asked by a person who wants to know whether it answers: not kept from a resting model
_VARIABLES = {"tokens": "LODMEM_LLM_CAP", "cost": "LODMEM_LLM_CAP_COST"}


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
            if task != TRY:
                self._refuse_while_resting()
            outcome = self._once(system, user, max_tokens, task)
            if isinstance(outcome, Answer):
                return outcome
            if isinstance(outcome, Unusable) or not outcome.passing or attempt == self._bounds.attempts:
                raise outcome.error
            self._bounds.sleep(wait_before(attempt, outcome.wait_s, self._bounds.chance()))
        raise AssertionError("attempts must be positive")

    def close(self) -> None:
        """Close connections."""
        self._client.close()

    def _once(self, system: str, user: str, max_tokens: int, task: str) -> Said:
        bounds, worst = self._bounds, (most_tokens(system, user), max_tokens)
        now = bounds.clock.now_us()
        call = LlmCall(
            at_us=now,
            run=bounds.run,
            model=self.name,
            task=task,
            tokens_in=worst[0],
            tokens_out=worst[1],
            cost=bounds.caps.price(self.name, *worst),
        )
        number = bounds.store.reserve_call(call, bounds.caps.ceilings(now, bounds.zone, bounds.run))
        if isinstance(number, Ceiling):
            raise _cap_reached(number, self.name)
        outcome = self._client.ask(system, user, max_tokens=max_tokens)
        tokens_in, tokens_out = used = _used(outcome, worst)
        bounds.store.settle_call(
            number, tokens_in=tokens_in, tokens_out=tokens_out, cost=bounds.caps.price(self.name, *used), outcome=_kind(outcome)
        )
        return outcome

    def _refuse_while_resting(self) -> None:
        store, now = self._bounds.store, self._bounds.clock.now_us()
        until = resting_until(store.recent_calls(self.name, limit=LOOK_BACK), now)
        if until:
            when = to_datetime(until).astimezone(self._bounds.zone)
            raise ModelUnavailable(
                f"{self.name} failed {FAILURES} times or more in a row and is left in peace until {when:%H:%M:%S}",
                hint="'lodmem llm' shows its state; check that its server is running",
            )


def _used(outcome: Said, worst: tuple[int, int]) -> tuple[int, int]:
    """Tokens in and out; the worst case where the server may have worked and nobody knows how much."""
    if isinstance(outcome, Failure):
        return worst if outcome.worked else (0, 0)
    return outcome.tokens_in, outcome.tokens_out


def _kind(outcome: Said) -> Outcome:
    if isinstance(outcome, Answer):
        return Outcome.DONE
    error: ModelError = outcome.error
    if isinstance(error, ModelRefused):
        return Outcome.REFUSED
    return Outcome.UNAVAILABLE if isinstance(error, ModelUnavailable) else Outcome.BAD_ANSWER


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
