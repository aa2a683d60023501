from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from lodmem.errors import BadParameter, ModelBadAnswer, ModelError, ModelUnavailable
from lodmem.models import openai_compatible as module
from lodmem.models.openai_compatible import OpenAiCompatibleEmbedder
from lodmem.ports import Embedder

KEY = "sk-very-secret-0123456789"
Behaviour = Callable[["Handler", list[str]], None]


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 97), -2.0]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({"path": self.path, "auth": self.headers.get("Authorization"), **request})
        behaviour = self.server.script.pop(0) if self.server.script else good
        behaviour(self, request["input"])

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        pass


class Server(ThreadingHTTPServer):
    """Answers well unless `script` says otherwise; `released` ends a hanging answer."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.script: list[Behaviour] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


def good(handler: Handler, texts: list[str]) -> None:
    data = [{"object": "embedding", "index": i, "embedding": vector(text)} for i, text in enumerate(texts)]
    handler.send(200, json.dumps({"object": "list", "data": data, "model": "m"}).encode())


def status(code: int, said: str = "", **headers: str) -> Behaviour:
    return lambda handler, _: handler.send(code, said.encode(), **headers)


def answer(change: Callable[[list[dict[str, Any]]], object]) -> Behaviour:
    """A good answer whose data list is changed."""

    def behave(handler: Handler, texts: list[str]) -> None:
        data = change([{"index": i, "embedding": vector(text)} for i, text in enumerate(texts)])
        handler.send(200, json.dumps({"data": data}).encode())

    return behave


def hang(handler: Handler, _: list[str]) -> None:
    handler.server.released.wait(20)
    handler.close_connection = True


def drip(handler: Handler, _: list[str]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while not handler.server.released.wait(0.02):
        try:
            handler.wfile.write(b" ")
        except OSError:
            break
    handler.close_connection = True


def hang_up(handler: Handler, _: list[str]) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def endless(handler: Handler, _: list[str]) -> None:
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    try:
        while not handler.server.released.is_set():
            handler.wfile.write(b"[0.125, " * 8192)
    except OSError:
        handler.close_connection = True


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.released.set()
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def make(server: Server, waits: list[float]) -> Iterator[Callable[..., OpenAiCompatibleEmbedder]]:
    made: list[OpenAiCompatibleEmbedder] = []

    def build(**changed: Any) -> OpenAiCompatibleEmbedder:
        given: dict[str, Any] = {"base_url": server.url, "model": "tiny", "api_key": KEY, "sleep": waits.append, **changed}
        made.append(OpenAiCompatibleEmbedder(**given))
        return made[-1]

    yield build
    for embedder in made:
        embedder.close()


Make = Callable[..., OpenAiCompatibleEmbedder]


def unit(text: str) -> np.ndarray[Any, Any]:
    row = np.array(vector(text))
    return row / np.linalg.norm(row)


@pytest.mark.req("R16.9")
def test_asks_in_batches_and_gives_unit_rows_in_order(server: Server, make: Make) -> None:
    embedder: Embedder = make(batch=2)
    texts = ["one", "twice two", "three", "", "x" * 9000]
    rows = embedder.embed(texts)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, [unit(text[:6000] or " ") for text in texts], atol=1e-6)
    assert [len(request["input"]) for request in server.requests] == [2, 2, 1]
    assert {(request["path"], request["auth"], request["model"]) for request in server.requests} == {
        ("/v1/embeddings", f"Bearer {KEY}", "tiny")
    }
    assert "dimensions" not in server.requests[0]


def test_the_first_call_finds_the_dimensions(server: Server, make: Make) -> None:
    embedder = make()
    assert embedder.identity.key == "openai-compatible@tiny/4"
    assert embedder.identity.dims == 4
    assert len(server.requests) == 1
    assert embedder.embed([]).shape == (0, 4)
    assert len(server.requests) == 1


def test_dimensions_can_be_asked_for(server: Server, make: Make) -> None:
    embedder = make(dimensions=4, c0=0.2, c1=0.9)
    assert (embedder.identity.c0, embedder.identity.c1) == (0.2, 0.9)
    assert server.requests == []
    embedder.embed(["x"])
    assert server.requests[0]["dimensions"] == 4
    with pytest.raises(ModelBadAnswer, match="4 dimensions, expected 8"):
        make(dimensions=8).embed(["x"])


def test_other_dimensions_than_before_are_refused(server: Server, make: Make) -> None:
    embedder = make()
    embedder.embed(["x"])
    server.script = [answer(lambda data: [{"index": 0, "embedding": [1.0, 2.0]}])]
    with pytest.raises(ModelBadAnswer, match="2 dimensions, expected 4"):
        embedder.embed(["x"])


def test_no_key_sends_no_header(server: Server, make: Make) -> None:
    make(api_key="").embed(["x"])
    assert server.requests[0]["auth"] is None


def test_addresses_are_completed(server: Server, make: Make) -> None:
    for url in (server.url + "/", server.url + "/embeddings"):
        make(base_url=url).embed(["x"])
    assert [request["path"] for request in server.requests] == ["/v1/embeddings"] * 2


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(server: Server, make: Make, waits: list[float], code: int) -> None:
    server.script = [status(code), status(code)]
    assert make().embed(["x"]).shape == (1, 4)
    assert waits == [0.5, 1.0]


def test_retry_after_is_waited_for(server: Server, make: Make, waits: list[float]) -> None:
    now = 1_900_000_000.0
    server.script = [
        status(429, Retry_After="7"),
        status(503, Retry_After=formatdate(now + 12, usegmt=True)),
        status(429, Retry_After="soon"),
    ]
    make(now=lambda: now).embed(["x"])
    assert waits == [7.0, 12.0, 2.0]


def test_a_long_retry_after_is_not_waited_for(server: Server, make: Make, waits: list[float]) -> None:
    server.script = [status(429, Retry_After="3600")]
    with pytest.raises(ModelUnavailable, match="429") as caught:
        make().embed(["x"])
    assert "3600 s" in caught.value.hint
    assert waits == []


def test_gives_up_after_its_attempts(server: Server, make: Make, waits: list[float]) -> None:
    server.script = [status(500, "overloaded")] * 9
    with pytest.raises(ModelUnavailable, match="answered 500: overloaded"):
        make(attempts=6).embed(["x"])
    assert len(server.requests) == 6
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0]


def test_identity_does_not_wait_for_a_server_that_is_down(server: Server, make: Make, waits: list[float]) -> None:
    server.script = [status(503)]
    embedder = make()
    with pytest.raises(ModelUnavailable, match="503"):
        _ = embedder.identity
    assert waits == []
    assert embedder.identity.dims == 4


@pytest.mark.parametrize("behaviour", [hang, drip])
def test_silence_ends_at_the_time_out(server: Server, make: Make, waits: list[float], behaviour: Behaviour) -> None:
    server.script = [behaviour] * 2
    started = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"within 0\.15 s"):
        make(timeout_s=0.15, attempts=2).embed(["x"])
    assert time.monotonic() - started < 10
    assert waits == [0.5]


def test_a_broken_connection_is_tried_again(server: Server, make: Make, waits: list[float]) -> None:
    server.script = [hang_up]
    assert make().embed(["x"]).shape == (1, 4)
    assert waits == [0.5]


def test_nobody_listening(make: Make, waits: list[float]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://user:{KEY}@127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
        make(base_url=url, attempts=2).embed(["x"])
    assert KEY not in f"{caught.value!s} {caught.value!r}"
    assert len(waits) == 1


def shorter(data: list[dict[str, Any]]) -> object:
    return data[:-1]


def backwards(data: list[dict[str, Any]]) -> object:
    return data[::-1]


def test_answers_out_of_order_are_put_in_order(server: Server, make: Make) -> None:
    server.script = [answer(backwards)]
    np.testing.assert_allclose(make().embed(["a", "bcd"]), [unit("a"), unit("bcd")], atol=1e-6)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (status(200, "<html>welcome</html>"), "JSON"),
        (answer(shorter), "1 vectors for 2 texts"),
        (answer(lambda data: "none"), "no list `data`"),
        (status(200, "garbage", Content_Encoding="gzip"), "damaged"),
        (status(400, '{"error": "input too long"}'), "input too long"),
        (status(302, "", Location="http://127.0.0.1:1/"), "302"),
    ],
)
def test_bad_answers_are_not_tried_again(
    server: Server, make: Make, waits: list[float], behaviour: Behaviour, said: str
) -> None:
    server.script = [behaviour]
    with pytest.raises(ModelBadAnswer, match=said):
        make().embed(["a", "b"])
    assert (len(server.requests), waits) == (1, [])


def test_a_huge_answer_is_cut_off(server: Server, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_ANSWER_BYTES", 2 * 1024 * 1024)
    server.script = [endless]
    with pytest.raises(ModelBadAnswer, match="more than 2 MB"):
        make().embed(["x"])


@pytest.mark.parametrize(("code", "hint"), [(401, "API key"), (403, "API key"), (404, "has the model tiny")])
def test_refusals_say_what_to_check_and_never_the_key(
    server: Server, make: Make, waits: list[float], code: int, hint: str
) -> None:
    server.script = [status(code, f"bad key {KEY}\n\x1b[31mred " + "long " * 500)]
    with pytest.raises(ModelUnavailable) as caught:
        make().embed(["x"])
    error: BaseException | None = caught.value
    assert hint in caught.value.hint
    assert "bad key *** [31mred long" in str(error)
    assert len(caught.value.message) < 400
    while error is not None:
        assert KEY not in f"{error!s} {error!r}"
        error = error.__cause__ or error.__context__
    assert waits == []


def test_a_key_cut_by_the_excerpt_stays_hidden(server: Server, make: Make) -> None:
    server.script = [status(400, "x" * 190 + KEY)]
    with pytest.raises(ModelBadAnswer) as caught:
        make().embed(["x"])
    assert KEY[:6] not in str(caught.value)


def test_representation_hides_key_and_credentials(make: Make) -> None:
    embedder = make(base_url=f"https://me:{KEY}@models.example/v1")
    assert repr(embedder) == "OpenAiCompatibleEmbedder(https://models.example/v1/embeddings, tiny)"


@pytest.mark.parametrize(
    "given",
    [
        {"base_url": "localhost:11434/v1"},
        {"base_url": "ftp://host/v1"},
        {"base_url": "http://"},
        {"base_url": "http://host:99999/v1"},
        {"model": " "},
        {"api_key": f"{KEY}\nX-Evil: 1"},
        {"api_key": "schlüssel"},
        {"batch": 0},
        {"max_chars": 0},
        {"timeout_s": 0.0},
        {"attempts": 0},
        {"dimensions": 0},
    ],
)
def test_settings_that_cannot_be_used(make: Make, given: dict[str, Any]) -> None:
    with pytest.raises(BadParameter) as caught:
        make(**given)
    assert KEY not in str(caught.value)


def test_white_space_around_a_key_is_forgiven(server: Server, make: Make) -> None:
    make(api_key=f" {KEY}\n").embed(["x"])
    assert server.requests[0]["auth"] == f"Bearer {KEY}"


def test_threads_share_one_embedder(server: Server, make: Make) -> None:
    embedder = make(batch=3)
    failures: list[ModelError] = []
    rows: dict[int, Any] = {}

    def work(number: int) -> None:
        try:
            rows[number] = embedder.embed([f"text {number} {i}" for i in range(7)])
        except ModelError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for number, found in rows.items():
        np.testing.assert_allclose(found, [unit(f"text {number} {i}") for i in range(7)], atol=1e-6)


def test_close_is_idempotent_and_not_final(make: Make) -> None:
    embedder = make()
    embedder.embed(["x"])
    embedder.close()
    embedder.close()
    assert embedder.embed(["x"]).shape == (1, 4)
