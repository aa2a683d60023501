"""A real server over a store, and the page in a real Chromium that draws in software.

The store is of invented memories, or of real ones where LODMEM_PLANE_DATA names files (real.py). Tests wait on the page's
state, never for a time: `Page.until` asks again and again within the page.
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
from urllib.parse import urlencode

import pytest

from lodmem.engine import Engine
from lodmem.http_api.serving import Listening
from lodmem.http_api.settings import Serving
from tests.conftest import FakeClock
from tests.surfaces.plane import real
from tests.surfaces.plane.invented import ASKS, invented
from tests.surfaces.plane.scene import STORE, Ask, Scene, live, opened

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
Own = tuple[str, Engine]


def link(**given: Any) -> str:
    """The page's address for what it is to show: q, x, view, sel, ..., lists repeated."""
    return "?" + urlencode(given, doseq=True)


class Page:
    """The page at one address. `problems`: what a browser complained about, and requests that went elsewhere. `until` waits
    `patience_ms` at most."""

    def __init__(self, page: Any, url: str, patience_ms: int = PATIENCE_MS) -> None:
        self.raw, self.url, self.patience_ms = page, url, patience_ms
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
                self.patience_ms,
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

    def agreed(self, of: str = "") -> int:
        """How many memories page and engine compared: all that are seen, and none differs."""
        agreement, visible = self.state("session.agreement"), self.state("session.measured.visible")
        assert (agreement["wrong"], agreement["compared"]) == ([], visible), of
        return int(visible)

    def saved(self, button: Any, folder: Path) -> str:
        """The text of the file that a button hands to the browser's download."""
        with self.raw.expect_download() as download:
            button.click()
        target = folder / download.value.suggested_filename
        download.value.save_as(target)
        return target.read_text(encoding="utf-8")

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
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A filled store, closed."""
    folder = tmp_path_factory.mktemp("plane")
    if data := real.files():
        shutil.copytree(real.kept(data), folder, dirs_exist_ok=True)
    else:
        clock = FakeClock(NOW)
        with opened(folder / STORE, clock) as engine:
            live(engine, clock, invented(COUNT, NOW), [Ask(text) for text in ASKS], real=False).keep(folder)
    return Scene.of(folder)


@pytest.fixture(scope="module")
def looker(scene: Scene) -> Iterator[Engine]:
    """One engine for all tests that only look, with its clock standing still."""
    with scene.open() as engine:
        yield engine


@pytest.fixture(scope="module")
def served(looker: Engine) -> Iterator[str]:
    """The address of its server."""
    with serving(looker) as url:
        yield url


@pytest.fixture
def own(scene: Scene, tmp_path: Path) -> Iterator[Own]:
    """A server over a copy of the store, for tests that change something."""
    for file in scene.folder.iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path / file.name)
    with scene.open(tmp_path) as engine, serving(engine) as url:
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
