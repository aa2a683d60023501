"""What happens beside looking: conflicts and their decisions, the gate, distillation, the queue, the map."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.responses import Response

from lodmem.engine import Engine
from lodmem.http_api import answers, asked
from lodmem.http_api.routes.common import Asking
from lodmem.http_api.told import told

router = APIRouter(tags=["background"])

State = Literal["open", "superseded", "both_stand", "all"]
Some = Annotated[int, Query(ge=1, le=10_000)]
After = Annotated[int, Query(ge=0, le=asked.MAX_ID)]
Number = Annotated[int, Path(ge=1, le=asked.MAX_ID)]


class Resolving(asked.Body):
    verdict: Literal["newer", "older", "both", "open"]
    reason: Annotated[str, Field(max_length=1000)] = ""


class Distilling(asked.Body):
    space: asked.Name | None = None
    review: bool = False
    again: bool = False
    dry_run: bool = False
    extractive: bool = False


class Deciding(asked.Body):
    accept: bool


class Retrying(asked.Body):
    items: list[asked.Id] | None = Field(None, max_length=asked.MAX_BATCH, description="null: all")
    task: Annotated[str, Field(max_length=100)] = ""


class Doing(asked.Body):
    tasks: list[asked.Name] | None = Field(None, max_length=20, description="null: all that can be done here")


class MakingMap(asked.Body):
    rebuild: bool = False


class Comparing(asked.Body):
    one: Annotated[str, Field(max_length=20_000)]
    other: Annotated[str, Field(max_length=20_000)]


# -- conflicts -----------------------------------------------------------------------------------------------------------


@router.get("/conflicts", response_model=answers.Found, summary="What contradicts what, with both memories")
async def conflicts(
    asker: Asking,
    state: State = "open",
    of: Annotated[int | None, Query(ge=1, le=asked.MAX_ID)] = None,
    after: After = 0,
    limit: Some = 100,
) -> Response:
    ids = () if of is None else (of,)
    wanted = None if state == "all" else state
    return await asker.json(lambda engine: {"items": told(engine.conflicts(*ids, state=wanted, after=after, limit=limit))})


@router.post("/conflicts/{number}/resolve", summary="Decide which side stands, or that both do")
async def resolve(asker: Asking, number: Number, body: Resolving) -> Response:
    """Nothing is deleted, and it can be decided again."""
    return await asker.json(lambda engine: told(engine.resolve(number, body.verdict, reason=body.reason)))


# -- the gate --------------------------------------------------------------------------------------------------------------


@router.get("/gate", summary="What the gate decided, by similarity")
async def gate(asker: Asking) -> Response:
    asker.whole()
    return await asker.json(lambda engine: told(engine.gate_report()))


@router.get("/gate/decisions", response_model=answers.Found, summary="Decisions of the gate, one by one")
async def gate_decisions(asker: Asking, after: After = 0, limit: Some = 100) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"items": told(engine.gate_decisions(after=after, limit=limit))})


@router.post("/gate/compare", summary="What the gate would say of two texts")
async def gate_compare(asker: Asking, body: Comparing) -> Response:
    return await asker.json(lambda engine: told(engine.gate_compare(body.one, body.other)))


# -- distillation ----------------------------------------------------------------------------------------------------------


@router.post("/distill", summary="Turn episodes into patterns")
async def distill(asker: Asking, body: Distilling) -> Response:
    asker.whole()
    return await asker.json(lambda engine: told(engine.distill(**body.model_dump())), long=True)


@router.get("/knowledge", response_model=answers.Found, summary="The patterns of most worth")
async def knowledge(
    asker: Asking, space: asked.Name | None = None, limit: Annotated[int, Query(ge=1, le=1000)] = 50
) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"items": told(engine.knowledge(limit, space=space))})


@router.get("/patterns/waiting", response_model=answers.Found, summary="Patterns that wait for a person")
async def patterns_waiting(asker: Asking, space: asked.Name | None = None) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"items": told(engine.patterns_waiting(space=space))})


@router.post(
    "/patterns/{number}/decide", response_model=answers.Count, summary="Take a pattern into the knowledge, or reject it"
)
async def decide_pattern(asker: Asking, number: Number, body: Deciding) -> Response:
    asker.whole()

    def work(engine: Engine) -> dict[str, int]:
        engine.decide_pattern(number, accept=body.accept)
        return {"count": 1}

    return await asker.json(work)


@router.get("/distill/runs", response_model=answers.Found, summary="What the latest runs of distillation did")
async def distill_runs(asker: Asking, limit: Annotated[int, Query(ge=1, le=1000)] = 20) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"items": told(engine.distill_runs(limit))})


# -- the queue ---------------------------------------------------------------------------------------------------------------


@router.get("/queue", response_model=answers.Found, summary="How background work stands, by task")
async def queue(asker: Asking) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"items": told(engine.queue())})


@router.get("/queue/dead", response_model=answers.Found, summary="Work that was given up")
async def dead(asker: Asking, limit: Some = 100) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"items": told(engine.dead_work(limit=limit))})


@router.post("/queue/retry", response_model=answers.Count, summary="Try again what was given up")
async def retry(asker: Asking, body: Retrying) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"count": engine.retry_dead(body.items, task=body.task)})


@router.post("/work", summary="Do what waits in the queue, now")
async def work(asker: Asking, body: Doing) -> Response:
    asker.whole()
    return await asker.json(lambda engine: told(engine.work(tasks=body.tasks)), long=True)


# -- the map -----------------------------------------------------------------------------------------------------------------


@router.get("/map", summary="Which map serves, how it grew, and whether another is due")
async def map_state(asker: Asking) -> Response:
    asker.whole()
    return await asker.json(lambda engine: told(engine.map_state()))


@router.post("/map", summary="Bring the map up to date, or make a new one")
async def make_map(asker: Asking, body: MakingMap) -> Response:
    asker.whole()
    stopping = asker.desk
    return await asker.json(
        lambda engine: told(engine.make_map(rebuild=body.rebuild, stop=lambda: stopping.stopping)), long=True
    )
