"""Whether the server is well, what it is, and what moves: server-sent events when the store changed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header
from starlette.responses import Response, StreamingResponse

from lodmem._version import __version__
from lodmem.acting import Acting
from lodmem.engine import Engine
from lodmem.http_api import answers
from lodmem.http_api.problems import Refused
from lodmem.http_api.routes.common import Asking
from lodmem.http_api.work import Asker
from lodmem.ports import Changes

router = APIRouter(tags=["server"])

STREAM = "text/event-stream"
MOST_IDS = 1000


@router.get("/health", response_model=answers.Health, summary="Whether the server answers; needs no token")
async def health() -> dict[str, str]:
    return {"status": "ok", "version": __version__}


@router.get("/ready", response_model=answers.Health, summary="Whether searches are answered from the columns")
async def ready(asker: Asking) -> Response:
    if await asker.run(lambda engine: engine.is_indexing):
        raise Refused(503, "indexing", "the index of this store is being made", headers={"Retry-After": "2"})
    return await asker.json(lambda _: {"status": "ready", "version": __version__})


@router.get("/info", response_model=answers.Info, summary="What is served, and as whom")
async def info(asker: Asking) -> Response:
    serving = asker.desk.serving

    def work(engine: Engine) -> dict[str, Any]:
        place = engine.facts()
        return {
            "version": __version__, "agent": engine.agent, "space": engine.space, "zone": engine.zone.key,
            "read_only": serving.read_only, "needs_token": serving.needs_token, **place, "indexing": engine.is_indexing,
        }  # fmt: skip

    return await asker.json(work)


@router.get("/events", response_class=StreamingResponse, summary="Server-sent events when the store changed",
            responses={200: {"content": {STREAM: {"schema": {"type": "string"}}}}})  # fmt: skip
async def events(asker: Asking, last_event_id: Annotated[str | None, Header()] = None) -> Response:
    """`hello`, then `change` after every change by whatever process; `reset` where it is not known what was missed."""
    if asker.desk.streams >= asker.desk.serving.streams:
        raise Refused(503, "too_many_streams", "too many event streams are open", headers={"Retry-After": "10"})
    given = (last_event_id or "").strip()
    since = int(given) if given.isascii() and given.isdigit() and len(given) <= 18 else None
    return StreamingResponse(_stream(asker, since), media_type=STREAM, headers={"X-Accel-Buffering": "no"})


async def _stream(asker: Asker, since: int | None) -> AsyncIterator[bytes]:
    desk = asker.desk
    desk.streams += 1
    try:
        seen = await asker.run(lambda engine: engine.revision)
        yield _event("hello", seen, {"revision": seen})
        if since is not None and since != seen:
            missed = await asker.run(lambda engine: engine.changes(since))
            yield _told(missed)
            seen = missed.last
        quiet, place = 0.0, await asker.run(_map)
        while not desk.stopping:
            await asyncio.sleep(desk.serving.tick)
            quiet += desk.serving.tick
            newest = await asker.run(lambda engine: engine.revision)
            if newest != seen:
                moved = await asker.run(lambda engine, since=seen: engine.changes(since))  # type: ignore[misc]  # mypy reads no default
                yield _told(moved)
                seen, quiet = moved.last, 0.0
            elif quiet >= desk.serving.beat:
                if not await asker.run(lambda engine: asker.token is None or asker.token in engine.tokens()):
                    return
                quiet = 0.0
                yield b": still here\n\n"
                if place != (place := await asker.run(_map)):
                    yield _event("map", seen, place)
    finally:
        desk.streams -= 1


def _map(engine: Engine) -> dict[str, Any]:
    """What tells one state of the map from another; to whoever is bound to a space, only which map it is."""
    version, placed = engine.map_size()
    bound = isinstance(engine, Acting) and engine.within is not None
    return {"version": version, "placed": None if bound else placed}


def _told(moved: Changes) -> bytes:
    if not moved.complete:
        return _event("reset", moved.last, {"revision": moved.last})
    sets = {"written": moved.written, "touched": moved.touched, "gone": moved.gone}
    more = any(len(ids) > MOST_IDS for ids in sets.values())
    ids = {name: list(each[:MOST_IDS]) for name, each in sets.items()}
    return _event("change", moved.last, {"revision": moved.last, **ids, "more": more})


def _event(name: str, number: int, data: dict[str, Any]) -> bytes:
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()
