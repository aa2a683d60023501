"""The OpenAPI document: it is whole, the server keeps to it, and its page asks nobody else for anything.

The whole document is tried with made-up requests, good and bad ones. `SOAK=1` tries all boundary values too, and more.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import pytest
from http_kit import Serve, Served

from lodmem.http_api.routes import audit
from lodmem.retrieval.audits import LISTS

LONG = os.environ.get("SOAK") == "1"


@pytest.mark.req("R17.17")
@pytest.mark.timeout(900 if LONG else 120)
@pytest.mark.parametrize("guarded", [False, True] if LONG else [True], ids=["open", "token"] if LONG else ["token"])
def test_made_up_requests_find_nothing(serve: Serve, tmp_path: Path, guarded: bool) -> None:
    served = serve(needs_token=guarded)
    text = served.engine.add_token("tester")
    command = [
        *(
            sys.executable,
            "-c",
            "from schemathesis.cli import schemathesis; schemathesis()",
            "run",
            served.url + "openapi.json",
        ),
        *("--phases", "examples,coverage,fuzzing" if LONG else "examples,fuzzing"),
        *("--max-examples", "60" if LONG else "3"),
        # A date in words, a profile's lock: what is wrong with a value of the right shape, no schema can say.
        *("--exclude-checks", "positive_data_acceptance", "--exclude-path", "/api/v1/events"),
        # Its own token must outlive the run.
        *("--exclude-path", "/api/v1/tokens/{name}", "--header", f"Authorization: Bearer {text}"),
        *("--continue-on-failure", "--no-color", "--request-timeout", "30"),
        *(("--generation-database", "none") if LONG else ("--generation-deterministic",)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=880)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    tested = re.search(r"Tested: (\d+)", done.stdout)
    assert tested, done.stdout[-3000:]
    document = served.request("GET", "/openapi.json").json()
    assert int(tested[1]) == sum(len(each) for each in document["paths"].values()) - 2
    assert served.engine.check() == []
    served.get("health")


@pytest.mark.req("R17.17")
def test_the_document_says_how_things_fail(tea: Served) -> None:
    document = tea.request("GET", "/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            assert operation["tags"]
            assert {"4XX", "5XX"} <= set(operation["responses"])
            assert "422" not in operation["responses"]
    parameters = document["paths"]["/api/v1/plane/tiers"]["get"]["parameters"]
    assert {"q", "lambda", "theta1", "at", "budget"} <= {parameter["name"] for parameter in parameters}


def test_only_methods_that_are_there(tea: Served) -> None:
    others = {
        "search": ("GET", "POST"),
        "health": ("POST", "GET"),
        "memories/1": ("PATCH", "DELETE, GET"),
        "memories/batch": ("GET", "POST"),
    }
    for path, (method, allowed) in others.items():
        answer = tea.request(method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert tea.get("nothing", expect=404)["code"] == "not_found"


def test_the_lists_of_the_document_are_those_of_the_engine() -> None:
    assert list(audit.ListName.__args__) == list(LISTS)


class _Addresses(HTMLParser):
    """Everything a page refers to, and the ids it has."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []
        self.styled = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.styled += name == "style" or name.startswith("on")
            if name in ("src", "href", "action", "data"):
                self.found.append(value or "")


@pytest.mark.req("R17.17")
@pytest.mark.parametrize("path", ["/docs", "/"])
def test_pages_refer_to_nothing_elsewhere(tea: Served, path: str) -> None:
    answer = tea.request("GET", path)
    page = _Addresses()
    page.feed(answer.text)
    assert [address for address in page.found if "//" in address] == []
    for address in page.found:
        assert tea.request("GET", urljoin("/", address)).status_code == 200, address
    assert page.styled == 0
    if path == "/docs":
        assert "script" not in page.tags
        for each in tea.request("GET", "/openapi.json").json()["paths"]:
            assert each in answer.text
