"""Calls of the engine in worker threads, so many at once, each with an end to the patience of whoever asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from lodmem.acting import Acting
from lodmem.engine import Engine
from lodmem.http_api.problems import AnswerTooLarge, Refused
from lodmem.http_api.settings import Serving
from lodmem.model.access import AccessToken

T = TypeVar("T")

JSON = "application/json"


class Desk:
    """The engine and what bounds its calls. One for a server; `ending` is set when it is asked to end."""

    def __init__(self, engine: Engine, serving: Serving) -> None:
        self.engine, self.serving = engine, serving
        self.ending = Event()
        self.streams = 0
        self._threads = ThreadPoolExecutor(serving.calls, "lodmem-http")

    @property
    def stopping(self) -> bool:
        return self.ending.is_set()

    def hands(self, token: AccessToken | None) -> Engine:
        """The engine in the hands of whoever has the token; without one the engine's own agent."""
        return self.engine if token is None else Acting.of(self.engine, agent=token.agent, space=token.space)

    async def run(self, work: Callable[[], T], *, seconds: float) -> T:
        """What `work` returns. Raises Refused when it takes longer: then it goes on, unless it has not begun."""
        try:
            return await asyncio.wait_for(asyncio.get_running_loop().run_in_executor(self._threads, work), seconds)
        except TimeoutError:
            raise Refused(
                503, "timeout", f"it takes longer than {seconds:g} seconds", hint="it may go on; ask for less, or again later"
            ) from None

    def close(self) -> None:
        """Wait for the calls under way, let those that wait go unanswered."""
        self.ending.set()
        self._threads.shutdown(wait=True, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for this request, and how its work gets done. The surface's only way to the engine."""

    desk: Desk
    engine: Engine
    token: AccessToken | None
    request_id: str

    @classmethod
    def of(cls, request: Request) -> Asker:
        desk: Desk = request.app.state.desk
        token: AccessToken | None = request.scope["state"]["token"]
        return cls(desk, desk.hands(token), token, request.scope["state"]["request_id"])

    async def run(self, work: Callable[[Engine], T], *, long: bool = False) -> T:
        """`work` with the engine, in a thread."""
        serving = self.desk.serving
        return await self.desk.run(lambda: work(self.engine), seconds=serving.long_patience if long else serving.patience)

    async def json(self, work: Callable[[Engine], Any], *, status: int = 200, long: bool = False) -> Response:
        """What `work` returns as JSON. Raises AnswerTooLarge."""
        return Response(await self.run(lambda engine: self._encoded(work(engine)), long=long), status, media_type=JSON)

    def _encoded(self, payload: Any) -> bytes:
        body = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        limit = self.desk.serving.answer
        if len(body) > limit:
            raise AnswerTooLarge(
                f"the answer has {len(body):,} bytes, more than {limit:,}", hint="ask for less: a limit, a budget"
            )
        return body

    def whole(self) -> None:
        """Refuse a token that reaches one space alone. Raises Refused."""
        if self.token is not None and self.token.space is not None:
            raise Refused(
                403, "out_of_reach", "this concerns the whole store", hint=f"the token reaches {self.token.space} alone"
            )
