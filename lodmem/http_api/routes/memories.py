"""Keeping, reading, promoting, forgetting."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from lodmem.care.conflicts import Dispute
from lodmem.engine import Engine
from lodmem.errors import BadParameter
from lodmem.http_api import answers, asked
from lodmem.http_api.asked import MAX_ID, MemoryId
from lodmem.http_api.routes.common import Asking
from lodmem.http_api.told import told
from lodmem.model import plain
from lodmem.model.memory import Added, Tier
from lodmem.model.survey import About, Near

router = APIRouter(prefix="/memories", tags=["memories"])

MAX_TEXTS = 500


class TextQuery(asked.InQuery):
    """Texts of several memories. `ids` with commas between."""

    ids: Annotated[str, Query(pattern="^[1-9][0-9]*(,[1-9][0-9]*)*$", max_length=MAX_TEXTS * 17)]
    level: asked.LevelName = "headline"
    max_chars: Annotated[int, Query(ge=1, le=1_000_000)] = 2000


@router.post("", response_model=answers.Added, status_code=201, summary="Keep one memory")
async def remember(asker: Asking, body: asked.Remembering) -> Response:
    """Durable when this answers. The same text from the same place changes nothing: `created` is false then."""
    return await asker.json(lambda engine: _added(engine.remember(**body.given())), status=201)


@router.post("/batch", response_model=answers.AddedMany, status_code=201, summary="Keep several memories")
async def remember_many(asker: Asking, body: asked.RememberingMany) -> Response:
    """One after another; the first that cannot be used ends it, and those before it are kept."""
    given = [item.given() for item in body.items]
    return await asker.json(lambda engine: {"items": [_added(engine.remember(**each)) for each in given]}, status=201)


@router.get("", response_model=answers.Texts, summary="Texts of several memories at one level")
async def texts(asker: Asking, query: Annotated[TextQuery, Query()]) -> Response:
    """Counts no use. Ids that are gone are left out."""
    ids = list(dict.fromkeys(int(i) for i in query.ids.split(",")))
    if len(ids) > MAX_TEXTS or max(ids) > MAX_ID:
        raise BadParameter(f"{len(ids)} ids, the highest {max(ids)}", hint=f"at most {MAX_TEXTS}, each at most {MAX_ID}")

    def work(engine: Engine) -> dict[str, Any]:
        found = engine.texts(ids, query.level)
        items = [
            {"id": i, "text": found[i][: query.max_chars], "cut": len(found[i]) > query.max_chars} for i in ids if i in found
        ]
        return {"level": query.level, "items": items}

    return await asker.json(work)


@router.post("/expand", response_model=answers.Memories, summary="Full memories; counts as use of them")
async def expand(asker: Asking, body: asked.Expanding) -> Response:
    def work(engine: Engine) -> dict[str, Any]:
        memories = engine.expand(*body.ids, touch=body.touch)
        rendered = {"rendering": engine.render(memories)} if body.rendering else {}
        return {"items": [plain.memory(memory) for memory in memories], **rendered}

    return await asker.json(work)


@router.get("/{memory_id:int}", response_model=answers.Whole, summary="Everything about one memory")
async def about(asker: Asking, memory_id: MemoryId, similar: Annotated[int, Query(ge=0, le=50)] = 0) -> Response:
    """Counts no use. `similar`: so many of the nearest by meaning too."""

    def work(engine: Engine) -> dict[str, Any]:
        found = engine.about(memory_id, similar=similar)
        return _whole(found) | {"conflicts": [_conflict(each) for each in engine.conflicts(memory_id, state=None)]}

    return await asker.json(work)


@router.delete("/{memory_id:int}", response_model=answers.Count, summary="Forget a memory: really delete it")
async def forget(asker: Asking, memory_id: MemoryId) -> Response:
    """It cannot be undone. How many were there."""
    return await asker.json(lambda engine: {"count": engine.forget(memory_id)})


@router.post("/{memory_id:int}/promote", response_model=answers.Floor, summary="Raise the lowest tier it is shown at")
async def promote(asker: Asking, memory_id: MemoryId, body: asked.Promoting) -> Response:
    def work(engine: Engine) -> dict[str, Any]:
        return _floor(memory_id, engine.promote(memory_id, to=body.to, mine=body.mine, reason=body.reason))

    return await asker.json(work)


@router.post("/{memory_id:int}/demote", response_model=answers.Floor, summary="Take a promotion back")
async def demote(asker: Asking, memory_id: MemoryId, body: asked.Demoting) -> Response:
    return await asker.json(lambda engine: _floor(memory_id, engine.demote(memory_id, mine=body.mine, reason=body.reason)))


@router.post("/{memory_id:int}/supersede", response_model=answers.Count, summary="State that another memory replaces it")
async def supersede(asker: Asking, memory_id: MemoryId, body: asked.Superseding) -> Response:
    def work(engine: Engine) -> dict[str, Any]:
        engine.supersede(memory_id, body.by)
        return {"count": 1}

    return await asker.json(work)


class ExplainQuery(asked.Lensing):
    q: Annotated[str, Query(min_length=1, max_length=8000)]


@router.get("/{memory_id:int}/explain", response_model=answers.Explanation, summary="Why it stands where it stands")
async def explain(asker: Asking, memory_id: MemoryId, query: Annotated[ExplainQuery, Query()]) -> Response:
    """Every number between a query and one memory's tier. Counts no use."""
    return await asker.json(lambda engine: plain.explanation(engine.explain(memory_id, query.q, **query.asking("q"))))


def _added(outcome: Added) -> dict[str, Any]:
    return {"id": outcome.id, "created": outcome.created, "masked": list(outcome.masked)}


def _floor(memory_id: int, floor: Tier) -> dict[str, Any]:
    return {"id": memory_id, "floor": plain.floor(floor)}


def _whole(found: About) -> dict[str, Any]:
    return {
        **plain.memory(found.memory),
        "neighbours": [{"id": n.id, "headline": n.headline, "offset": n.offset} for n in found.neighbours],
        "similar": [_similar(n) for n in found.similar],
        "supersedes": list(found.supersedes),
        "history": [plain.entry(entry) for entry in found.history],
    }


def _conflict(found: Dispute) -> dict[str, Any]:
    """A conflict with the headlines of its sides."""
    sides = {"older_headline": found.older.headline, "newer_headline": found.newer.headline}
    return {**told(found.conflict), **sides}


def _similar(near: Near) -> dict[str, Any]:
    return {"id": near.id, "headline": near.headline, "cosine": near.cosine}
