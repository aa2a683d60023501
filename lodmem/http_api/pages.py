"""What a browser is given: the page of the memory plane and its assets, and the documentation of the API, all from here."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from mimetypes import guess_type

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from lodmem.http_api.docs_page import STYLE, page

ASSETS = "assets"
FOREVER = "public, max-age=31536000, immutable"
UNBUILT = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>LOD Memory</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/docs.css">
<main><h1>LOD Memory</h1>
<p>The server is running. The page of the memory plane is not in this checkout: it is built from <code>web/</code>.</p>
<pre>make web</pre>
<p>The <a href="/docs">API</a> is there without it.</p></main></html>
"""
TYPES = {
    ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html",
    ".json": "application/json", ".woff2": "font/woff2", ".png": "image/png", ".ico": "image/x-icon", ".txt": "text/plain",
}  # fmt: skip


def static() -> Traversable:
    """Where the built page is."""
    return resources.files("lodmem.http_api") / "static"


def pages() -> APIRouter:
    """Routes of everything that is no API. They need no token: nothing here is anybody's memory."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def index() -> Response:
        built = static() / "index.html"
        body = built.read_bytes() if built.is_file() else UNBUILT.encode()
        return HTMLResponse(body, headers={"Cache-Control": "no-store"})

    @router.get("/docs")
    async def docs(request: Request) -> Response:
        return HTMLResponse(page(request.app.openapi()), headers={"Cache-Control": "no-store"})

    @router.get("/docs.css")
    async def style() -> Response:
        return Response(STYLE, media_type="text/css", headers={"Cache-Control": "no-cache"})

    @router.get("/favicon.ico")
    async def icon() -> Response:
        """What browsers ask for where a page cannot name it, as with /openapi.json."""
        return _asset("icon.svg")

    @router.get("/{path:path}")
    async def asset(path: str) -> Response:
        return _asset(path)

    return router


def _asset(path: str) -> Response:
    """One file of the built page. Every part of the path is a plain name, so that none leads out of the folder."""
    parts = path.split("/")
    found = static()
    for part in parts:
        if part in ("", ".", "..") or "\\" in part or "\0" in part or part.startswith("."):
            raise HTTPException(404, "there is nothing at this path")
        found = found / part
    if len(parts) > 8 or not found.is_file():
        raise HTTPException(404, "there is nothing at this path")
    suffix = "." + parts[-1].rpartition(".")[2].lower()
    kind = TYPES.get(suffix) or guess_type(parts[-1])[0] or "application/octet-stream"
    hashed = parts[0] == ASSETS and len(parts) > 1
    return Response(found.read_bytes(), media_type=kind, headers={"Cache-Control": FOREVER if hashed else "no-cache"})
