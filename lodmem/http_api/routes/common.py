"""What the routes share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.responses import Response

from lodmem.http_api.lodp import packed
from lodmem.http_api.work import Asker
from lodmem.model.survey import Columns

OCTETS = "application/octet-stream"
BINARY: dict[int | str, dict[str, Any]] = {
    200: {"description": "LODP columns", "content": {OCTETS: {"schema": {"type": "string", "format": "binary"}}}}
}


async def asker(request: Request) -> Asker:
    """Who asks."""
    return Asker.of(request)


Asking = Annotated[Asker, Depends(asker)]


def lodp(found: Columns, **more: Any) -> bytes:
    """Columns of the engine as an answer."""
    head = {"n": found.n, "revision": found.revision, "rows": found.rows, "now_us": found.now_us}
    return packed({**head, **found.facts, **more}, found.columns)


def octets(body: bytes, **headers: str) -> Response:
    return Response(body, media_type=OCTETS, headers={name.replace("_", "-"): value for name, value in headers.items()})
