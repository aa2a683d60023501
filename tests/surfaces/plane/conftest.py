"""A real server over a store of invented memories, and the page in a real Chromium that draws in software.

Tests wait on the page's state, never for a time: `Page.until` asks again and again within the page.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.http_api.serving import Listening
from lodmem.http_api.settings import Serving
from tests.conftest import FakeClock, FakeEmbedder
from tests.surfaces.plane.invented import invented

playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")

CHROMIUM = os.environ.get("LODMEM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
)  # fmt: skip
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
COUNT = 1200
PATIENCE_MS = 30_000
PROBES = Path(__file__).with_name("probes.js")
SIZE = {"width": 1440, "height": 900}


class Page:
    """The page at one address. `problems`: what a browser complained about, and requests that went elsewhere."""

    def __init__(self, page: Any, url: str) -> None:
        self.raw, self.url = page, url
        page.add_init_script(path=PROBES)
        self.problems: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("request", self._request)

    def _heard(self, kind: str, text: str) -> None:
        # The software renderer says that reading back is slow; answers with an error status are looked at by the tests.
        if kind in ("error", "warning") and "GPU stall" not in text and "Failed to load resource" not in text:
            self.problems.append(f"{kind}: {text}")

    def _request(self, request: Any) -> None:
        self.asked.append(request.url)
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.problems.append(f"asked {request.url}")

    def open(self, search: str = "", *, phase: str = "ready") -> Page:
        self.raw.goto(self.url + search)
        self.until(f"window.lodmem && lodmem.session.phase === {json.dumps(phase)}")
        if phase == "ready":
            self.settle()
        return self

    def eval(self, code: str, argument: Any = None) -> Any:
        return self.raw.evaluate(code, argument)

    def probe(self, name: str, argument: Any = None) -> Any:
        """The answer of one of the functions of probes.js."""
        return self.eval(f"(argument) => probes.{name}(argument)", argument)

    def until(self, condition: str) -> None:
        """Returns once the expression is true in the page. The page's policy allows no eval, so the loop is one function."""
        try:
            self.eval(
                f"async (ms) => {{ const end = performance.now() + ms; while (!({condition})) {{"
                " if (performance.now() > end) throw new Error('never true'); await new Promise((r) => setTimeout(r, 12)); } }",
                PATIENCE_MS,
            )
        except playwright.Error as error:
            raise AssertionError(f"never true: {condition}; notice: {self.state('session.notice')!r}") from error

    def settle(self) -> None:
        """The engine has answered the present question, and nothing is left to draw."""
        self.until("lodmem.session.fresh && !lodmem.session.busy.size && (!lodmem.plane || lodmem.plane.still)")

    def state(self, name: str) -> Any:
        return self.eval(f"() => window.lodmem?.{name}")

    def ask(self, query: str) -> None:
        self.raw.fill("#query", query)
        self.raw.press("#query", "Enter")
        self.until(f"lodmem.session.query === {json.dumps(query)}")
        self.settle()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.raw.keyboard.press(key)

    def counts(self) -> list[int]:
        """Horizon, headline, summary, full: as the page computes them."""
        return self.eval("() => [...lodmem.session.measured.counts]")

    def text(self, selector: str) -> str:
        return str(self.raw.locator(selector).first.inner_text())


@contextmanager
def serving(engine: Engine, **more: Any) -> Iterator[str]:
    """The address of a server over an engine, in a thread; it stops at the end."""
    import threading

    with Listening.on(engine, Serving(**{"port": 0, "tick": 0.05, "beat": 1.0, **more})) as listening:
        thread = threading.Thread(target=listening.run)
        thread.start()
        try:
            yield listening.url
        finally:
            listening.stop()
            thread.join(30)
            assert not thread.is_alive(), "the server did not stop"


def opened(path: Path, clock: FakeClock, **more: Any) -> Engine:
    return lodmem.open(path, embedder=FakeEmbedder(48), clock=clock, zone="UTC", background=False, **more)


def fill(engine: Engine, clock: FakeClock, count: int) -> None:
    """Memories of two years with a history: searches in the past, a floor, a secret, a superseded one."""
    clock.set(NOW)
    drafts = invented(count, NOW)
    engine.remember_many(drafts)
    key = "sk-ant-" + "api03-" + "Zk3" * 31 + "AA"
    engine.remember(f"The old payment provider key was {key} until March.", created_at=clock.ago(40))
    engine.reindex()  # embeds, and leaves judging aside, which takes longer than all the rest
    for days, query in (
        (90, "sourdough starter"),
        (60, "release signing key"),
        (45, "release signing key"),
        (9, "night train"),
    ):
        clock.set(NOW)
        clock.set(clock.ago(days))
        engine.search(query)
        engine._recorder.flush()
    clock.set(NOW)
    engine.promote(3, to="full", reason="the first one")
    engine.promote(5, to="summary", reason="kept in view")
    engine.supersede(7, 8)
    engine._recorder.flush()
    engine.make_map()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One for the tests of a file: its driver keeps an event loop running in this thread, which others need."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium; LODMEM_CHROMIUM names one")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS), timeout=120_000)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filled store, closed."""
    path = tmp_path_factory.mktemp("plane") / "memory.db"
    clock = FakeClock(NOW)
    with opened(path, clock) as engine:
        fill(engine, clock, COUNT)
    return path


@pytest.fixture(scope="module")
def served(store: Path) -> Iterator[str]:
    """One server for all tests that only look, with its engine's clock standing still."""
    with opened(store, FakeClock(NOW)) as engine, serving(engine) as url:
        yield url


@pytest.fixture
def own(store: Path, tmp_path: Path) -> Iterator[tuple[str, Engine]]:
    """A server over a copy of the store, for tests that change something."""
    for file in store.parent.iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path / file.name)
    with opened(tmp_path / store.name, FakeClock(NOW)) as engine, serving(engine) as url:
        yield url, engine


@contextmanager
def opening(browser: Any, url: str, **more: Any) -> Iterator[Page]:
    """A fresh page; at the end nothing may have gone wrong in it."""
    context = browser.new_context(**{"viewport": SIZE, "reduced_motion": "reduce", "color_scheme": "dark", **more})
    page = Page(context.new_page(), url)
    try:
        yield page
        assert page.problems == []
    finally:
        context.close()


@pytest.fixture
def page(browser: Any, served: str) -> Iterator[Page]:
    with opening(browser, served) as opened_page:
        yield opened_page


@pytest.fixture(scope="module")
def shared(browser: Any, served: str) -> Iterator[Page]:
    """One page for the tests of a module; each opens the address it needs."""
    with opening(browser, served) as opened_page:
        yield opened_page
