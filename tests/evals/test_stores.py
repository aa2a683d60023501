from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lodmem.errors import StorePathError, StoreReadOnly
from lodmem.evals import stores
from lodmem.evals.datasets import Case
from lodmem.evals.locomo import load_locomo
from lodmem.evals.meter import Meter
from lodmem.evals.stores import IDS, STORE, opened


@pytest.fixture
def case(locomo_file: Path) -> Case:
    return load_locomo(locomo_file).cases[0]


def quiet() -> Meter:
    return Meter(None, 0)


def built(work: Path) -> list[Path]:
    return sorted(work.glob(f"*/{STORE}"))


def test_a_store_holds_the_case_and_cannot_be_written(case: Case) -> None:
    with opened(case, None, None, quiet()) as store:
        assert list(store.ids) == list(case.labels)
        memories = store.engine.expand(*store.ids.values(), touch=False)
        assert [memory.full for memory in memories] == [draft.full for draft in case.drafts]
        assert [memory.source for memory in memories] == [draft.source for draft in case.drafts]
        with pytest.raises(StoreReadOnly):
            store.engine.remember("one more")
        store.clock.at_us = 17
        assert store.engine.search("greyhound", touch=False).now_us == 17


def test_a_kept_store_is_used_again(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    with opened(case, None, work, quiet()) as store:
        first = store.ids
    made = built(work)
    assert len(made) == 1

    def never(*_: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr(stores, "_build", never)
    calls: list[tuple[str, int, int]] = []
    with opened(case, None, work, Meter(lambda *call: calls.append(call), 10)) as store:
        assert store.ids == first
        assert store.engine.search("greyhound", touch=False).views[0].id == first["D1:1"]
    assert calls == [("conv-900: kept store", 10, 10)]


def test_another_case_gets_another_store(case: Case, tmp_path: Path) -> None:
    changed = replace(case, drafts=(replace(case.drafts[0], full="Ilse: I adopted a cat."), *case.drafts[1:]))
    for each in (case, changed, replace(case, now_us=case.now_us + 1)):
        with opened(each, None, tmp_path, quiet()):
            pass
    assert len(built(tmp_path)) == 3


def test_another_code_gets_another_store(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(case, None, tmp_path, quiet()):
        pass
    monkeypatch.setattr(stores, "of_code", lambda *_: "other")
    with opened(case, None, tmp_path, quiet()):
        pass
    assert len(built(tmp_path)) == 2


@pytest.mark.parametrize("left", [None, "", "{"])
def test_an_unfinished_store_is_built_again(case: Case, tmp_path: Path, left: str | None) -> None:
    with opened(case, None, tmp_path, quiet()) as store:
        ids = store.ids
    told = built(tmp_path)[0].parent / IDS
    if left is None:
        told.unlink()
    else:
        told.write_text(left)
    with opened(case, None, tmp_path, quiet()) as store:
        assert store.ids == ids
        assert store.engine.stats().memories == len(ids)
    assert json.loads(told.read_text()) == ids


def test_a_folder_that_cannot_be(case: Case, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorePathError) as caught, opened(case, None, tmp_path / "file", quiet()):
        pass
    assert "--work" in caught.value.hint


def test_names_of_cases_are_no_paths(case: Case, tmp_path: Path) -> None:
    with opened(replace(case, id="../../a b"), None, tmp_path / "work", quiet()):
        pass
    assert len(built(tmp_path / "work")) == 1
