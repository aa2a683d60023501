"""Conflicts, the gate, distillation, the queue and the map over HTTP."""

from __future__ import annotations

import json
import struct
import threading
import time
from typing import Any

import pytest
from http_kit import TEA, Serve, Served

from lodmem.engine import Engine
from lodmem.http_api.app import keep_map
from lodmem.http_api.settings import Serving
from lodmem.http_api.told import told
from lodmem.http_api.work import Desk
from lodmem.model.landscape import Stats
from lodmem.model.memory import Draft, Tier


@pytest.fixture
def contrary(serve: Serve) -> Served:
    """A server over a store with an open conflict."""
    served = serve(fill=False)
    served.engine.remember("The deadline for the grant proposal is March 14.")
    served.engine.remember("The deadline for the grant proposal is March 28.")
    served.engine.drain()
    return served


@pytest.mark.req("R17.10")
def test_conflicts_are_shown_and_decided(contrary: Served) -> None:
    (found,) = contrary.get("conflicts")["items"]
    assert (found["older"]["full"], found["newer"]["full"]) == (
        "The deadline for the grant proposal is March 14.",
        "The deadline for the grant proposal is March 28.",
    )
    conflict = found["conflict"]
    assert conflict["state"] == "open"
    assert conflict["found_at"].endswith("+00:00")
    about = contrary.get("memories/1")["conflicts"]
    assert [(each["id"], each["newer_headline"]) for each in about] == [
        (conflict["id"], "The deadline for the grant proposal is March 28.")
    ]
    decided = contrary.post(f"conflicts/{conflict['id']}/resolve", {"verdict": "newer", "reason": "she moved"})
    assert (decided["state"], decided["standing"], decided["note"]) == ("superseded", 2, "she moved")
    assert contrary.get("conflicts")["items"] == []
    assert len(contrary.get("conflicts", params={"state": "all", "of": 1})["items"]) == 1
    assert contrary.get("memories/1")["superseded_by"] == 2
    assert contrary.post("conflicts/99/resolve", {"verdict": "both"}, expect=404)["code"] == "unknown_conflict"
    assert [item["id"] for item in contrary.get("audit/lists/superseded-still-high")["items"]] == [1]


@pytest.mark.req("R13.4")
def test_a_token_of_a_space_sees_its_own_conflicts(contrary: Served) -> None:
    text = contrary.engine.add_token("acme", space="acme")
    mine = {"Authorization": f"Bearer {text}"}
    assert contrary.get("conflicts", headers=mine)["items"] == []
    number = contrary.get("conflicts")["items"][0]["conflict"]["id"]
    contrary.post(f"conflicts/{number}/resolve", {"verdict": "both"}, expect=404, headers=mine)
    for path in ("gate", "gate/decisions", "queue", "queue/dead", "knowledge", "patterns/waiting", "distill/runs", "map"):
        assert contrary.get(path, expect=403, headers=mine)["code"] == "out_of_reach"
    for path in ("distill", "work", "queue/retry", "map"):
        contrary.post(path, expect=403, headers=mine)


@pytest.mark.req("R17.10")
def test_the_gate_and_the_queue(contrary: Served) -> None:
    assert contrary.get("gate")
    assert isinstance(contrary.get("gate/decisions")["items"], list)
    assert contrary.post("gate/compare", {"one": "Ada drinks tea", "other": "Ada drinks tea"})
    assert contrary.get("queue/dead")["items"] == []
    assert contrary.post("queue/retry") == {"count": 0}
    contrary.engine.remember("one more")
    assert any(item["due"] for item in contrary.get("queue")["items"])
    assert contrary.post("work")["done"]["embed"] == 1
    assert contrary.post("work", {"tasks": ["nonsense"]}, expect=400)["code"] == "bad_parameter"


@pytest.mark.req("R17.10")
def test_distillation(serve: Serve) -> None:
    served = serve()
    assert served.post("distill", {"extractive": True, "dry_run": True})
    assert served.post("distill", {"extractive": True})
    assert isinstance(served.get("knowledge")["items"], list)
    assert served.get("distill/runs")["items"][0]["begun_at"].endswith("+00:00")
    assert served.get("patterns/waiting")["items"] == []
    served.post("patterns/99/decide", {"accept": True}, expect=404)


# -- the map ----------------------------------------------------------------------------------------------------------------


def header(body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body[8 : 8 + struct.unpack("<I", body[4:8])[0]])
    return found


@pytest.mark.req("R17.10")
def test_a_map_is_made_on_command(serve: Serve) -> None:
    served = serve()
    assert header(served.get("plane"))["map"]["method"] == "pca"
    assert served.get("map")["head"] is None
    tag = served.request("GET", "plane").headers["etag"]
    made = served.post("map")
    assert made["growth"]["placed"] == len(TEA)
    answer = served.request("GET", "plane", headers={"If-None-Match": tag})
    found = header(answer.content)
    assert (found["map"]["version"], found["map"]["placed"]) == (str(made["head"]["version"]), len(TEA))
    assert len(found["clusters"]) >= 1
    assert {"label", "x", "y", "size", "group"} <= set(found["clusters"][0])


def test_a_running_server_keeps_the_map(serve: Serve) -> None:
    served = serve(map_every=0.05)
    end = time.monotonic() + 60
    while header(served.get("plane"))["map"]["placed"] < len(TEA):
        assert time.monotonic() < end, served.get("map")
        time.sleep(0.05)
    served.engine.remember("Another sentence about tea with Ada.")
    served.engine.drain()
    while header(served.get("plane"))["map"]["placed"] < len(TEA) + 1:
        assert time.monotonic() < end, served.get("map")
        time.sleep(0.05)


class Turns(threading.Event):
    """Is set after so many waits, each of which ends at once."""

    def __init__(self, turns: int) -> None:
        super().__init__()
        self.left = turns

    def wait(self, timeout: float | None = None) -> bool:
        self.left -= 1
        if self.left < 0:
            self.set()
        return self.is_set()


def test_a_map_with_nothing_to_do_is_not_asked_about_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.remember_many([Draft(full=text) for text in TEA])
    engine.drain()
    asked: list[int] = []
    state_of = engine.map_state
    monkeypatch.setattr(engine, "map_state", lambda: asked.append(engine.revision) or state_of())
    desk = Desk(engine, Serving(map_every=1.0))
    for turns, placed in ((5, len(TEA)), (5, len(TEA) + 1)):
        before = len(asked)
        desk.ending = Turns(turns)
        keep_map(desk)
        assert engine.map_size()[1] == placed
        assert len(asked) - before == 2  # there is something to do, then nothing is left
        engine.remember("Another sentence about tea with Ada.")
        engine.drain()
    desk.close()


def test_values_without_a_shape_of_their_own() -> None:
    stats = Stats(
        path="p", memories=1, by_status={"active": 1}, by_kind={}, by_space={}, by_agent={}, never_retrieved=1, passages=1,
        embedded_passages=0, backlog=0, tokens_full=3, first_created_us=0, last_created_us=None, bytes=1, schema_version=1,
        embedder="",
    )  # fmt: skip
    found = told({Tier.FULL: [stats, (1, 2.5, None)]})
    assert found["full"][0]["first_created_at"] == "1970-01-01T00:00:00+00:00"
    assert found["full"][0]["last_created_at"] is None
    assert found["full"][1] == [1, 2.5, None]
    json.dumps(found)
