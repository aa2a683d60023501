"""The audit log, and the lists for audits."""

from __future__ import annotations

import csv
import io
import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from lodmem.engine import Engine
from lodmem.http_api import answers, asked
from lodmem.http_api.routes.common import Asking
from lodmem.model import plain
from lodmem.model.survey import AuditList
from lodmem.retrieval.audits import LISTS

router = APIRouter(prefix="/audit", tags=["audit"])

ListName = Literal[
    "decayed-but-needed", "never-looked-at", "superseded-still-high", "conflicts", "pinned", "secrets-masked"
]  # fmt: skip
CSV = "text/csv"


class LogQuery(asked.InQuery):
    after: Annotated[int, Query(ge=0, le=asked.MAX_ID)] = 0
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000


class ListQuery(asked.InQuery):
    space: asked.Name | None = None
    profile: asked.Name | None = None
    limit: Annotated[int, Query(ge=1, le=10_000)] = 200
    times: Annotated[int, Query(ge=1, le=1_000_000)] = 3
    below: asked.Share = 0.2
    days: Annotated[float, Query(ge=0.0, le=1e6)] = 30.0
    format: Literal["json", "csv"] = "json"


@router.get("/log", response_model=answers.Entries, summary="Entries of the audit log, oldest first")
async def log(asker: Asking, query: Annotated[LogQuery, Query()]) -> Response:
    """`next` is the `after` of the page that follows, null where this was the last."""

    def work(engine: Engine) -> dict[str, Any]:
        entries = engine.audit_log(after=query.after, limit=query.limit)
        following = entries[-1].seq if len(entries) == query.limit else None
        return {"entries": [plain.entry(entry) for entry in entries], "next": following}

    return await asker.json(work)


@router.get("/lists", response_model=answers.Listed, summary="Which lists there are")
async def lists(asker: Asking) -> Response:
    return await asker.json(lambda _: {"lists": [{"name": name, "title": title} for name, (title, _) in LISTS.items()]})


@router.get(
    "/lists/{name}", response_model=answers.AuditList, summary="One list",
    responses={200: {"content": {CSV: {"schema": {"type": "string"}}}}},
)  # fmt: skip
async def audit_list(asker: Asking, name: ListName, query: Annotated[ListQuery, Query()]) -> Response:
    asking = query.model_dump(exclude={"format"})
    if query.format == "csv":
        text = await asker.run(lambda engine: _csv(engine.audit_list(name, **asking)))
        disposition = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
        return Response(text.encode(), media_type=f"{CSV}; charset=utf-8", headers=disposition)
    return await asker.json(lambda engine: _listed(engine.audit_list(name, **asking)))


def _listed(found: AuditList) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "parameters": {**found.parameters, "profile": found.profile.to_dict()},
        "revision": found.revision,
        "now": plain.moment(found.now_us),
        "total": found.total,
        "columns": _columns(found),
        "items": [dict(item) for item in found.items],
    }


def _columns(found: AuditList) -> list[str]:
    return list(found.items[0]) if found.items else ["id", "headline"]


def _csv(found: AuditList) -> str:
    """The list for a spreadsheet: a cell that one would take for a formula gets a sign before it. Source: OWASP."""
    out = io.StringIO()
    known = {"list": found.name, "title": found.title, "total": found.total, "revision": found.revision}
    known |= {"now": plain.moment(found.now_us), **found.parameters, "profile": json.dumps(found.profile.to_dict())}
    for key, value in known.items():
        out.write(f"# {key}: {'' if value is None else value}\r\n")
    writer = csv.writer(out)
    writer.writerow(_columns(found))
    writer.writerows([_cell(value) for value in item.values()] for item in found.items)
    return out.getvalue()


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
