"""The page of the memory plane and its assets: what is given out, how long it is kept, and nothing beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from http_kit import Serve, Served

from lodmem.http_api import pages
from lodmem.http_api.serving import open_browser

BUILT = {
    "index.html": "<!doctype html><title>plane</title>",
    "icon.svg": "<svg/>",
    "assets/index-a1b2.js": "let a",
    "assets/font-c3.woff2": "font",
    ".hidden": "secret",
}


@pytest.fixture
def built(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    """A server that gives out a page of the test, with a file beside its folder."""
    folder = tmp_path / "package" / "static"
    for name, text in BUILT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder.parent / "beside.txt").write_text("secret")
    monkeypatch.setattr(pages, "static", lambda: folder)
    return serve(fill=False)


@pytest.mark.parametrize(
    ("path", "kind", "kept"),
    [
        ("/", "text/html; charset=utf-8", "no-store"),
        ("/index.html", "text/html; charset=utf-8", "no-cache"),
        ("/icon.svg", "image/svg+xml", "no-cache"),
        ("/assets/index-a1b2.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        ("/assets/font-c3.woff2", "font/woff2", "public, max-age=31536000, immutable"),
    ],
)
def test_what_is_built_is_given_out(built: Served, path: str, kind: str, kept: str) -> None:
    answer = built.request("GET", path)
    assert answer.status_code == 200
    assert answer.text == BUILT[path.lstrip("/") or "index.html"]
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == (kind, kept)
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    ["/../beside.txt", "/%2e%2e/beside.txt", "/assets/..%2f..%2fbeside.txt", "/assets/%2e%2e/%2e%2e/beside.txt",
     "/..%5cbeside.txt", "//etc/passwd", "/%2fetc/passwd", "/.hidden", "/assets", "/assets/", "/a/b/c/d/e/f/g/h/i/j", "/%00",
     "/nothing.js"],
)  # fmt: skip
def test_nothing_beside_it_is_given_out(built: Served, path: str) -> None:
    answer = built.client.request("GET", built.url.rstrip("/") + path)
    assert answer.status_code == 404, answer.text
    assert "secret" not in answer.text


def test_a_browser_finds_the_icon_where_it_looks_by_itself(built: Served) -> None:
    answer = built.request("GET", "/favicon.ico")
    assert (answer.status_code, answer.text) == (200, BUILT["icon.svg"])
    assert answer.headers["content-type"] == "image/svg+xml"
    assert '<link rel="icon" href="/icon.svg">' in built.request("GET", "/docs").text


def test_without_a_page_it_says_how_to_build_it(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "static", lambda: tmp_path / "nowhere")
    answer = serve(fill=False).request("GET", "/")
    assert answer.status_code == 200
    assert "make web" in answer.text


def test_no_browser_is_opened_without_a_display() -> None:
    assert open_browser("http://127.0.0.1:1/", {}) is False
