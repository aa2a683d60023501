"""The OpenAPI document as it is served: every operation says how it fails, and whether it asks for a token."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from lodmem.http_api.answers import Problem
from lodmem.http_api.problems import MEDIA_TYPE

OPEN = ("/api/v1/health",)
FAILING = {"4XX": "The request is refused", "5XX": "The server cannot do it"}


def described(app: FastAPI, *, needs_token: bool) -> None:
    """Make the application's document, once it is asked for, the one described above."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app, needs_token=needs_token)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # as FastAPI's guide has it


def _document(app: FastAPI, *, needs_token: bool) -> dict[str, Any]:
    made = get_openapi(
        title=app.title,
        version=app.version,
        routes=app.routes,
        summary="Memory for AI agents at the level of detail it deserves",
    )
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    if needs_token:
        made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    failing = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path, operations in made["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"] |= {status: {"description": what, "content": failing} for status, what in FAILING.items()}
            if needs_token and path not in OPEN:
                operation["security"] = [{"token": []}]
    return made
