"""The engine's verbs about language models: what they did and may still spend, a try, and levels written by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from lodmem.care.base import Verbs
from lodmem.errors import BadParameter, SpendCapReached
from lodmem.ingest.level_work import Desk, Releveled, enqueue, level_tasks, waiting
from lodmem.ingest.work.runner import Runner
from lodmem.model.spend import LOOK_BACK, Ceiling, Outcome, Spent, day_of, resting_until
from lodmem.ports import Answer, Language, Progress, TokenCounter, Wait

TRY_SYSTEM = "Answer with one word."
TRY_USER = "Say: ready"
TRY_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Left:
    """A ceiling, and how much of it is used."""

    ceiling: Ceiling
    tokens: int
    cost: int
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """`models` by task, empty without one; `today` and `all` by model and task; `left` for each cap, `minute` for the limit a
    minute, None where there is none; `resting`: until when (microseconds) a model is left in peace; `last`: how the latest call
    of each model ended; `waiting`: memories whose levels are still to be written."""

    models: Mapping[str, str]
    today: Sequence[Spent]
    all: Sequence[Spent]
    left: Sequence[Left]
    minute: Left | None
    resting: Mapping[str, int]
    last: Mapping[str, Outcome]
    waiting: int


class Speaking(Verbs):
    """What of an engine has to do with language models. `_language` None: there are none."""

    zone: ZoneInfo
    _counter: TokenCounter
    _name: str
    _language: Language | None
    _chance: Callable[[], float]

    def llm_account(self) -> Account:
        """What language models did, by whatever process, and what they may still spend."""
        store, now = self._store, self._clock.now_us()
        models, left, minute = {}, [], None
        if self._language is not None:
            models = {task: model.name for task, model in self._language.models.items()}
            caps = self._language.caps
            left = [self._left(ceiling) for ceiling in caps.ceilings(now, self.zone, self._language.run)]
            rate = caps.rate.ceiling(now)
            minute = None if rate is None else self._left(rate)
        latest = {name: store.recent_calls(name, limit=LOOK_BACK) for name in dict.fromkeys(models.values())}
        return Account(
            models=models,
            today=store.spent(since_us=day_of(now, self.zone)[0]),
            all=store.spent(),
            left=left,
            minute=minute,
            resting={name: until for name, calls in latest.items() if (until := resting_until(calls, now))},
            last={name: calls[0].outcome for name, calls in latest.items() if calls},
            waiting=waiting(store),
        )

    def llm_waiting(self) -> Wait | None:
        """What a language model waits for just now, in another thread; None: for nothing."""
        return None if self._language is None else self._language.waiting()

    def llm_try(self, task: str = "") -> Answer:
        """One tiny call of the model that does `task`, counted like any other. Raises ModelError; BadParameter without one."""
        return self._speaking().model_for(task).complete(TRY_SYSTEM, TRY_USER, max_tokens=TRY_TOKENS, task="test")

    def relevel(
        self,
        ids: Sequence[int] | None = (),
        *,
        again: bool = False,
        progress: Progress | None = None,
    ) -> Releveled:
        """Have summary and headline of memories written by the language model, as far as the spend cap reaches, and those that
        wait from before. None: of all that have none from a model yet, but for those whose texts by the models in use were no
        good; with `again` of all. What is left stays queued.

        Each is checked; one that is too long, or holds a name or number that its text does not, is counted and not kept.

        Raises: BadParameter without a model, UnknownMemory, ModelUnavailable, StoreReadOnly.
        """
        desk = Desk(self._store, self._speaking(), self._counter, self._clock, self.agent)
        if ids is None or ids:
            enqueue(self._store, None if ids is None else list(ids), desk.language, now_us=self._clock.now_us(), again=again)
        total, report = waiting(self._store), desk.report
        runner = Runner(self._store, self._clock, level_tasks(desk), name=self._name, chance=self._chance)

        def tell(*_: object) -> None:
            if progress is not None and report.memories:
                progress(report.memories, max(total, report.memories))

        try:
            runner.run(tell, strict=True)
        except SpendCapReached as error:
            report.stopped = str(error)
        report.left = waiting(self._store)
        return report

    def _left(self, ceiling: Ceiling) -> Left:
        spent = self._store.spent(since_us=ceiling.since_us, run=ceiling.run)
        return Left(ceiling, sum(s.tokens for s in spent), sum(s.cost for s in spent), sum(s.calls for s in spent))

    def _speaking(self) -> Language:
        if self._language is None:
            hint = "LODMEM_LLM=openai:MODEL or anthropic:MODEL; see 'lodmem llm --help'"
            raise BadParameter("no language model is configured", hint=hint)
        return self._language
