"""Statements about where it runs and its Python surface (docs/requirements.toml, sections 1, 16, 17)."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import lodmem
from lodmem.engine import Engine
from lodmem.errors import EmptyText, EngineOutput, StoreClosed, StoreMissing

MakeEngine = Callable[..., Engine]


@pytest.mark.req("R1.6")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@example(text="a\x00b\r\nc\rd\u2028e\ufeff")
@example(text="\N{COMBINING ACUTE ACCENT}e\u0301\u00e9")
def test_any_text_comes_back_as_it_came_in(engine: Engine, text: str) -> None:
    try:
        added = engine.remember(text)
    except (EmptyText, EngineOutput):
        assert not text.strip() or "#" in text
        return
    (memory,) = engine.expand(added.id, touch=False)
    assert memory.full.encode() == text.encode()


@pytest.mark.req("R16.1")
def test_a_store_is_one_file_and_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError(f"the network was asked for: {arguments[1:]}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with lodmem.open(tmp_path / "memory.db") as memory:
        memory.remember("Ada moved the launch to June 3.")
        assert memory.drain() + memory.stats().embedded_passages >= 1
        assert memory.search("when do we go live?").words_only == ""
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]


@pytest.mark.req("R17.1")
def test_an_engine_is_a_context_manager(tmp_path: Path) -> None:
    with lodmem.open(tmp_path / "memory.db", embedder="none") as memory:
        memory.remember("Here.")
    with pytest.raises(StoreClosed):
        memory.remember("Gone.")
    memory.close()
    with pytest.raises(StoreMissing):
        lodmem.open(tmp_path / "other.db", create=False)


@pytest.mark.req("R17.1")
def test_an_engine_may_be_used_from_several_threads(make_engine: MakeEngine) -> None:
    engine = make_engine()

    def work(worker: int) -> list[int]:
        made = []
        for n in range(15):
            made.append(engine.remember(f"Worker {worker} wrote note {n}.").id)
            assert engine.search(f"worker {worker} note {n}").ids
            engine.expand(made[-1])
        return made

    with ThreadPoolExecutor(6) as pool:
        ids = [i for made in pool.map(work, range(6)) for i in made]
    assert len(set(ids)) == 90
    assert sum(memory.retrieval_count for memory in engine.expand(*ids, touch=False)) >= 90
    assert engine.check() == []


@pytest.mark.req("R16.1")
def test_the_default_store_is_this_user_s(tmp_path: Path) -> None:
    script = "import lodmem\nwith lodmem.open(embedder='none') as m:\n    m.remember('Here.')\n    print(m.stats().path)"
    environment = {"HOME": str(tmp_path), "PATH": "", "USERPROFILE": str(tmp_path)}
    out = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True).stdout
    assert Path(out.strip()).is_relative_to(tmp_path)
    assert Path(out.strip()).is_file()
