"""What a store holds after a secret was handed in: no byte of it, wherever it stood and whichever way it came."""

from __future__ import annotations

import hashlib
import io
import json
import random
from pathlib import Path

import pytest

from lodmem.engine import Engine
from lodmem.errors import BadParameter, EngineOutput
from lodmem.mcp_server.calls import Calls
from lodmem.model.memory import Draft, Source
from tests.conftest import FakeEmbedder, MakeEngine
from tests.text.secret_cases import made

RNG = random.Random(3)
TOKEN = made("ghp" + "_<w:36>", RNG)
WORD = made("<w:12>7", RNG)
KEY = made("sk-ant-" + "api03-<u:93>AA", RNG)
LONG = " ".join(f"On day {n} the kiln was fired at {900 + n} degrees." for n in range(40))


def left(path: Path, *secrets: str) -> list[str]:
    """Where a piece of eight characters of any of the secrets can be read, in any letter case."""
    pieces = {secret[at : at + 8].lower().encode() for secret in secrets for at in range(len(secret) - 7)}
    files = [file for file in path.parent.rglob("*") if file.is_file()]
    assert path in files
    return [f"{piece!r} in {file.name}" for file in files for piece in pieces if piece in file.read_bytes().lower()]


@pytest.mark.req("R5.4")
def test_no_byte_of_a_secret_is_stored_embedded_or_logged(
    make_engine: MakeEngine, tmp_path: Path, fake_embedder: FakeEmbedder
) -> None:
    path = tmp_path / "a" / "memory.db"
    path.parent.mkdir()
    engine = make_engine(path)
    added = engine.remember(
        f"Deploy with {TOKEN} on Monday. {LONG} DB_PASSWORD={WORD}",
        tags=["launch", TOKEN],
        source=Source(f"https://ci:{WORD}@git.internal/shop.git", f"run {TOKEN}", 1),
        meta={"env": {"API_KEY": KEY, "list": [f"Bearer {TOKEN}"]}, "password": WORD},
    )
    engine.drain()
    engine.search(f"what is {TOKEN} for, password={WORD}?", exclude=[KEY])
    memory = engine.expand(added.id)[0]
    assert memory.full == f"Deploy with [secret: github token] on Monday. {LONG} DB_PASSWORD=[secret: password]"
    assert memory.source == Source("https://ci:[secret: url password]@git.internal/shop.git", "run [secret: github token]", 1)
    assert memory.tags == ("[secret: github token]", "launch")
    assert memory.meta["env"] == {"API_KEY": "[secret: anthropic key]", "list": ["Bearer [secret: github token]"]}
    assert len(added.masked) == 8
    # The question itself is embedded in this process and kept nowhere.
    assert not any(TOKEN in text for text in fake_embedder.texts if "what is" not in text and text != KEY)
    entry = next(entry for entry in engine._store.audit_log() if entry.verb == "remember")
    kinds = ["anthropic key", "github token", "password", "url password"]
    assert entry.detail == {"id": added.id, "masked": 8, "kinds": kinds}
    assert left(path, TOKEN, WORD, KEY) == []
    engine.close()
    assert left(path, TOKEN, WORD, KEY) == []


@pytest.mark.req("R5.2", "R5.4")
def test_the_hash_is_of_the_masked_text(engine: Engine) -> None:
    first = engine.remember(f"the token is {TOKEN}")
    again = engine.remember(f"the token is {TOKEN}")
    as_stored = engine.remember("the token is [secret: github token]")
    assert (first.created, again.created, as_stored.created) == (True, False, False)
    assert first.masked == again.masked == ("github token",)
    assert as_stored.masked == ()
    memory = engine.expand(first.id)[0]
    assert memory.content_hash == hashlib.sha256(memory.full.encode()).hexdigest()


@pytest.mark.req("R1.6", "R5.4")
def test_a_text_without_secrets_comes_back_as_it_was(engine: Engine) -> None:
    text = "The token limit is 4096.\r\npassword = input()\x00 commit 3f2a9c81d0b4e5f6a7b8c9d0e1f2a3b4c5d6e7f8\n"
    added = engine.remember(text, meta={"key": "value"})
    assert added.masked == ()
    assert engine.expand(added.id)[0].full == text
    assert next(e for e in engine._store.audit_log() if e.verb == "remember").detail == {"id": added.id}


@pytest.mark.req("R5.4")
def test_files_are_ingested_without_their_secrets(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text(f"# Deploy\n\nThe key is {KEY}.\n\n# Tea\n\nGreen.\n")
    report = engine.ingest(folder)
    assert dict(report.masked) == {"anthropic key": 1}
    assert "[secret: anthropic key]" in engine.expand(1)[0].full


@pytest.mark.req("R5.4")
def test_an_export_with_secrets_is_imported_without_them(engine: Engine, tmp_path: Path) -> None:
    """Such a file was written by hand, or before secrets were masked: its own hash is that of the text with the secret."""
    full = f"Deploy with {TOKEN}. {LONG}"
    rows = [
        {"type": "lodmem", "version": 1},
        {
            "type": "memory",
            "id": 1,
            "full": full,
            "summary": f"It deploys with {TOKEN}.",
            "headline": TOKEN,
            "written_by": "a-model",
            "content_hash": hashlib.sha256(full.encode()).hexdigest(),
            "meta": {"password": WORD},
        },
        {"type": "memory", "id": 2, "full": "tea", "summary": f"tea {KEY}", "headline": "tea", "written_by": "a-model"},
        {
            "type": "audit",
            "at": "2025-01-01T00:00:00Z",
            "space": "main",
            "agent": "default",
            "verb": "search",
            "detail": {"query": f"where is {TOKEN}?"},
        },
        {"type": "end", "memories": 2},
    ]
    done = engine.load(io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows)))
    assert (done.added, done.failed) == (2, 0), done.problems
    assert done.masked == {"github token": 1, "password": 1}
    first, second = engine.expand(1, 2)
    assert first.full == f"Deploy with [secret: github token]. {LONG}"
    assert first.written_by == "extractive"
    assert second.summary == "tea [secret: anthropic key]"
    engine.close()
    assert left(tmp_path / "memory.db", TOKEN, KEY, WORD) == []


def test_metadata_nested_beyond_reason_is_refused(engine: Engine) -> None:
    meta: dict[str, object] = {}
    for depth in range(1, 2000):
        meta = {"a": [meta]}
        if depth in (600, 1999):
            with pytest.raises(BadParameter, match="nested"):
                engine.remember("tea", meta=meta)
    assert engine.stats().memories == 0


def test_an_agent_is_told(engine: Engine) -> None:
    tools = Calls(lambda: engine, default_budget=600, read_only=False)
    assert tools.remember({"text": f"the key is {KEY}"}) == "Remembered as #1. 1 secret masked (anthropic key)."
    assert tools.remember({"text": "tea"}) == "Remembered as #2."


@pytest.mark.req("R5.3")
def test_a_landscape_that_is_pasted_back_is_refused_and_a_text_that_quotes_one_is_kept(engine: Engine) -> None:
    engine.remember("The launch is on June 3.")
    engine.remember_many([Draft(full=f"{LONG} {n}") for n in range(3)])
    shown = str(engine.search("launch", touch=False))
    for pasted in (shown, "From memory:\n" + shown, "\n".join(shown.split("\n")[2:]), engine.render(engine.expand(1, 2))):
        with pytest.raises(EngineOutput):
            engine.remember(pasted)
    own = f"{'I read all of this today. ' * 20}\n{shown}\nThe first one is wrong: it is June 4."
    assert engine.expand(engine.remember(own).id)[0].full == own
