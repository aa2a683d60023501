"""Looking: a search, and the modes without a query. They answer POST, because looking counts use unless `touch` is false."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from fastapi import APIRouter
from starlette.responses import Response

from lodmem.asking import Asking as Asked
from lodmem.asking import Seeing
from lodmem.engine import Engine
from lodmem.http_api import answers, asked
from lodmem.http_api.routes.common import Asking
from lodmem.model import plain
from lodmem.model.landscape import Landscape

router = APIRouter(tags=["looking"])

OURS = ("query", "when", "seed", "rendering")


@router.post("/search", response_model=answers.Landscape, summary="Look over the whole store from a question")
async def search(asker: Asking, body: asked.Searching) -> Response:
    return await asker.json(_shown(body, lambda engine, asking: engine.search(body.query, **asking)))


@router.post("/window", response_model=answers.Landscape, summary="Everything of a time")
async def window(asker: Asking, body: asked.Windowing) -> Response:
    return await asker.json(_shown(body, lambda engine, asking: engine.window(body.when, **asking)))


@router.post("/recent", response_model=answers.Landscape, summary="Everything, newest first")
async def recent(asker: Asking, body: asked.Paging) -> Response:
    return await asker.json(_shown(body, lambda engine, asking: engine.recent(**asking)))


@router.post("/important", response_model=answers.Landscape, summary="Everything, by importance faded with time")
async def important(asker: Asking, body: asked.Paging) -> Response:
    return await asker.json(_shown(body, lambda engine, asking: engine.important(**asking)))


@router.post("/unseen", response_model=answers.Landscape, summary="What was never retrieved")
async def unseen(asker: Asking, body: asked.Paging) -> Response:
    return await asker.json(_shown(body, lambda engine, asking: engine.unseen(**asking)))


@router.post("/random", response_model=answers.Landscape, summary="A draw from what has been ignored")
async def random(asker: Asking, body: asked.Drawing) -> Response:
    def draw(engine: Engine, asking: Asked) -> Landscape:
        limit = 20 if body.limit is None else body.limit
        seeing = {name: value for name, value in asking.items() if name != "limit"}
        return engine.random(limit, seed=body.seed, **cast("Seeing", seeing))

    return await asker.json(_shown(body, draw))


def _shown(body: asked.Looking, look: Callable[[Engine, Asked], Landscape]) -> Callable[[Engine], dict[str, Any]]:
    def work(engine: Engine) -> dict[str, Any]:
        found = look(engine, body.asking(*OURS))
        return plain.landscape(found) | ({"rendering": found.rendering} if body.rendering else {})

    return work
