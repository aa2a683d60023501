"""Columns as bytes: what is packed comes back, aligned and in the smallest type that holds it."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from http_kit import TEA, Serve, Served
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lodmem.http_api.lodp import packed

DTYPES = {"f4": "<f4", "f8": "<f8", "u1": "|u1", "u2": "<u2", "u4": "<u4"}


def unpacked(body: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What a page does with an answer."""
    assert body[:4] == b"LODP"
    (length,) = struct.unpack("<I", body[4:8])
    assert length % 8 == 0
    header = json.loads(body[8 : 8 + length])
    columns = {}
    for column in header["columns"]:
        assert column["offset"] % 8 == 0
        dtype = np.dtype(DTYPES[column["dtype"]])
        columns[column["name"]] = np.frombuffer(body, dtype, header["n"], column["offset"])
    assert len(body) % 8 == 0
    return header, columns


@given(
    st.lists(st.tuples(st.integers(1, 2**53), st.integers(0, 2**32 - 1), st.floats(width=32)), max_size=40),
    st.text(max_size=200),
)
def test_what_is_packed_comes_back(rows: list[tuple[int, int, float]], label: str) -> None:
    ids, counts, floats = ([row[i] for row in rows] for i in range(3))
    given_ = {"id": np.array(ids, np.int64), "count": np.array(counts, np.int64), "x": np.array(floats, np.float32)}
    header, columns = unpacked(packed({"n": len(rows), "label": label}, given_))
    assert header["label"] == label
    assert header["format"] == 1
    assert columns["id"].astype(np.int64).tolist() == ids
    assert columns["count"].tolist() == counts
    assert columns["x"].tobytes() == np.array(floats, "<f4").tobytes()


@pytest.mark.parametrize(
    ("name", "highest", "dtype"),
    [("kind", 255, "u1"), ("kind", 256, "u2"), ("kind", 65536, "u4"), ("count", 0, "u2"), ("count", 65535, "u2"),
     ("count", 65536, "u4"), ("id", 2**32 - 1, "u4"), ("id", 2**32, "f8"), ("tokens_full", 3, "u2")],
)  # fmt: skip
def test_the_smallest_type_that_holds_all(name: str, highest: int, dtype: str) -> None:
    header, columns = unpacked(packed({"n": 2}, {name: np.array([1, highest], np.int64)}))
    assert header["columns"][0]["dtype"] == dtype
    assert columns[name][1] == highest


def test_big_endian_and_scattered_columns_are_put_in_order() -> None:
    header, columns = unpacked(packed({"n": 3}, {"x": np.arange(6, dtype=">f4")[::2], "y": np.arange(6, dtype=">i8")[::2]}))
    assert [column["dtype"] for column in header["columns"]] == ["f4", "u1"]
    assert columns["x"].tolist() == [0, 2, 4]
    assert columns["y"].tolist() == [0, 2, 4]


# -- over the wire ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("R14.7")
def test_the_plane_over_the_wire(tea: Served) -> None:
    header, columns = unpacked(tea.get("plane"))
    assert list(columns) == [
        "id", "x", "y", "last", "created", "count", "floor", "status", "kind", "short", "cluster", "space", "agent",
    ]  # fmt: skip
    assert columns["id"].tolist() == list(range(1, len(TEA) + 1))
    assert header["n"] == len(TEA)
    assert header["dictionaries"]["spaces"][columns["space"][0]] == "main"
    assert header["dictionaries"]["statuses"][columns["status"][0]] == "active"
    assert header["clusters"][columns["cluster"].max()]
    assert header["revision"] == tea.engine.revision
    assert header["profile"]["name"] == "balanced"
    assert sum(np.dtype(DTYPES[column["dtype"]]).itemsize for column in header["columns"]) <= 30


def test_an_unchanged_plane_is_not_sent_again(serve: Serve) -> None:
    served = serve()
    first = served.request("GET", "plane")
    tag = first.headers["etag"]
    again = served.request("GET", "plane", headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert served.request("GET", "plane", params={"profile": "precedent"}).headers["etag"] != tag
    served.engine.promote(1, to="full")
    later = served.request("GET", "plane", headers={"If-None-Match": tag})
    assert (later.status_code, unpacked(later.content)[1]["floor"][0]) == (200, 3)


@pytest.mark.req("R14.7")
def test_relevance_and_tiers_over_the_wire(tea: Served) -> None:
    question = {"q": "when is the launch of the tea house?", "exclude": ["lemon", "rent"]}
    plane, _ = unpacked(tea.get("plane"))
    header, columns = unpacked(tea.get("plane/relevance", params=question))
    assert header["rows"] == plane["rows"]
    assert header["query"]["text"] == question["q"]
    assert np.isnan(columns["relevance"]).tolist() == [False, True, False, False, True, False]
    assert (header["considered"], header["excluded"]) == (4, 2)
    look = {"alpha": 0.7, "lambda": 0.01, "theta1": 0.5, "theta2": 0.2, "theta3": 0.1, "budget": 80, "k": 5}
    header, columns = unpacked(tea.get("plane/tiers", params={**question, **look, "scores": True}))
    shown = tea.post(
        "search", {"query": question["q"], "exclude": question["exclude"], "touch": False, "facing": False, **look}
    )
    assert {int(i) + 1 for i in np.flatnonzero(columns["tier"])} == {view["id"] for view in shown["views"]}
    assert header["counts"] == shown["counts"]
    assert header["profile"]["lambda_"] == 0.01
    assert columns["flags"][1] & 4
    assert np.isnan(columns["score"][1])


def test_tiers_at_another_moment(tea: Served) -> None:
    header, columns = unpacked(tea.get("plane/tiers", params={"alpha": 0, "at": "in 3 months", "lambda": 0.05}))
    assert header["at_us"] > header["now_us"] + 80 * 86_400_000_000
    assert not columns["tier"][1:].any()
    assert header["query"] is None


def test_more_columns_over_the_wire(tea: Served) -> None:
    header, columns = unpacked(tea.get("plane/more", params={"columns": "tokens_full,source,valid_to,importance"}))
    assert list(columns) == ["tokens_full", "source", "valid_to", "importance"]
    assert header["sources"] == [{"uri": "notes", "session": "n"}]
    assert np.isinf(columns["valid_to"]).all()
    assert tea.get("plane/more", expect=400, params={"columns": "id"})["code"] == "bad_parameter"


def test_the_past_over_the_wire(serve: Serve) -> None:
    served = serve()
    served.engine.expand(1)
    served.engine._recorder.flush()
    header, columns = unpacked(served.get("plane", params={"as_of": "yesterday"}))
    assert header["history"] == {"from": "log", "complete": True}
    assert columns["count"].tolist() == [0] * len(TEA)
    assert unpacked(served.get("plane"))[1]["count"][0] == 1
