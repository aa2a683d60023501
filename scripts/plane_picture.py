"""Take the picture of the memory plane for the README, from the store that `make demo` leaves.

    make plane-picture        after make demo; needs chromium

It serves the store for reading only, on a port of its own, and waits until the page says that it has settled.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / ".demo" / "memory.db"
TARGET = ROOT / "docs" / "images" / "plane.png"
QUESTION = "what happens when a memory is forgotten?"
FLAGS = ("--no-sandbox", "--disable-quic", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
SIZE = (1440, 900)
SETTLED = "window.lodmem?.session?.fresh && !lodmem.session.busy.size && (!lodmem.plane || lodmem.plane.still)"


def main() -> int:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not STORE.exists() or chromium is None:
        print("first: make demo" if not STORE.exists() else "chromium is not installed", file=sys.stderr)
        return 1
    lodmem = [sys.executable, "-m", "lodmem", "--store", str(STORE)]
    subprocess.run([*lodmem, "map"], cwd=ROOT, check=True)
    server = subprocess.Popen(
        [*lodmem, "serve", "--read-only", "--no-open", "--port", "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        take(chromium, f"{address}?{urlencode({'q': QUESTION})}")
    finally:
        server.terminate()
        server.wait(30)
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size:,} bytes")
    return 0


def take(chromium: str, url: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(
            viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="dark", reduced_motion="reduce", device_scale_factor=1
        )
        page.goto(url)
        settle(page)
        page.keyboard.press("j")
        page.get_by_text("Representations").wait_for()
        settle(page)
        page.screenshot(path=TARGET)
        browser.close()


def settle(page: Page) -> None:
    """Wait until the engine has answered and nothing is left to draw; one function, since the policy allows no eval."""
    page.evaluate(f"""async () => {{
        const end = performance.now() + 60000, rest = () => new Promise((go) => setTimeout(go, 50));
        while (!({SETTLED}) && performance.now() < end) await rest();
        if (!({SETTLED})) throw new Error("the page does not settle");
    }}""")


if __name__ == "__main__":
    sys.exit(main())
