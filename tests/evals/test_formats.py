from __future__ import annotations

from pathlib import Path

import pytest

from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.formats import load_any


def test_each_format_is_recognised(locomo_file: Path, longmemeval_file: Path, beam_file: Path) -> None:
    assert load_any(locomo_file).name == "locomo"
    assert load_any(longmemeval_file).name == "longmemeval"
    assert load_any(beam_file).name == "beam"


def test_each_format_can_be_pooled(locomo_file: Path, longmemeval_file: Path, beam_file: Path) -> None:
    assert load_any(longmemeval_file, pooled=True).name == "longmemeval pooled"
    pool = load_any(locomo_file, pooled=True)
    assert (pool.name, [case.id for case in pool.cases]) == ("locomo pooled", ["pooled"])
    assert load_any(beam_file, pooled=True).name == "beam", "a single chat is a pool already"


@pytest.mark.parametrize("content", ["[]", "{}", "[{}]", '["x"]', "7", "[" * 100_000])
def test_none_of_them(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(BadParameter) as caught:
        load_any(path)
    for place in ("snap-research", "xiaowu0162", "mohammadtavakoli78"):
        assert place in caught.value.hint


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath):
        load_any(tmp_path / "absent.json")
