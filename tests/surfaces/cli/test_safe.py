"""Nothing in a memory reaches the terminal as an instruction."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.cli.safe import json_safe, safe, safe_line

BIDI = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
any_text = st.text(alphabet=st.characters(codec=None, exclude_categories=()))


def hostile(char: str) -> bool:
    category = unicodedata.category(char)
    return category in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(char) in BIDI or char in "\u200e\u200f\u061c"


@given(any_text)
def test_safe_leaves_line_feeds_only(text: str) -> None:
    assert not any(hostile(char) for char in safe(text) if char != "\n")


@given(any_text)
def test_safe_line_is_one_line(text: str) -> None:
    assert not any(hostile(char) for char in safe_line(text))


@given(any_text)
def test_safe_twice_is_safe_once(text: str) -> None:
    assert safe(safe(text)) == safe(text)
    assert safe_line(safe_line(text)) == safe_line(text)


@given(st.dictionaries(any_text, any_text), st.booleans())
def test_json_stays_the_same_document(value: dict[str, str], ascii_only: bool) -> None:
    document = json_safe(json.dumps(value, ensure_ascii=ascii_only, indent=2))
    # A lone pair of surrogates is one character to every JSON reader.
    assert json.loads(document) == json.loads(json.dumps(value))
    assert not any(hostile(char) for char in document if char != "\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a\u241b[31mb"),
        ("a\x07\x7f", "a\u2407\u2421"),
        ("a\x9b31mb", "a<U+009B>31mb"),
        ("a\u202eb", "a<U+202E>b"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("\ta", "    a"),
        ("👩\u200d👩\u200d👧 é 日本語", "👩\u200d👩\u200d👧 é 日本語"),
        ("[bold red]plain[/]", "[bold red]plain[/]"),
    ],
)
def test_what_is_shown_instead(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_safe_line_folds_white_space() -> None:
    assert safe_line("  a \n\n b\tc ") == "a b c"
