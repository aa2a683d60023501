"""Errors as problem details. Source: RFC 9457. The machine code is that of the error tree, and says which status it is."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from lodmem.errors import LodmemError

MEDIA_TYPE = "application/problem+json"
MAX_DETAIL = 2000

STATUS = {
    "too_large": 413,
    "parameter_locked": 403,
    "store_read_only": 403,
    "store_full": 507,
    "store_busy": 503,
    "store_closed": 503,
    "store_missing": 503,
    "model_mismatch": 409,
    "model_unavailable": 503,
    "model_bad_answer": 502,
    "model_refused": 502,
    "spend_cap": 429,
}
BY_EXIT_CODE = {2: 400, 3: 404, 4: 500, 5: 502}
RETRY_SECONDS = {"store_busy": 1, "model_unavailable": 30}


class Refused(Exception):
    """A request is refused before the engine is asked, in the words of a problem."""

    def __init__(
        self, status: int, code: str, detail: str, *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.hint, self.headers = status, code, detail, hint, dict(headers or {})

    def answer(self, request_id: str) -> Response:
        return problem(self.status, self.code, self.detail, hint=self.hint, request_id=request_id, headers=self.headers)


class AnswerTooLarge(LodmemError):
    code = "answer_too_large"
    exit_code = 2


def of_error(error: LodmemError, request_id: str) -> Response:
    """The answer to a request that the engine refused."""
    status = STATUS.get(error.code, BY_EXIT_CODE.get(error.exit_code, 500))
    wait = RETRY_SECONDS.get(error.code)
    headers = {} if wait is None else {"Retry-After": str(math.ceil(wait))}
    return problem(status, error.code, error.message, hint=error.hint, request_id=request_id, headers=headers)


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    hint: str = "",
    request_id: str = "",
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """A problem as it goes over the wire. It holds what the caller gave as data, never a stack trace."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail[:MAX_DETAIL],
        "code": code,
        "hint": hint[:MAX_DETAIL],
        "request_id": request_id,
        **more,
    }
    # ASCII: what callers sent, lone surrogates too, comes back escaped.
    return Response(json.dumps(body), status, dict(headers or {}), MEDIA_TYPE)
