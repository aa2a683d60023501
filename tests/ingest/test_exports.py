"""Exports of chat services: the branch that was shown, dates and speakers, and files that are larger than memory or broken."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from lodmem.engine import Engine
from lodmem.ingest.importers import json_items
from lodmem.ingest.importers.base import Meter
from lodmem.ingest.importers.chatgpt import ChatGptImporter
from lodmem.ingest.importers.claude_export import ClaudeImporter
from lodmem.ingest.report import Problem
from lodmem.model.memory import Source

from .kit import DATA, read, us

CHATGPT, CLAUDE = DATA / "chatgpt" / "conversations.json", DATA / "claude" / "conversations.json"


def node(name: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    message = {"author": {"role": role}, "create_time": 1746266400.0, "content": {"content_type": "text", "parts": [text]}}
    return {name: {"id": name, "parent": parent, "children": [], "message": {**message, **more}}}


def talk(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    mapping = {key: value for one in nodes for key, value in one.items()}
    return {"id": "t", "title": "T", "create_time": 1746266000.0, "mapping": mapping, **more}


def save(path: Path, *talks: object) -> Path:
    path.write_text(json.dumps(talks), encoding="utf-8")
    return path


def test_chatgpt_gives_the_branch_that_was_shown() -> None:
    drafts, (problem,) = read(CHATGPT)
    assert [draft.full for draft in drafts] == [
        "user: Which tea is in the picture?",
        'assistant did:\n- browser: search("green tea leaves")',
        "assistant: It is green tea.",
        "user: Thank you.",
    ]
    assert [draft.source for draft in drafts] == [Source("chatgpt:681600a0-1111", "", n) for n in (3, 5, 7, 8)]
    assert drafts[0].created_us == us("2025-05-03T10:00:00.500+00:00")
    assert drafts[0].meta == {"speaker": "user", "title": "Tea in a picture", "message": "q1"}
    assert problem == Problem(f"{CHATGPT}: conversation 3", "a conversation without its mapping")


def test_a_message_without_a_time_has_its_conversations_and_says_so() -> None:
    last = read(CHATGPT)[0][-1]
    assert last.created_us == us("2025-05-03T10:00:00+00:00")
    assert last.meta["date"] == "of the conversation's beginning"


def test_what_chatgpt_hides_is_counted() -> None:
    meter = Meter()
    list(ChatGptImporter().stream(CHATGPT, meter))
    assert +meter.passed == {
        "messages of other branches": 1,
        "system messages": 1,
        "hidden messages": 1,
        "thoughts": 1,
        "tool messages": 1,
    }
    assert meter.done == CHATGPT.stat().st_size


def test_trees_that_are_none_end(tmp_path: Path) -> None:
    circle = talk(node("a", "b", "user", "A"), node("b", "a", "assistant", "B"), current_node="a")
    nowhere = talk(node("a", "gone", "user", "A"), current_node="missing", id="u")
    drafts, problems = read(save(tmp_path / "conversations.json", circle, nowhere))
    assert [draft.full for draft in drafts] == ["assistant: B", "user: A", "user: A"]
    assert problems == []


@pytest.mark.parametrize("odd", [None, 1, "x", [], {}, [1], [{}], {"parts": 1}, {"parts": [1, None, {}]}])
def test_fields_of_any_shape_are_read_without_harm(tmp_path: Path, odd: Any) -> None:
    good = node("b", "a", "user", "kept")
    talks = [
        talk(node("a", None, "user", "A", content=odd), good, current_node="b", id="1"),
        talk(node("a", None, "user", "A", author=odd), good, current_node="b", id="2"),
        talk(node("a", None, "user", "A", create_time=odd, metadata=odd, recipient=odd), good, current_node="b", id="3"),
        talk({"a": odd}, good, current_node="b", id="4"),
        talk(good, current_node=odd, id="5", title=odd, create_time=odd),
        talk(good, current_node="b", id=odd),
        odd,
    ]
    drafts, _ = read(save(tmp_path / "conversations.json", *talks), "chatgpt")
    assert sum(draft.full == "user: kept" for draft in drafts) >= 5
    message = {"uuid": "m", "sender": "human", "text": "kept", "created_at": odd, "content": odd, "files": odd}
    claude = [{"uuid": "c", "name": odd, "created_at": odd, "chat_messages": [message, odd]}, odd]
    drafts, problems = read(save(tmp_path / "conversations.json", *claude), "claude")
    assert [draft.full for draft in drafts] == ["user: kept"]
    assert problems


def test_claude_gives_every_message() -> None:
    drafts, problems = read(CLAUDE)
    assert problems == []
    assert [draft.full for draft in drafts] == [
        "user: What may I give Ben?\n\n[attached: ben.txt]",
        "assistant: Let me look.\n\nA tea pot.",
        "assistant did:\n- web_search: tea pots",
        "user: Good idea.",
    ]
    assert [draft.source for draft in drafts] == [Source("claude:c0ffee00-0001", "", n) for n in (0, 1, 1, 2)]
    assert drafts[0].created_us == us("2025-05-03T08:00:01+00:00")
    assert drafts[0].meta == {"speaker": "user", "title": "A gift", "message": "m1"}


@pytest.mark.req("R5.19", "R5.20")
def test_a_later_export_adds_what_is_new(tmp_path: Path, engine: Engine) -> None:
    (tmp_path / "may").mkdir()
    (tmp_path / "june").mkdir()
    one = talk(node("a", None, "user", "A"), current_node="a")
    two = talk(node("a", None, "user", "A"), node("b", "a", "assistant", "B"), current_node="b")
    save(tmp_path / "may" / "conversations.json", one)
    save(tmp_path / "june" / "conversations-000.json", two)
    (tmp_path / "june" / "user.json").write_text('{"id": "ada"}')
    assert engine.ingest(tmp_path / "may").added == 1
    later = engine.ingest(tmp_path / "june")
    assert (later.importer, later.added, later.unchanged) == ("chatgpt", 1, 1)
    assert engine.ingest(tmp_path / "june").added == 0


# -- arrays larger than memory ----------------------------------------------------------------------------------------


def items(path: Path) -> list[Any]:
    return list(json_items.json_items(path, Meter()))


@pytest.mark.parametrize(
    ("text", "expected", "why"),
    [
        ('[{"a": 1}, 2, "x", [[]], null]', [{"a": 1}, 2, "x", [[]], None], None),
        ('{"a": [1, {"b": 2.5}]}', [{"a": [1, {"b": 2.5}]}], None),
        ("[]", [], None),
        ("\ufeff[1]", [1], None),
        ('[{"a": 1}, {"b": ', [{"a": 1}], "not JSON"),
        ("[1] x", [1], "not JSON"),
        ("", [], "not JSON"),
        ("text", [], "not JSON"),
        ("[1, NaN]", [1], "not JSON"),
        ("[1, " + "9" * 400 + "]", [1], "not JSON"),
        ("[" * 200_000, [], "not JSON"),
    ],
)
def test_items_come_one_by_one_as_far_as_it_is_json(tmp_path: Path, text: str, expected: list[Any], why: str | None) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    found = items(path)
    problems = [item for item in found if isinstance(item, Problem)]
    assert [item[1] for item in found if not isinstance(item, Problem)] == expected
    assert [item[0] for item in found if not isinstance(item, Problem)] == list(range(1, len(expected) + 1))
    assert [why in problem.why for problem in problems] == ([True] if why else [])


def test_an_item_that_is_too_deep_or_too_large_is_told_and_the_next_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_items, "MAX_VALUES", 2000)
    path = tmp_path / "a.json"
    path.write_text('[{"a": ' + "[" * 5000 + "]" * 5000 + "}, 1, [" + "{}," * 5000 + "{}], 2]")
    deep, one, large, two = items(path)
    assert deep == Problem(f"{path}: item 1", "nested too deeply")
    assert isinstance(large, Problem)
    assert "larger than" in large.why
    assert (one, two) == ((2, 1), (4, 2))


def test_a_text_beyond_the_limit_ends_the_file_before_it_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "MAX_ITEM_BYTES", 1024 * 1024)
    path = tmp_path / "a.json"
    path.write_text('["first", "' + "x" * 8_000_000 + '", "last"]')
    tracemalloc.start()
    try:
        first, problem = items(path)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
    assert first == (1, "first")
    assert "a text larger than 1 MB" in problem.why


def test_bytes_that_are_no_text_end_the_file_with_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'[1, "\xff"]')
    one, problem = items(path)
    assert one == (1, 1)
    assert "not JSON" in problem.why


def test_memory_does_not_grow_with_the_export(tmp_path: Path) -> None:
    """24 MB of conversations: what is held at any time is one of them."""
    path = tmp_path / "conversations.json"
    message = {"uuid": "m", "sender": "human", "text": "word " * 400, "created_at": "2025-05-03T08:00:00Z", "content": []}
    one = json.dumps({"uuid": "c", "name": "n", "created_at": "2025-05-03T08:00:00Z", "chat_messages": [message] * 20})
    path.write_text("[" + ",".join([one] * 600) + "]")
    assert path.stat().st_size > 24_000_000
    tracemalloc.start()
    try:
        count = sum(1 for _ in ClaudeImporter().read(path))
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()
    assert count == 12_000
