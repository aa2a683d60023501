"""The application: routes, errors as problems, MCP, pages, and the guard around all of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from threading import Thread
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route, compile_path
from starlette.types import ASGIApp

from lodmem._version import __version__
from lodmem.engine import Engine
from lodmem.errors import LodmemError, StoreClosed
from lodmem.http_api.document import described
from lodmem.http_api.guard import Guard
from lodmem.http_api.mcp import mounted
from lodmem.http_api.pages import pages
from lodmem.http_api.problems import Refused, of_error, problem
from lodmem.http_api.routes import audit, background, care, live, looks, memories, plane, profiles
from lodmem.http_api.settings import Serving
from lodmem.http_api.work import Desk
from lodmem.model.access import AccessToken

logger = logging.getLogger("lodmem.http")

ROUTES = (looks, memories, plane, profiles, audit, background, care, live)
MOST_FAULTS = 20


def make_app(engine: Engine, serving: Serving) -> tuple[ASGIApp, Desk]:
    """The guarded application over an open engine, and its desk, whose `stopping` ends event streams. Closes no engine."""
    desk = Desk(engine, serving)
    serve_mcp, run_mcp = mounted(desk)
    keeper = Thread(target=keep_map, args=(desk,), name="lodmem-map-keeper", daemon=True)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.ensure_future(asyncio.to_thread(_warm, engine))
        if serving.map_every and not serving.read_only:
            keeper.start()
        async with run_mcp():
            yield
        desk.close()
        if keeper.ident is not None:
            await asyncio.to_thread(keeper.join)
        with suppress(asyncio.CancelledError):
            await warming

    app = FastAPI(
        title="LOD Memory", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan, redirect_slashes=False
    )
    app.state.desk = desk
    api = APIRouter(prefix="/api/v1")
    for each in ROUTES:
        api.include_router(each.router)
    app.include_router(api)
    app.router.routes.append(Route("/mcp", serve_mcp, include_in_schema=False))
    app.include_router(pages())
    _handle_errors(app)
    described(app, needs_token=serving.needs_token)

    async def admit(text: str) -> AccessToken | None:
        return await desk.run(lambda: engine.admit(text), seconds=serving.patience)

    return Guard(app, serving, admit), desk


def keep_map(desk: Desk) -> None:
    """Give new memories their places and make a new map when one is due, now and then, until the server ends."""
    engine, rested = desk.engine, -1  # the revision at which nothing was left to do: to ask is dear in a large store
    while not desk.ending.wait(desk.serving.map_every):
        try:
            revision = engine.revision
            if revision == rested or engine.is_indexing:
                continue
            state = engine.map_state()
            if state.due or state.growth.waiting:
                engine.make_map(stop=lambda: desk.stopping)
            else:
                rested = revision
        except StoreClosed:
            return
        except LodmemError as error:
            logger.warning("the map could not be kept: %s", error)


def _warm(engine: Engine) -> None:
    """Load model and columns ahead of the first request, which meets a failure itself and waits for no large store."""
    try:
        if not engine.begin_indexing():
            engine.warm()
    except LodmemError as error:
        logger.warning("not ready yet: %s", error)


def _handle_errors(app: FastAPI) -> None:
    handlers: dict[Any, Callable[[Request, Any], Any]] = {
        LodmemError: _failed, Refused: _refused, RequestValidationError: _misshapen, HTTPException: _http,
    }  # fmt: skip
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


def _id(request: Request) -> str:
    request_id: str = request.scope["state"]["request_id"]
    return request_id


async def _failed(request: Request, error: LodmemError) -> Response:
    return of_error(error, _id(request))


async def _refused(request: Request, refused: Refused) -> Response:
    return refused.answer(_id(request))


async def _misshapen(request: Request, error: RequestValidationError) -> Response:
    """Where each fault is and what is wrong with it; never the value, which may be a secret or megabytes."""
    faults = [
        {"where": ".".join(str(part)[:100] for part in each["loc"]), "what": str(each["msg"])[:300]}
        for each in error.errors()[:MOST_FAULTS]
    ]
    detail = "; ".join(f"{fault['where']}: {fault['what']}" for fault in faults[:3])
    return problem(422, "bad_request", detail, hint="/docs shows what it takes", request_id=_id(request), faults=faults)


async def _http(request: Request, error: HTTPException) -> Response:
    if isinstance(error.__cause__, Refused):  # a body beyond the limit, met while it was read
        return error.__cause__.answer(_id(request))
    allowed = _methods(request)
    if error.status_code in (404, 405) and allowed:
        detail, headers = f"{request.method} is not for this path", {"Allow": ", ".join(sorted(allowed))}
        return problem(405, "method_not_allowed", detail, request_id=_id(request), headers=headers)
    codes = {404: "not_found"}
    return problem(
        error.status_code,
        codes.get(error.status_code, "http"),
        str(error.detail),
        request_id=_id(request),
        headers=error.headers,
    )


def _methods(request: Request) -> set[str]:
    """Methods that the path of a request has, where the one it came with is none of them."""
    app: FastAPI = request.app
    asked, paths = request.scope["path"], app.openapi()["paths"]
    fitting = [asked] if asked in paths else [path for path in paths if compile_path(path)[0].match(asked)]
    found = {method.upper() for path in fitting for method in paths[path]}
    return set() if request.method in found else found
