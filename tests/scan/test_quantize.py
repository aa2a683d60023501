"""Vectors as bytes: what is lost is bounded, and the fast dot product is the plain one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lodmem.ports import Floats
from lodmem.scan import quantize as module
from lodmem.scan.quantize import Target, dots, quantize

VALUES = st.floats(-1.0, 1.0, width=32)


@given(
    rows=hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=24), elements=VALUES),
    data=st.data(),
)
def test_dot_products_are_never_further_off_than_the_bound(rows: Floats, data: st.DataObject) -> None:
    query = data.draw(hnp.arrays(np.float32, rows.shape[1], elements=VALUES))
    made, target = quantize(rows), Target.of(query)
    found = dots(target, made.codes, made.scales)
    exact = rows.astype(np.float64) @ query.astype(np.float64)
    assert np.abs(found - exact).max() <= target.error(made.off, made.longest) + 1e-12


def test_the_bound_is_worth_having() -> None:
    stream = np.random.default_rng(3)
    rows = stream.standard_normal((500, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    made, target = quantize(rows), Target.of(rows[0])
    assert target.error(made.off, made.longest) < 0.03


def test_a_row_of_zeros_and_a_row_of_one_value() -> None:
    made = quantize(np.array([[0.0, 0.0], [0.5, 0.5]], dtype=np.float32))
    assert made.codes.tolist() == [[0, 0], [127, 127]]
    assert made.scales[0] == 0.0
    assert made.off == pytest.approx(0.0, abs=1e-6)


def test_without_the_library_the_products_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = np.random.default_rng(5)
    made = quantize(stream.standard_normal((300, 96)).astype(np.float32))
    target = Target.of(stream.standard_normal(96).astype(np.float32))
    fast = dots(target, made.codes, made.scales)
    assert module._simd() is not None
    monkeypatch.setattr(module, "_simd", lambda: None)
    assert dots(target, made.codes, made.scales) == pytest.approx(fast, rel=1e-6)
