"""Who is answered: hosts, origins, tokens; and what every answer carries."""

from __future__ import annotations

import http.client
import logging
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from http_kit import Serve, Served, filled, opened, running

from lodmem.errors import BadParameter, StoreReadOnly
from lodmem.http_api.serving import Listening, bind
from lodmem.http_api.settings import Serving, is_loopback, url_of
from tests.conftest import FakeClock

PATHS = ("/", "/docs", "/docs.css", "/openapi.json", "/nothing/here", "/api/v1/health", "/api/v1/nothing", "/mcp")

STRANGERS = ("evil.example", "evil.example:7364", "127.0.0.1.evil.example", "8.8.8.8", "", "a b", "[::2]:80", "localhost@evil")
SPACES = {
    "acme": "The tea of acme is green.",
    "acme/lab": "The lab of acme boils tea.",
    "other": "Other tea is black.",
    "acmeter": "Tea that stands beside acme.",
}


# -- where it comes from --------------------------------------------------------------------------------------------------


@pytest.mark.req("R17.11")
@pytest.mark.parametrize("host", STRANGERS)
def test_a_name_that_was_pointed_here_is_not_answered(tea: Served, host: str) -> None:
    for path in PATHS:
        assert tea.get(path, expect=421, headers={"Host": host})["code"] == "unknown_host"


@pytest.mark.parametrize("host", ["localhost", "localhost:9000", "127.0.0.1:1", "[::1]:7364", "LOCALHOST:80", "127.5.5.5"])
def test_names_of_this_machine_are_answered(tea: Served, host: str) -> None:
    tea.get("health", headers={"Host": host})


def test_other_names_only_when_allowed(serve: Serve) -> None:
    served = serve(names=("memory.example",))
    served.get("health", headers={"Host": "memory.example"})
    served.get("health", expect=421, headers={"Host": "other.example"})


def test_two_hosts_or_none_are_refused(tea: Served) -> None:
    place = urlsplit(tea.url)
    for hosts in ([], ["localhost", "evil.example"]):
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=10)
        connection.putrequest("GET", "/api/v1/info", skip_host=True)
        for host in hosts:
            connection.putheader("Host", host)
        connection.endheaders()
        assert connection.getresponse().status in (400, 421)
        connection.close()


@pytest.mark.req("R17.11")
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "nonsense"},
    ],
    ids=str,
)
def test_pages_from_elsewhere_can_neither_read_nor_write(tea: Served, headers: dict[str, str]) -> None:
    before = tea.engine.stats().memories
    for method, path in (("GET", "info"), ("GET", "plane"), ("POST", "memories"), ("GET", "events"), ("OPTIONS", "memories")):
        answer = tea.request(method, path, headers=headers, json={"text": "planted"} if method == "POST" else None)
        assert answer.status_code == 403, (method, path)
        assert not any(name.startswith("access-control") for name in answer.headers)
    assert tea.request("POST", "/mcp", headers=headers, json={}).status_code == 403
    assert tea.engine.stats().memories == before


def test_the_page_itself_may_ask(tea: Served) -> None:
    own = tea.url.rstrip("/")
    tea.get("info", headers={"Origin": own, "Sec-Fetch-Site": "same-origin"})
    tea.post("recent", {"touch": False}, headers={"Origin": own, "Sec-Fetch-Site": "same-origin"})


def test_a_link_from_elsewhere_may_lead_to_the_page_alone(tea: Served) -> None:
    visit = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert tea.request("GET", "/", headers=visit).status_code == 200
    tea.get("stats", expect=403, headers=visit)


def test_a_form_cannot_write(tea: Served) -> None:
    """What a page can send without asking first: forms and plain text."""
    before = tea.engine.stats().memories
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = tea.request("POST", "memories", content='{"text": "planted"}', headers={"Content-Type": kind})
        assert 400 <= answer.status_code < 500, kind
    assert tea.engine.stats().memories == before


def test_no_other_origin_is_ever_allowed(tea: Served) -> None:
    for path in PATHS:
        answer = tea.request("OPTIONS", path, headers={"Access-Control-Request-Method": "POST", "Origin": tea.url.rstrip("/")})
        assert not any(name.startswith("access-control") for name in answer.headers)


# -- what answers carry ---------------------------------------------------------------------------------------------------


@pytest.mark.req("R17.11")
@pytest.mark.parametrize("path", PATHS)
def test_every_answer_carries_the_headers(tea: Served, path: str) -> None:
    for answer in (
        tea.request("GET", path),
        tea.request("GET", path, headers={"Host": "evil.example"}),
        tea.request("PATCH", path),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["x-request-id"]
        assert "server" not in answer.headers


def test_a_request_id_comes_back_if_it_is_harmless(tea: Served) -> None:
    assert tea.request("GET", "health", headers={"X-Request-ID": "abc-1.2_3"}).headers["x-request-id"] == "abc-1.2_3"
    for bad in ("a" * 65, "a b", "<script>", "é"):
        given = tea.request("GET", "health", headers={"X-Request-ID": bad.encode("latin-1")}).headers["x-request-id"]
        assert given != bad
        assert len(given) == 16


# -- tokens -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def guarded(serve: Serve, tmp_path: Path, clock: FakeClock) -> tuple[Served, str]:
    """A server that asks for a token, and one that opens it."""
    with opened(tmp_path, clock) as engine:
        filled(engine)
        text = engine.add_token("laptop", agent="scout")
    return serve(fill=False, needs_token=True), text


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


@pytest.mark.req("R13.4")
def test_without_a_token_only_health_and_pages_answer(guarded: tuple[Served, str]) -> None:
    served, text = guarded
    served.get("health")
    for path in ("/", "/docs", "/openapi.json"):
        assert served.request("GET", path).status_code == 200
    document = served.request("GET", "/openapi.json").json()
    for path, operations in document["paths"].items():
        if path == "/api/v1/health":
            continue
        for method in operations:
            url = path.replace("{memory_id}", "1").replace("{name}", "pinned")
            refused = served.request(method.upper(), url)
            assert refused.status_code == 401, (method, path)
            assert refused.headers["www-authenticate"].startswith("Bearer")
    assert served.request("POST", "/mcp", json={}).status_code == 401
    served.get("info", headers=bearer(text))


@pytest.mark.req("R13.4")
@pytest.mark.parametrize("wrong", ["", "lodmem_", "x" * 500, "lodmem_" + "A" * 43, "\x7f", "a b"])
def test_a_wrong_token_opens_nothing(guarded: tuple[Served, str], wrong: str) -> None:
    served, text = guarded
    for header in (f"Bearer {wrong}", wrong, f"Basic {text}", f"Bearer {text}x", f"Bearer {text[:-1]}", text):
        assert served.get("info", expect=401, headers={"Authorization": header.strip() or "Bearer"})["code"] == "unauthorized"


def test_a_token_in_an_address_is_no_token(guarded: tuple[Served, str]) -> None:
    served, text = guarded
    for name in ("token", "access_token", "authorization"):
        served.get("info", expect=401, params={name: text})


@pytest.mark.req("R13.4")
def test_who_has_the_token_acts_as_its_agent(guarded: tuple[Served, str]) -> None:
    served, text = guarded
    assert served.get("info", headers=bearer(text))["agent"] == "scout"
    kept = served.post("memories", {"text": "The scout saw a fox."}, expect=201, headers=bearer(text))
    assert served.get(f"memories/{kept['id']}", headers=bearer(text))["agent"] == "scout"
    served.post("memories/1/promote", {"to": "full", "mine": True}, headers=bearer(text))
    assert served.engine.expand(1, touch=False)[0].floor == 0
    assert served.get("memories/1", headers=bearer(text))["floor"] == "full"
    assert served.get("memories/1", headers=bearer(text))["history"][0]["agent"] == "scout"
    served.post("profiles/digest/use", headers=bearer(text))
    assert served.engine.profile.name == "balanced"
    assert served.get("profiles", headers=bearer(text))["used"] == "digest"


@pytest.mark.req("R13.4")
def test_a_revoked_token_opens_nothing_at_once(guarded: tuple[Served, str], tmp_path: Path, clock: FakeClock) -> None:
    served, text = guarded
    served.get("info", headers=bearer(text))
    with opened(tmp_path, clock) as other:
        other.revoke_token("laptop")
    served.get("info", expect=401, headers=bearer(text))


@pytest.mark.req("R13.4")
def test_the_store_and_the_log_hold_no_token(
    guarded: tuple[Served, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    served, text = guarded
    with caplog.at_level(logging.DEBUG):
        served.get("info", headers=bearer(text))
        served.get("info", expect=401, headers=bearer(text + "x"))
        served.get("info", params={"token": text}, headers=bearer(text))
        served.get("nothing", expect=404, params={"token": text}, headers=bearer(text))
    said = [record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
    assert any("token='laptop'" in line for line in said)
    assert not any(text in line for line in said)
    for file in tmp_path.iterdir():
        assert text.encode() not in file.read_bytes(), file
    assert text not in str(served.engine.tokens())
    assert text not in str(served.engine.audit_log())


def test_a_token_is_honoured_where_none_is_needed(serve: Serve) -> None:
    served = serve()
    text = served.engine.add_token("laptop", agent="scout")
    assert served.get("info")["agent"] == "default"
    assert served.get("info", headers=bearer(text))["agent"] == "scout"
    served.get("info", expect=401, headers=bearer("wrong"))


def test_the_document_says_when_a_token_is_needed(guarded: tuple[Served, str], tea: Served) -> None:
    closed, open_ = (each.request("GET", "/openapi.json").json() for each in (guarded[0], tea))
    assert closed["paths"]["/api/v1/info"]["get"]["security"] == [{"token": []}]
    assert "security" not in closed["paths"]["/api/v1/health"]["get"]
    assert "security" not in open_["paths"]["/api/v1/info"]["get"]


# -- tokens of one space --------------------------------------------------------------------------------------------------


@pytest.fixture
def narrow(serve: Serve) -> tuple[Served, dict[str, str]]:
    """A server over three spaces, and the headers of whoever reaches one of them."""
    served = serve(fill=False)
    for space, text in SPACES.items():
        served.engine.remember(text, space=space)
    served.engine.drain()
    return served, bearer(served.engine.add_token("acme", agent="scout", space="acme"))


@pytest.mark.req("R13.4")
def test_a_token_of_a_space_sees_that_space_alone(narrow: tuple[Served, dict[str, str]]) -> None:
    served, mine = narrow
    assert {view["id"] for view in served.post("search", {"query": "tea"}, headers=mine)["views"]} == {1, 2}
    for mode in ("recent", "important", "unseen", "random"):
        assert {view["id"] for view in served.post(mode, headers=mine)["views"]} <= {1, 2}
    assert {view["id"] for view in served.post("search", {"query": "tea", "space": "acme/lab"}, headers=mine)["views"]} == {2}
    assert served.post("search", {"query": "tea", "space": "other"}, expect=400, headers=mine)["code"] == "bad_parameter"
    texts = served.get("memories", params={"ids": "1,2,3,4"}, headers=mine)["items"]
    assert [text["id"] for text in texts] == [1, 2]
    assert served.get("info", headers=mine)["memories"] == 2
    for path in ("plane", "plane/more?columns=importance", "plane/relevance?q=tea", "plane/tiers?q=tea"):
        assert b'"n":2' in served.get(path, headers=mine), path
        served.get(path + ("&" if "?" in path else "?") + "space=other", expect=400, headers=mine)
    for path in ("memories/3", "memories/4", "memories/3/explain?q=tea"):
        assert served.get(path, expect=404, headers=mine)["code"] == "unknown_memory"
    entries = served.get("audit/log", headers=mine)["entries"]
    assert {entry["space"] for entry in entries} <= {"acme", "acme/lab"}
    assert served.get("audit/lists/never-looked-at?days=0", headers=mine)["total"] <= 2


@pytest.mark.req("R13.4")
def test_a_token_of_a_space_changes_that_space_alone(narrow: tuple[Served, dict[str, str]]) -> None:
    served, mine = narrow
    kept = served.post("memories", {"text": "New in acme."}, expect=201, headers=mine)
    assert served.get(f"memories/{kept['id']}")["space"] == "acme"
    served.post("memories", {"text": "below", "space": "acme/lab"}, expect=201, headers=mine)
    served.post("memories", {"text": "planted", "space": "other"}, expect=400, headers=mine)
    served.post("memories/batch", {"items": [{"text": "planted", "space": "other"}]}, expect=400, headers=mine)
    for path, body in (("promote", {"to": "full"}), ("demote", {}), ("supersede", {"by": 1})):
        served.post(f"memories/3/{path}", body, expect=404, headers=mine)
    served.post("memories/1/supersede", {"by": 3}, expect=404, headers=mine)
    served.post("memories/expand", {"ids": [1, 3]}, expect=404, headers=mine)
    served.delete("memories/3", expect=404, headers=mine)
    assert served.engine.expand(3, touch=False)[0].status == "active"
    for path in ("stats", "check", "backup", "export", "calibration", "llm", "tokens"):
        assert served.get(path, expect=403, headers=mine)["code"] == "out_of_reach"
    for path in ("repair", "drain", "reindex", "relevel", "llm/try"):
        served.post(path, expect=403, headers=mine)
    served.post("tokens", {"name": "more"}, expect=403, headers=mine)
    served.put("profiles/balanced", {"alpha": 0.0}, expect=403, headers=mine)
    served.post("profiles/digest/use", {"agent": "default"}, expect=403, headers=mine)


# -- where it listens -----------------------------------------------------------------------------------------------------


@pytest.mark.req("R13.4")
@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org"])
def test_beyond_this_machine_it_does_not_start_without_a_token(tmp_path: Path, clock: FakeClock, host: str) -> None:
    with opened(tmp_path, clock) as engine, pytest.raises(BadParameter, match="nobody has a token"):
        Listening.on(engine, Serving(host=host, port=0))


@pytest.mark.req("R13.4")
def test_beyond_this_machine_a_token_is_needed(tmp_path: Path, clock: FakeClock) -> None:
    with opened(tmp_path, clock) as engine:
        text = engine.add_token("laptop")
        with running(engine, host="0.0.0.0") as served:
            assert served.url.startswith("http://127.0.0.1:")
            served.get("info", expect=401)
            assert served.get("info", headers=bearer(text))["needs_token"]
            # An address cannot be pointed elsewhere, a name can.
            served.get("info", headers=bearer(text) | {"Host": "192.168.1.5:7364"})
            served.get("info", expect=421, headers=bearer(text) | {"Host": "evil.example"})


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("localhost", True), ("::1", True), ("[::1]", True), ("0.0.0.0", False),
     ("::", False), ("10.0.0.1", False), ("localhost.evil", False), ("", False)],
)  # fmt: skip
def test_what_is_this_machine(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_addresses_that_a_browser_can_open() -> None:
    assert url_of("127.0.0.1", 80) == "http://127.0.0.1:80/"
    assert url_of("::", 80) == "http://[::1]:80/"
    assert url_of("0.0.0.0", 80) == "http://127.0.0.1:80/"


def test_a_taken_port_gives_way_to_the_next(tmp_path: Path, clock: FakeClock) -> None:
    with bind("127.0.0.1", 0) as first, opened(tmp_path, clock) as engine:
        port = first.getsockname()[1]
        with Listening.on(engine, Serving(port=port)) as listening:
            assert listening.taken == port
            assert listening.url != url_of("127.0.0.1", port)


def test_an_address_that_is_not_ours_is_told(tmp_path: Path, clock: FakeClock) -> None:
    with pytest.raises(BadParameter, match="cannot be listened on"):
        bind("192.0.2.1", 0)


# -- read only ------------------------------------------------------------------------------------------------------------


@pytest.mark.req("R17.12")
def test_a_read_only_server_changes_nothing(serve: Serve) -> None:
    served = serve(engine={"read_only": True}, read_only=True)
    assert served.get("info")["read_only"]
    before = served.get("plane/more?columns=importance"), served.engine.stats(), served.engine.revision
    assert served.post("search", {"query": "tea"})["views"]
    served.post("memories/expand", {"ids": [1]})
    for method, path, body in (
        ("POST", "memories", {"text": "new"}),
        ("POST", "memories/batch", {"items": [{"text": "new"}]}),
        ("POST", "memories/1/promote", {"to": "full"}),
        ("POST", "memories/1/demote", {}),
        ("POST", "memories/1/supersede", {"by": 2}),
        ("DELETE", "memories/1", None),
        ("PUT", "profiles/mine", {}),
        ("POST", "profiles/digest/use", {}),
        ("PUT", "calibration", {"c0": 0.1, "c1": 0.5}),
        ("POST", "repair", {}),
        ("POST", "tokens", {"name": "x"}),
        ("DELETE", "tokens/x", None),
    ):
        answer = served.request(method, path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, StoreReadOnly.code), (method, path, answer.text)
    assert (served.engine.stats(), served.engine.revision) == before[1:]
