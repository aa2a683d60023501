"""Keeping the store: counts, checks, repair, everything out and in, models, tokens. All of it concerns the whole store."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from lodmem.care.language import Account
from lodmem.care.load import Loaded
from lodmem.engine import Engine
from lodmem.errors import BadParameter
from lodmem.http_api import answers, asked
from lodmem.http_api.problems import Refused
from lodmem.http_api.routes.common import OCTETS, Asking
from lodmem.model import plain
from lodmem.model.access import AccessToken
from lodmem.model.spend import MILLION

router = APIRouter(tags=["care"])

GZIP = "application/gzip"


@router.get("/stats", summary="What the store holds")
async def stats(asker: Asking) -> Response:
    asker.whole()
    return await asker.json(lambda engine: plain.stats(engine.stats()))


@router.get("/check", response_model=answers.Done, summary="Problems of the store, in words")
async def check(asker: Asking) -> Response:
    """Empty when it is sound. Reads everything."""
    asker.whole()
    return await asker.json(lambda engine: {"done": [trouble.text for trouble in engine.troubles()]}, long=True)


@router.post("/repair", response_model=answers.Done, summary="Make anew what is derived and not as it should be")
async def repair(asker: Asking) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"done": engine.repair()}, long=True)


@router.post("/drain", response_model=answers.Count, summary="Embed what waits, now")
async def drain(asker: Asking) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"count": engine.drain()}, long=True)


@router.post("/reindex", response_model=answers.Count, summary="Make the embeddings anew")
async def reindex(asker: Asking) -> Response:
    """Resumable; the old index serves until the new one is complete."""
    asker.whole()
    return await asker.json(lambda engine: {"count": engine.reindex()}, long=True)


@router.get("/backup", response_class=FileResponse, summary="A copy of the whole store",
            responses={200: {"content": {OCTETS: {"schema": {"type": "string", "format": "binary"}}}}})  # fmt: skip
async def backup(asker: Asking) -> Response:
    """As `lodmem restore` takes it. It is made while others write."""
    asker.whole()
    return await _file(asker, "memory.db", OCTETS, lambda engine, path: engine.backup(path, overwrite=True))


@router.get("/export", response_class=FileResponse, summary="All that is kept, as packed JSON lines",
            responses={200: {"content": {GZIP: {"schema": {"type": "string", "format": "binary"}}}}})  # fmt: skip
async def export(asker: Asking, vectors: Annotated[bool, Query(description="the embeddings too")] = False) -> Response:
    asker.whole()
    return await _file(
        asker, "memories.jsonl.gz", GZIP, lambda engine, path: engine.export(path, vectors=vectors, overwrite=True)
    )


@router.post(
    "/import", summary="Take in what export wrote",
    openapi_extra={"requestBody": {"required": True, "content": {OCTETS: {"schema": {"type": "string", "format": "binary"}}}}},
)  # fmt: skip
async def load(asker: Asking, request: Request) -> Response:
    """The body is the file, packed or not. Lines that cannot be used are reported and passed over; twice adds nothing."""
    asker.whole()
    if request.headers.get("content-type", "").partition(";")[0].strip() not in (OCTETS, GZIP, "application/x-ndjson"):
        raise Refused(415, "media_type", "the body must be the file itself", hint=f"Content-Type: {OCTETS}")
    with _scratch() as folder:
        path = folder / "import"
        async with await anyio.open_file(path, "wb") as file:
            async for part in request.stream():
                await file.write(part)
        return await asker.json(lambda engine: _loaded(engine.load(path)), long=True)


def _loaded(loaded: Loaded) -> dict[str, Any]:
    return {**asdict(loaded), "problems": [str(problem) for problem in loaded.problems]}


@router.get("/calibration", summary="The store's own c0 and c1")
async def calibration(asker: Asking) -> Response:
    asker.whole()

    def work(engine: Engine) -> dict[str, Any]:
        clip = engine.calibration()
        return {"c0": None, "c1": None} if clip is None else {"c0": clip[0], "c1": clip[1]}

    return await asker.json(work)


@router.put("/calibration", summary="Keep c0 and c1 for the embedding model")
async def calibrate(asker: Asking, body: asked.Calibrating) -> Response:
    asker.whole()
    if (body.c0 is None) != (body.c1 is None):
        raise BadParameter("c0 and c1 go together", hint="give both, or null for both")

    def work(engine: Engine) -> dict[str, Any]:
        engine.calibrate(None if body.c0 is None or body.c1 is None else (body.c0, body.c1))
        return {"c0": body.c0, "c1": body.c1}

    return await asker.json(work)


# -- language models -----------------------------------------------------------------------------------------------------


@router.get("/llm", summary="Language models: state, use, spend cap")
async def llm(asker: Asking) -> Response:
    asker.whole()
    return await asker.json(lambda engine: _account(engine.llm_account()))


@router.post("/llm/try", summary="One tiny call of a language model")
async def llm_try(asker: Asking) -> Response:
    asker.whole()

    def work(engine: Engine) -> dict[str, Any]:
        said = engine.llm_try()
        return {"model": said.model, "text": said.text, "tokens_in": said.tokens_in, "tokens_out": said.tokens_out}

    return await asker.json(work)


@router.post("/relevel", summary="Summaries and headlines by a language model")
async def relevel(asker: Asking, body: asked.Releveling) -> Response:
    asker.whole()

    def work(engine: Engine) -> dict[str, Any]:
        done = engine.relevel(body.ids, again=body.again)
        return {
            "memories": done.memories, "written": dict(done.written),
            "kept": dict(done.kept), "short": done.short, "stopped": done.stopped, "left": done.left,
        }  # fmt: skip

    return await asker.json(work, long=True)


def _account(account: Account) -> dict[str, Any]:
    return {
        "models": dict(account.models),
        "today": sum(each.tokens for each in account.today),
        "cost_today": sum(each.cost for each in account.today) / MILLION,
        "left": [
            {"period": left.ceiling.period, "tokens": left.ceiling.tokens, "tokens_used": left.tokens,
             "cost_used": left.cost / MILLION}
            for left in account.left
        ],
        "resting": {name: plain.moment(until) for name, until in account.resting.items()},
        "last": {name: outcome.value for name, outcome in account.last.items()},
        "waiting": account.waiting,
    }  # fmt: skip


# -- tokens -----------------------------------------------------------------------------------------------------------------


@router.get("/tokens", response_model=answers.Tokens, summary="Who is let in")
async def tokens(asker: Asking) -> Response:
    asker.whole()
    return await asker.json(lambda engine: {"tokens": [_token(token) for token in engine.tokens()]})


@router.post("/tokens", response_model=answers.NewToken, status_code=201, summary="Let somebody in")
async def add_token(asker: Asking, body: asked.Admitting) -> Response:
    """The token is in this answer and nowhere else."""
    asker.whole()

    def work(engine: Engine) -> dict[str, Any]:
        text = engine.add_token(body.name, agent=body.agent, space=body.space)
        return {**next(_token(token) for token in engine.tokens() if token.name == body.name), "token": text}

    return await asker.json(work, status=201)


@router.delete("/tokens/{name}", response_model=answers.Count, summary="Let a token open nothing any more")
async def revoke_token(asker: Asking, name: Annotated[str, InPath(min_length=1, max_length=100)]) -> Response:
    asker.whole()

    def work(engine: Engine) -> dict[str, Any]:
        engine.revoke_token(name)
        return {"count": 1}

    return await asker.json(work)


def _token(token: AccessToken) -> dict[str, Any]:
    created = plain.moment(token.created_us)
    return {"name": token.name, "agent": token.agent, "space": token.space, "created_at": created}


# -- files on their way ---------------------------------------------------------------------------------------------------


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lodmem-http-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


async def _file(asker: Asking, name: str, media_type: str, write: Callable[[Engine, str], object]) -> Response:
    """A file that the engine writes, deleted once it is sent."""
    descriptor, path = tempfile.mkstemp(prefix="lodmem-http-", suffix=f"-{name}")
    os.close(descriptor)
    try:
        await asker.run(lambda engine: write(engine, path), long=True)
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise
    return FileResponse(
        path, media_type=media_type, filename=name, background=BackgroundTask(Path(path).unlink, missing_ok=True)
    )
