"""Another method in a process of its own: what it gives is checked, and what fails says what to do."""

from __future__ import annotations

import numpy as np
import pytest
from plane_kit import islands

from lodmem.errors import ModelBadAnswer, ModelUnavailable
from lodmem.plane import heavy
from lodmem.plane.layout import principal

START = np.zeros((5, 2), np.float32)


def test_a_method_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(heavy.METHODS, "umap", "no_such_module_anywhere")
    with pytest.raises(ModelUnavailable, match=r"lodmem\[map\]"):
        heavy.outside("umap")


def test_a_process_that_fails_tells_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(heavy.METHODS, "umap", "json")  # there, but no umap
    monkeypatch.setenv("PYTHONPATH", "")
    layout = heavy.outside("umap")
    try:
        import umap  # noqa: F401
    except ImportError:
        with pytest.raises(ModelBadAnswer, match="umap"):
            layout(np.zeros((5, 3), np.float32), START)


@pytest.mark.parametrize("answer", [np.full((5, 2), np.nan), np.zeros((4, 2)), np.zeros(10)])
def test_positions_that_cannot_be_used_are_refused(
    monkeypatch: pytest.MonkeyPatch,
    answer: np.ndarray,  # the real process is replaced by one that writes this
) -> None:
    def written(command: list[str], **_: object) -> object:
        np.save(command[-1], answer)
        return type("Done", (), {"returncode": 0, "stderr": ""})()

    monkeypatch.setitem(heavy.METHODS, "umap", "json")
    monkeypatch.setattr(heavy.subprocess, "run", written)
    with pytest.raises(ModelBadAnswer, match="no usable positions"):
        heavy.outside("umap")(np.zeros((5, 3), np.float32), START)


@pytest.mark.slow
def test_umap_lays_out_where_it_is_installed() -> None:
    pytest.importorskip("umap", reason="pip install 'lodmem[map]'")
    vectors, _ = islands(60, 3)
    at = heavy.outside("umap")(vectors, principal(vectors))
    assert at.shape == (60, 2)
