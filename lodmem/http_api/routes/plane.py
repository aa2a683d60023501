"""The data of the memory plane: columns over all memories. The contract is docs/reference/plane-data.md."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.responses import Response

from lodmem.engine import Engine
from lodmem.http_api import asked
from lodmem.http_api.routes.common import BINARY, Asking, lodp, octets
from lodmem.model.survey import Columns

router = APIRouter(prefix="/plane", tags=["memory plane"])

Question = Annotated[str, Query(min_length=1, max_length=8000)]


class PlaneQuery(asked.InQuery):
    space: asked.Name | None = None
    profile: asked.Name | None = None
    as_of: asked.When | None = None


class MoreQuery(asked.InQuery):
    columns: Annotated[str, Query(min_length=1, max_length=200)]
    space: asked.Name | None = None


class RelevanceQuery(asked.Filtering):
    q: Question
    relevance: Annotated[str, Query(pattern="^(fused|cosine)$")] | None = None


class TiersQuery(asked.Lensing):
    q: Question | None = None
    at: asked.When | None = None
    scores: bool = False


@router.get("", responses=BINARY, response_class=Response, summary="Every memory's place, times, use and labels")
async def plane(
    asker: Asking, query: Annotated[PlaneQuery, Query()], if_none_match: Annotated[str | None, Header()] = None
) -> Response:
    body, tag = await asker.run(_plane(query, asker.desk.serving.read_only, f"{asker.token}"))
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if if_none_match is not None and tag in (part.strip() for part in if_none_match.split(",")):
        return Response(status_code=304, headers=headers)
    return octets(body, **headers)


@router.get("/more", responses=BINARY, response_class=Response, summary="More columns over the same memories")
async def more(asker: Asking, query: Annotated[MoreQuery, Query()]) -> Response:
    names = list(dict.fromkeys(query.columns.split(",")))
    return octets(await asker.run(_timed(lambda engine: engine.plane_more(names, space=query.space))))


@router.get("/relevance", responses=BINARY, response_class=Response, summary="S of every memory for a query")
async def relevance(asker: Asking, query: Annotated[RelevanceQuery, Query()]) -> Response:
    return octets(await asker.run(_timed(lambda engine: engine.relevance_of_all(query.q, **query.asking("q")))))


@router.get("/tiers", responses=BINARY, response_class=Response, summary="The tier of every memory")
async def tiers(asker: Asking, query: Annotated[TiersQuery, Query()]) -> Response:
    """As a search with these parameters would show it; without `q` by decay alone."""
    asking = query.asking("q", "at", "scores")
    return octets(
        await asker.run(_timed(lambda engine: engine.tiers_of_all(query.q, at=query.at, scores=query.scores, **asking)))
    )


def _timed(look: Callable[[Engine], Columns]) -> Callable[[Engine], bytes]:
    def work(engine: Engine) -> bytes:
        began = time.perf_counter()
        found = look(engine)
        return lodp(found, ms=round((time.perf_counter() - began) * 1000.0, 3))

    return work


def _plane(query: PlaneQuery, read_only: bool, whose: str) -> Callable[[Engine], tuple[bytes, str]]:
    def work(engine: Engine) -> tuple[bytes, str]:
        began = time.perf_counter()
        found = engine.plane(space=query.space, profile=query.profile, as_of=query.as_of)
        facts = json.dumps([found.revision, found.rows, found.facts, query.space, query.as_of, read_only, whose])
        tag = f'"{hashlib.sha256(facts.encode()).hexdigest()[:32]}"'
        return lodp(found, read_only=read_only, ms=round((time.perf_counter() - began) * 1000.0, 3)), tag

    return work
