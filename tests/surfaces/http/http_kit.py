"""A real server on a free port, in a thread, with an engine and clients to talk to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

import lodmem
from lodmem.engine import Engine
from lodmem.http_api.serving import Listening
from lodmem.http_api.settings import Serving
from tests.conftest import FakeClock, FakeEmbedder

TEA = (
    "Ada moved the launch of the tea house to June 3, because the samovar came late.",
    "Grace likes green tea with a slice of lemon, and no sugar in it at all.",
    "The samovar stands in the back room; its tap drips when nobody looks.",
    "Ada and Grace painted the door of the tea house blue on a Sunday in May.",
    "The landlord wants the rent on the first day of every month, in cash.",
    "A long note about the cellar. " + "The shelves hold jars of leaves, and each jar has a label with a year on it. " * 12,
)
TIMEOUT = 30.0


class Served:
    """A running server, its engine, and a client for it. Paths of `get`, `post` and so on stand below /api/v1/."""

    def __init__(self, url: str, engine: Engine, listening: Listening) -> None:
        self.url, self.engine, self.listening = url, engine, listening
        self.client = httpx.Client(base_url=url, timeout=TIMEOUT, trust_env=False)

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.client.request(method, path if path.startswith("/") else f"/api/v1/{path}", **more)

    def get(self, path: str, expect: int = 200, **more: Any) -> Any:
        return self._read(self.request("GET", path, **more), expect)

    def post(self, path: str, body: object = None, expect: int = 200, **more: Any) -> Any:
        return self._read(self.request("POST", path, json={} if body is None else body, **more), expect)

    def put(self, path: str, body: object, expect: int = 200, **more: Any) -> Any:
        return self._read(self.request("PUT", path, json=body, **more), expect)

    def delete(self, path: str, expect: int = 200, **more: Any) -> Any:
        return self._read(self.request("DELETE", path, **more), expect)

    def _read(self, answer: httpx.Response, expect: int) -> Any:
        assert answer.status_code == expect, (answer.request.url, answer.status_code, answer.text[:2000])
        kind = answer.headers["content-type"].partition(";")[0]
        if expect >= 400:
            assert kind == "application/problem+json"
            found = answer.json()
            assert found["status"] == expect
            assert found["request_id"] == answer.headers["x-request-id"]
            return found
        return answer.json() if kind == "application/json" else answer.content


@contextmanager
def running(engine: Engine, **more: Any) -> Iterator[Served]:
    """A server over an engine; at the end it must stop by itself."""
    serving = Serving(**{"port": 0, "tick": 0.02, "beat": 0.2, "map_every": 0, **more})
    with Listening.on(engine, serving) as listening:
        thread = threading.Thread(target=listening.run)
        thread.start()
        served = Served(listening.url, engine, listening)
        try:
            for _ in range(3):
                with ExitStack() as waiting:
                    waiting.push(lambda *_: True)
                    served.get("ready")
                    break
            yield served
        finally:
            served.client.close()
            listening.stop()
            thread.join(TIMEOUT)
            assert not thread.is_alive(), "the server did not stop"


def opened(folder: Path, clock: FakeClock, **more: Any) -> Engine:
    given: dict[str, Any] = {"embedder": FakeEmbedder(), "clock": clock, "zone": "UTC", "background": False} | more
    return lodmem.open(folder / "memory.db", **given)


def filled(engine: Engine) -> list[int]:
    """Some memories, embedded."""
    ids = [
        engine.remember(text, tags=["tea"] if i < 4 else [], source=lodmem.Source("notes", "n", i)).id
        for i, text in enumerate(TEA)
    ]
    engine.drain()
    return ids


Serve = Callable[..., Served]
