"""Every verb over HTTP, on a real server."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from http_kit import TEA, Serve, Served, opened

import lodmem
from tests.conftest import FakeClock


def test_health_and_readiness(tea: Served) -> None:
    assert tea.get("health") == {"status": "ok", "version": lodmem.__version__}
    assert tea.get("ready")["status"] == "ready"


def test_what_is_served(tea: Served) -> None:
    found = tea.get("info")
    assert (found["agent"], found["space"], found["read_only"], found["needs_token"]) == ("default", "main", False, False)
    assert found["memories"] >= len(TEA)


@pytest.mark.req("R17.10")
def test_remember_search_expand(serve: Serve) -> None:
    served = serve(fill=False)
    kept = served.post("memories", {"text": "Ada sells tea.", "tags": ["shop"], "created_at": "yesterday"}, expect=201)
    assert kept == {"id": 1, "created": True, "masked": []}
    assert served.post("memories", {"text": "Ada sells tea.", "tags": ["shop"]}, expect=201) == {
        "id": 1,
        "created": False,
        "masked": [],
    }
    served.engine.drain()
    found = served.post("search", {"query": "who sells tea?", "rendering": True})
    assert [view["id"] for view in found["views"]] == [1]
    assert "Ada sells tea." in found["rendering"]
    (memory,) = served.post("memories/expand", {"ids": [1]})["items"]
    assert (memory["full"], memory["tags"]) == ("Ada sells tea.", ["shop"])
    served.engine._recorder.flush()
    assert served.get("memories/1")["retrieval_count"] == 2


def test_many_at_once(serve: Serve) -> None:
    served = serve(fill=False)
    found = served.post("memories/batch", {"items": [{"text": "one"}, {"text": "two"}, {"text": "one"}]}, expect=201)
    assert [(item["id"], item["created"]) for item in found["items"]] == [(1, True), (2, True), (1, False)]


def test_a_secret_is_masked_and_said(serve: Serve) -> None:
    served = serve(fill=False)
    text = "The key is AKIA" + "IOSFODNN7EXAMPLF, keep it."
    found = served.post("memories", {"text": text}, expect=201)
    assert found["masked"]
    assert "IOSFODNN7" not in served.get("memories/1")["full"]
    (item,) = served.get("audit/lists/secrets-masked")["items"]
    assert item["id"] == 1
    assert item["masked"]


@pytest.mark.parametrize("mode", ["recent", "important", "unseen", "window", "random"])
def test_the_modes_without_a_query(tea: Served, mode: str) -> None:
    found = tea.post(mode, {"touch": False, "limit": 3, **({"when": "today"} if mode == "window" else {})})
    assert found["mode"] == mode
    assert len(found["views"]) == 3


def test_pages_follow_each_other(tea: Served) -> None:
    first = tea.post("recent", {"limit": 2, "touch": False})
    second = tea.post("recent", {"limit": 2, "touch": False, "offset": first["next_offset"]})
    assert not {view["id"] for view in first["views"]} & {view["id"] for view in second["views"]}


def test_filters_and_overrides_reach_the_engine(tea: Served) -> None:
    body = {
        "query": "tea",
        "tags": ["tea"],
        "exclude": ["lemon"],
        "alpha": 1.0,
        "lambda": 0.1,
        "k": 3,
        "budget": 200,
        "touch": False,
    }
    found = tea.post("search", body)
    assert {key: found["profile"][key] for key in ("alpha", "lambda_", "k", "budget")} == {
        "alpha": 1.0, "lambda_": 0.1, "k": 3, "budget": 200,
    }  # fmt: skip
    assert found["excluded"] == 1
    assert found["budget"]["used"] <= 200
    assert all("tea" in view["tags"] for view in found["views"])
    same = tea.engine.search("tea", tags=["tea"], exclude=["lemon"], alpha=1.0, lambda_=0.1, k=3, budget=200, touch=False)
    assert [view["id"] for view in found["views"]] == list(same.ids)


def test_promote_demote_and_what_it_leaves_behind(serve: Serve) -> None:
    served = serve()
    assert served.post("memories/2/promote", {"to": "full", "reason": "she asked"}) == {"id": 2, "floor": "full"}
    assert [item["id"] for item in served.get("audit/lists/pinned")["items"]] == [2]
    about = served.get("memories/2")
    assert about["floor"] == "full"
    assert about["history"][0]["verb"] == "promote"
    assert about["history"][0]["detail"]["reason"] == "she asked"
    assert served.post("memories/2/demote", {"reason": "done"}) == {"id": 2, "floor": "none"}


def test_everything_about_one_memory(tea: Served) -> None:
    about = tea.get("memories/3", params={"similar": 2})
    assert [near["offset"] for near in about["neighbours"]] == [-2, -1, 1, 2]
    assert [near["id"] for near in about["neighbours"]] == [1, 2, 4, 5]
    assert about["neighbours"][0]["headline"] == tea.engine.expand(1, touch=False)[0].headline
    assert len(about["similar"]) == 2
    assert about["similar"][0]["cosine"] >= about["similar"][1]["cosine"]
    assert set(about["tokens"]) == {"full", "summary", "headline"}


def test_supersede(serve: Serve) -> None:
    served = serve()
    served.post("memories/1/supersede", {"by": 4})
    assert served.get("memories/1")["superseded_by"] == 4
    assert served.get("memories/4")["supersedes"] == [1]
    assert [item["id"] for item in served.get("audit/lists/superseded-still-high")["items"]] == [1]


def test_forget(serve: Serve) -> None:
    served = serve()
    assert served.delete("memories/1") == {"count": 1}
    assert served.get("memories/1", expect=404)["code"] == "unknown_memory"


def test_texts_by_id(tea: Served) -> None:
    found = tea.get("memories", params={"ids": "6,1,99999", "level": "full", "max_chars": 20})
    assert found == {
        "level": "full",
        "items": [{"id": 6, "text": TEA[5][:20], "cut": True}, {"id": 1, "text": TEA[0][:20], "cut": True}],
    }
    assert tea.get("memories", params={"ids": ",".join(["1"] * 501)})["items"][0]["id"] == 1
    assert tea.get("memories", params={"ids": ",".join(map(str, range(1, 502)))}, expect=400)["code"] == "bad_parameter"


def test_explain(tea: Served) -> None:
    found = tea.get("memories/1/explain", params={"q": "launch of the tea house", "alpha": 0.5})
    assert found["profile"]["alpha"] == 0.5
    assert {part["name"] for part in found["parts"]} >= {"cosine", "S", "D", "LOD"}
    assert found["rank"] == 1


def test_profiles(serve: Serve) -> None:
    served = serve()
    assert served.get("profiles")["used"] == "balanced"
    saved = served.put("profiles/mine", {"alpha": 0.4, "floors": {"tag:tea": "summary"}, "bounds": {"k": [1, 50]}, "k": 9})
    assert (saved["alpha"], saved["floors"], saved["bounds"]) == (0.4, {"tag:tea": "summary"}, {"k": [1.0, 50.0]})
    assert served.post("profiles/mine/use")["name"] == "mine"
    assert served.get("profiles")["used"] == "mine"
    assert served.post("search", {"query": "tea", "k": 60}, expect=403)["code"] == "parameter_locked"
    assert served.post("profiles/none/use", expect=404)["code"] == "unknown_profile"


def test_care(serve: Serve, tmp_path: Path, clock: FakeClock) -> None:
    served = serve()
    assert served.get("stats")["memories"] == len(TEA)
    assert served.get("check") == {"done": []}
    assert served.post("repair") == {"done": []}
    assert served.post("drain") == {"count": 0}
    assert served.get("calibration") == {"c0": None, "c1": None}
    assert served.put("calibration", {"c0": 0.1, "c1": 0.6}) == {"c0": 0.1, "c1": 0.6}
    assert served.put("calibration", {"c0": None, "c1": 0.6}, expect=400)["code"] == "bad_parameter"
    assert served.get("llm")["models"] == {}
    assert served.post("llm/try", expect=400)["code"] == "bad_parameter"
    assert served.post("relevel", expect=400)["code"] == "bad_parameter"


def test_all_of_it_out_and_into_another_store(serve: Serve, tmp_path: Path, clock: FakeClock) -> None:
    served = serve()
    packed = served.get("export")
    lines = gzip.decompress(packed).splitlines()
    assert len(lines) > len(TEA)
    backup = served.get("backup")
    (tmp_path / "copied").mkdir()
    (tmp_path / "copied" / "memory.db").write_bytes(backup)
    with opened(tmp_path / "copied", clock) as copy:
        assert [memory.full for memory in copy.expand(1, 6, touch=False)] == [TEA[0], TEA[5]]
    for body in (packed, gzip.decompress(packed)):
        sent = served.request("POST", "import", content=body, headers={"Content-Type": "application/octet-stream"})
        assert sent.status_code == 200, sent.text
        assert (sent.json()["added"], sent.json()["known"]) == (0, len(TEA))
    refused = served.request("POST", "import", content=b"nonsense", headers={"Content-Type": "application/octet-stream"})
    assert refused.status_code == 400
    assert served.request("POST", "import", json={}).status_code == 415


def test_the_audit_log_pages(tea: Served) -> None:
    first = tea.get("audit/log", params={"limit": 2})
    assert [entry["verb"] for entry in first["entries"]] == ["model", "remember"]
    second = tea.get("audit/log", params={"limit": 2, "after": first["next"]})
    assert second["entries"][0]["seq"] > first["entries"][1]["seq"]
    assert tea.get("audit/log", params={"after": 10**6})["next"] is None


def test_lists_as_csv_are_harmless_in_a_spreadsheet(serve: Serve) -> None:
    served = serve(fill=False)
    served.post("memories", {"text": "=HYPERLINK(1)"}, expect=201)
    served.post("memories/1/promote", {"to": "full"})
    text = served.get("audit/lists/pinned", params={"format": "csv"}).decode()
    assert "\r\n1,'=HYPERLINK(1)," in text
    assert "# list: pinned" in text
    assert json.loads(text.split("# profile: ")[1].splitlines()[0])["name"] == "balanced"
    names = [each["name"] for each in served.get("audit/lists")["lists"]]
    assert len(names) == 6
    columns: list[Any] = [served.get(f"audit/lists/{name}")["columns"] for name in names]
    assert all(each[:2] == ["id", "headline"] for each in columns)


def test_tokens_are_made_listed_and_revoked(serve: Serve) -> None:
    served = serve()
    made = served.post("tokens", {"name": "laptop", "agent": "scout", "space": "main/notes"}, expect=201)
    assert made["token"].startswith("lodmem_")
    listed = served.get("tokens")["tokens"]
    assert [(each["name"], each["agent"], each["space"]) for each in listed] == [("laptop", "scout", "main/notes")]
    assert made["token"] not in json.dumps(listed)
    assert served.post("tokens", {"name": "laptop"}, expect=400)["code"] == "bad_parameter"
    assert served.delete("tokens/laptop") == {"count": 1}
    assert served.delete("tokens/laptop", expect=404)["code"] == "unknown_token"
