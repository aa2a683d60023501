"""Lists for audits: each is shown, and taken away as CSV and JSON with what it was drawn with."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from lodmem.engine import Engine
from lodmem.retrieval.audits import LISTS
from tests.surfaces.plane.conftest import Page
from tests.surfaces.plane.scene import Scene

pytestmark = pytest.mark.req("R14.1")
DRAWN_WITH = {"limit": 10_000, "times": 3, "below": 0.2, "days": 30.0}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_shown_and_exported(shared: Page, looker: Engine, tmp_path: Path, name: str) -> None:
    found = looker.audit_list(name)
    assert found.total > 0
    shared.open("?tab=audit")
    shared.raw.get_by_role("button", name=found.title, exact=True).click()
    shared.until(f"document.querySelector('#audit-items .id')?.textContent === '#{found.items[0]['id']}'")
    assert shared.probe("texts", "#audit-items .id") == [f"#{item['id']}" for item in found.items]
    assert f"{found.total:,}" in shared.text("#desk .head")
    assert f"revision {found.revision}" in shared.text("#desk .params").lower()
    shared.raw.locator("#audit-items button").first.click()
    shared.until(f"lodmem.session.selected === {found.items[0]['id']}")

    desk = shared.raw.locator("#desk .head")
    whole = looker.audit_list(name, limit=10_000)
    lines = shared.saved(desk.get_by_role("button", name="CSV"), tmp_path).splitlines()
    notes = dict(line.removeprefix("# ").split(": ", 1) for line in lines if line.startswith("# "))
    assert (notes["list"], notes["total"]) == (name, str(found.total))
    assert {"space", "revision", "now", *DRAWN_WITH} <= set(notes)
    assert json.loads(notes["profile"])["name"] == "balanced"
    rows = list(csv.DictReader(line for line in lines if not line.startswith("# ")))
    assert [int(row["id"]) for row in rows] == [item["id"] for item in whole.items]

    taken: dict[str, Any] = json.loads(shared.saved(desk.get_by_role("button", name="JSON"), tmp_path))
    parameters = taken["parameters"]
    assert parameters["profile"]["name"] == "balanced"
    assert {each: parameters[each] for each in DRAWN_WITH} == DRAWN_WITH
    assert taken["items"] == [dict(item) for item in whole.items]


def test_what_the_lists_are_for(shared: Page, scene: Scene, looker: Engine) -> None:
    def ids(name: str) -> set[Any]:
        return {item["id"] for item in looker.audit_list(name).items}

    dispute = next(each for each in looker.conflicts() if each.conflict.id == scene.conflict)
    assert ids("pinned") >= {scene.pinned, scene.held}
    assert scene.masked in ids("secrets-masked")
    assert scene.superseded in ids("superseded-still-high")
    assert ids("conflicts") >= {dispute.older.id, dispute.newer.id}
    assert all(memory.retrieval_count >= 3 for memory in looker.expand(*ids("decayed-but-needed"), touch=False))
    # A list is of the space that is looked at.
    shared.open(f"?tab=audit&space={scene.space}")
    shared.until("document.querySelector('#audit-items .id')")
    shared.raw.get_by_role("button", name=LISTS["never-looked-at"][0], exact=True).click()
    inside = looker.audit_list("never-looked-at", space=scene.space)
    shared.until(f"document.querySelector('#audit-items .id')?.textContent === '#{inside.items[0]['id']}'")
    assert f"{inside.total:,}" in shared.text("#desk .head")
